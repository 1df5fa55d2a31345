// _core.GrammarCompiler: every kind of source to a compiled grammar, through the compiler's cache;
// Lark and structural tags are in files of their own.
//
// All methods run without the interpreter lock. An optional CompileControl holds the budget of one
// call; interrupts are looked for while it runs (compile_control.h).
#include "bindings/handles.h"

namespace xgrammar::bindings {

namespace {

template <typename Function>
CompiledGrammarHandle Run(const CompilerHandle& self, const CompileControl* control,
                          const Function& function) {
  return {RunMetered(self.compiler->limits(), control, function)};
}

CompiledGrammarHandle CompileJsonSchema(const CompilerHandle& self, const nb::bytes& schema,
                                        const JsonSchemaOptions& options,
                                        const CompileControl* control) {
  return Run(self, control,
             [&] { return self.compiler->CompileJsonSchema(ViewOf(schema), options); });
}

CompiledGrammarHandle CompileBuiltinJson(const CompilerHandle& self,
                                         const CompileControl* control) {
  return Run(self, control, [&] { return self.compiler->CompileBuiltinJsonGrammar(); });
}

CompiledGrammarHandle CompileRegex(const CompilerHandle& self, const nb::bytes& pattern,
                                   const CompileControl* control) {
  return Run(self, control, [&] { return self.compiler->CompileRegex(ViewOf(pattern)); });
}

CompiledGrammarHandle CompileEbnf(const CompilerHandle& self, const nb::bytes& text,
                                  const nb::bytes& root_rule_name, const CompileControl* control) {
  return Run(self, control,
             [&] { return self.compiler->CompileEbnf(ViewOf(text), ViewOf(root_rule_name)); });
}

CompiledGrammarHandle CompileGrammar(const CompilerHandle& self, const GrammarHandle& grammar,
                                     const CompileControl* control) {
  return Run(self, control,
             [&] { return self.compiler->CompileGrammar(grammar.grammar, grammar.report); });
}

nb::dict CacheStatistics(const CompilerHandle& self) {
  const CompileCache::Statistics statistics = self.compiler->CacheStatistics();
  nb::dict out;
  out["hits"] = statistics.hits;
  out["joined"] = statistics.joined;
  out["misses"] = statistics.misses;
  out["evictions"] = statistics.evictions;
  out["entries"] = statistics.entries;
  out["bytes"] = statistics.bytes;
  out["shared_bytes"] = self.compiler->SharedBytes();
  return out;
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
           nb::arg("control").none(), "Compile the text of a JSON Schema.")
      .def("compile_builtin_json", &CompileBuiltinJson, nb::arg("control").none(),
           "Compile the grammar of JSON.")
      .def("compile_regex", &CompileRegex, nb::arg("pattern"), nb::arg("control").none(),
           "Compile a regular expression.")
      .def("compile_ebnf", &CompileEbnf, nb::arg("text"), nb::arg("root_rule_name"),
           nb::arg("control").none(), "Compile EBNF text.")
      .def("compile_grammar", &CompileGrammar, nb::arg("grammar"), nb::arg("control").none(),
           "Compile a grammar.")
      .def(
          "clear_cache", [](const CompilerHandle& self) { self.compiler->ClearCache(); },
          nb::call_guard<nb::gil_scoped_release>(), "Forget all compiled grammars.")
      .def(
          "cache_size_bytes",
          [](const CompilerHandle& self) { return self.compiler->CacheSizeBytes(); },
          nb::call_guard<nb::gil_scoped_release>(), "Bytes held by the cache.")
      .def("cache_statistics", &CacheStatistics,
           nb::sig("def cache_statistics(self) -> dict[str, int]"),
           "Counts of requests and what is held now.");
}

}  // namespace xgrammar::bindings
