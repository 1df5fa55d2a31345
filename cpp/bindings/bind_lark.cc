// Lark grammars: text to a Grammar, and compiled for a tokenizer. Both run without the interpreter
// lock.
//
// Grammars that the text may refer to by name come as pairs of a name and either Lark text or a
// Grammar. The language itself is read by frontend/lark.
#include "bindings/handles.h"
#include "frontend/lark/lark.h"

namespace xgrammar::bindings {

namespace {

/// Pairs of a name and Lark text or a grammar.
std::vector<NamedGrammar> NamedFromPython(const nb::list& named) {
  std::vector<NamedGrammar> out;
  for (nb::handle item : named) {
    const nb::tuple pair = nb::cast<nb::tuple>(item);
    NamedGrammar entry;
    entry.name = ViewOf(nb::cast<nb::bytes>(pair[0]));
    if (nb::isinstance<nb::bytes>(pair[1])) {
      entry.text = ViewOf(nb::cast<nb::bytes>(pair[1]));
    } else {
      entry.grammar = nb::cast<const GrammarHandle&>(pair[1]).grammar;
    }
    out.push_back(std::move(entry));
  }
  return out;
}

GrammarHandle ToGrammar(const nb::bytes& text, const nb::list& named,
                        const TokenizerInfoHandle* tokenizer, const Limits& limits) {
  const std::vector<NamedGrammar> named_grammars = NamedFromPython(named);
  return RunMetered(limits, nullptr, [&] {
    const TokenizerInfo* info = tokenizer == nullptr ? nullptr : tokenizer->info.get();
    LarkResult result = LarkToGrammar(ViewOf(text), named_grammars, info, limits);
    return GrammarHandle{std::move(result.grammar), std::move(result.report)};
  });
}

CompiledGrammarHandle Compile(const CompilerHandle& compiler, const nb::bytes& text,
                              const nb::list& named, const CompileControl* control) {
  const std::vector<NamedGrammar> named_grammars = NamedFromPython(named);
  return {RunMetered(compiler.compiler->limits(), control,
                     [&] { return compiler.compiler->CompileLark(ViewOf(text), named_grammars); })};
}

}  // namespace

void BindLark(nb::module_& m) {
  m.def("lark_to_grammar", &ToGrammar, nb::arg("text"), nb::arg("named_grammars"),
        nb::arg("tokenizer_info").none(), nb::arg("limits"),
        nb::sig("def lark_to_grammar(text: bytes, named_grammars: list[tuple[bytes, bytes | "
                "Grammar]], tokenizer_info: TokenizerInfo | None, limits: Limits) -> Grammar"),
        "Translate a Lark grammar.");
  m.def("compile_lark", &Compile, nb::arg("compiler"), nb::arg("text"), nb::arg("named_grammars"),
        nb::arg("control").none(),
        nb::sig("def compile_lark(compiler: GrammarCompiler, text: bytes, named_grammars: "
                "list[tuple[bytes, bytes | Grammar]], control: CompileControl | None) "
                "-> CompiledGrammar"),
        "Compile a Lark grammar.");
}

}  // namespace xgrammar::bindings
