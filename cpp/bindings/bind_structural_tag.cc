// Structural tags: JSON text to a Grammar, and compiled for a tokenizer. Both run without the
// interpreter lock.
//
// The text is what the facade made of a dict, a class or a string; frontend/structural_tag reads it
// and raises all errors.
#include <utility>

#include "bindings/handles.h"
#include "frontend/structural_tag/structural_tag.h"

namespace xgrammar::bindings {

namespace {

GrammarHandle ToGrammar(const nb::bytes& text, const Limits& limits) {
  return RunMetered(limits, nullptr, [&] {
    StructuralTagResult result = StructuralTagToGrammar(ViewOf(text), nullptr, limits);
    return GrammarHandle{std::move(result.grammar), std::move(result.report)};
  });
}

CompiledGrammarHandle Compile(const CompilerHandle& compiler, const nb::bytes& text,
                              const CompileControl* control) {
  return {RunMetered(compiler.compiler->limits(), control,
                     [&] { return compiler.compiler->CompileStructuralTag(ViewOf(text)); })};
}

}  // namespace

void BindStructuralTag(nb::module_& m) {
  m.def("structural_tag_to_grammar", &ToGrammar, nb::arg("text"), nb::arg("limits"),
        "Translate the JSON text of a structural tag; tokens can be named by id only.");
  m.def("compile_structural_tag", &Compile, nb::arg("compiler"), nb::arg("text"),
        nb::arg("control").none(), "Compile the JSON text of a structural tag.");
}

}  // namespace xgrammar::bindings
