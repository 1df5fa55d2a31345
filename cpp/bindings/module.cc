// The extension module xgrammar._core: registers the classes and nothing else.
//
// It keeps no state of its own and is safe without the global interpreter lock. Classes come before
// those that mention them, so that the generated stub has their names.
#include "bindings/errors.h"
#include "bindings/handles.h"
#include "bindings/python_json.h"

NB_MODULE(_core, m) {
  m.doc() = "Native part of xgrammar; use the classes of the package instead.";
#ifdef NDEBUG
  // Objects that live until the interpreter ends are no fault of the user; debug builds report
  // them.
  nanobind::set_leak_warnings(false);
#endif
  xgrammar::bindings::RegisterErrorTranslator();
  xgrammar::bindings::BindLimits(m);
  xgrammar::bindings::BindGrammar(m);
  xgrammar::bindings::BindTokenizerInfo(m);
  xgrammar::bindings::BindCompiledGrammar(m);
  xgrammar::bindings::BindGrammarCompiler(m);
  xgrammar::bindings::BindStructuralTag(m);
  xgrammar::bindings::BindLark(m);
  xgrammar::bindings::BindGrammarMatcher(m);
  xgrammar::bindings::BindBatchMatcher(m);
  xgrammar::bindings::BindBitmask(m);
  xgrammar::bindings::BindPythonJson(m);
  xgrammar::bindings::BindDescribedMethod(m);
}
