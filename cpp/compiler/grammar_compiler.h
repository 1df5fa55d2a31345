// GrammarCompiler: sources -> CompiledGrammar for one tokenizer, with a bounded exact cache and
// single flight (equal concurrent requests compile once). All methods are thread-safe.
//
// This is the level at which all front ends, analysis and parser meet; each of them can be used and
// tested without it. Threads of the asynchronous methods belong to the Python facade.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/compile_cache.h"
#include "compiler/compiled_grammar.h"
#include "frontend/lark/lark.h"

namespace xgrammar {

struct CompilerOptions {
  bool cache_enabled = true;
  int64_t cache_limit_bytes =
      -1;  ///< -1: no limit. The cache never holds more than this after a call.
  Limits limits;
};

class GrammarCompiler {
 public:
  GrammarCompiler(TokenizerInfoPtr tokenizer_info, const CompilerOptions& options);
  ~GrammarCompiler();

  CompiledGrammarPtr CompileJsonSchema(std::string_view schema_text,
                                       const JsonSchemaOptions& options);
  CompiledGrammarPtr CompileBuiltinJsonGrammar();
  CompiledGrammarPtr CompileRegex(std::string_view pattern);
  CompiledGrammarPtr CompileEbnf(std::string_view text, std::string_view root_rule_name);
  /// Tokens named by their text are those of the compiler's tokenizer.
  CompiledGrammarPtr CompileStructuralTag(std::string_view text);
  /// Tokens named by their text are those of the compiler's tokenizer.
  CompiledGrammarPtr CompileLark(std::string_view text,
                                 const std::vector<NamedGrammar>& named_grammars);
  /// `report` is the JSON Schema report of the grammar, if it has one. Keyed by the printed
  /// grammar.
  CompiledGrammarPtr CompileGrammar(const GrammarPtr& grammar,
                                    std::vector<JsonSchemaReportRecord> report = {});

  void ClearCache();
  int64_t CacheSizeBytes() const;
  CompileCache::Statistics CacheStatistics() const;
  /// Bytes of automata and token results that all grammars of this compiler share; they have
  /// bounds of their own and do not count towards the cache limit.
  int64_t SharedBytes() const;
  const Limits& limits() const;
  int64_t cache_limit_bytes() const;
  const TokenizerInfoPtr& tokenizer_info() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace xgrammar
