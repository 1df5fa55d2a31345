// _core.GrammarCompiler: compiling with a cache. All methods run without the interpreter lock.
#include "bindings/handles.h"

namespace xgrammar::bindings {

namespace {

CompiledGrammarHandle CompileJsonSchema(const CompilerHandle& self, const nb::bytes& schema,
                                        const JsonSchemaOptions& options) {
  const nb::gil_scoped_release release;
  return {self.compiler->CompileJsonSchema(ViewOf(schema), options)};
}

CompiledGrammarHandle CompileBuiltinJson(const CompilerHandle& self) {
  const nb::gil_scoped_release release;
  return {self.compiler->CompileBuiltinJsonGrammar()};
}

CompiledGrammarHandle CompileRegex(const CompilerHandle& self, const nb::bytes& pattern) {
  const nb::gil_scoped_release release;
  return {self.compiler->CompileRegex(ViewOf(pattern))};
}

CompiledGrammarHandle CompileEbnf(const CompilerHandle& self, const nb::bytes& text,
                                  const nb::bytes& root_rule_name) {
  const nb::gil_scoped_release release;
  return {self.compiler->CompileEbnf(ViewOf(text), ViewOf(root_rule_name))};
}

CompiledGrammarHandle CompileGrammar(const CompilerHandle& self, const GrammarHandle& grammar) {
  const nb::gil_scoped_release release;
  return {self.compiler->CompileGrammar(grammar.grammar, grammar.report)};
}

}  // namespace

void BindGrammarCompiler(nb::module_& m) {
  nb::class_<CompilerHandle>(m, "GrammarCompiler", "Compiles grammars for one vocabulary.")
      .def(
          "__init__",
          [](CompilerHandle* self, const TokenizerInfoHandle& tokenizer, bool cache_enabled,
             int64_t cache_limit_bytes, const Limits& limits) {
            const nb::gil_scoped_release release;
            // Built here once for all compilers, so that the first grammar does not pay for it.
            tokenizer.info->trie();
            new (self) CompilerHandle(tokenizer.info, {cache_enabled, cache_limit_bytes, limits});
          },
          nb::arg("tokenizer_info"), nb::arg("cache_enabled"), nb::arg("cache_limit_bytes"),
          nb::arg("limits"))
      .def("compile_json_schema", &CompileJsonSchema, nb::arg("schema"), nb::arg("options"),
           "Compile the text of a JSON Schema.")
      .def("compile_builtin_json", &CompileBuiltinJson, "Compile the grammar of JSON.")
      .def("compile_regex", &CompileRegex, nb::arg("pattern"), "Compile a regular expression.")
      .def("compile_ebnf", &CompileEbnf, nb::arg("text"), nb::arg("root_rule_name"),
           "Compile EBNF text.")
      .def("compile_grammar", &CompileGrammar, nb::arg("grammar"), "Compile a grammar.")
      .def(
          "clear_cache", [](const CompilerHandle& self) { self.compiler->ClearCache(); },
          nb::call_guard<nb::gil_scoped_release>(), "Forget all compiled grammars.")
      .def(
          "cache_size_bytes",
          [](const CompilerHandle& self) { return self.compiler->CacheSizeBytes(); },
          "Bytes held by the cache.");
}

}  // namespace xgrammar::bindings
