// GrammarCompiler: each kind of source through its front end, behind one cache.
//
// The key of a request is the kind of source, the whole source and every option that may change the
// result, with lengths in front, so that no two requests share a key by accident. Nothing is parsed
// for a request that the cache answers.
#include "compiler/grammar_compiler.h"

#include <utility>

#include "compiler/named_tokens.h"
#include "compiler/nested_limits.h"
#include "frontend/ebnf/parser.h"
#include "frontend/json_schema/automaton_memo.h"
#include "frontend/regex/regex.h"
#include "frontend/structural_tag/structural_tag.h"
#include "grammar/printer.h"
#include "support/error.h"
#include "support/work_meter.h"

namespace xgrammar {

namespace {

void AppendField(std::string_view text, std::string* key) {
  const uint64_t size = text.size();
  key->append(reinterpret_cast<const char*>(&size), sizeof(size));
  key->append(text);
}

void AppendNumber(int64_t value, std::string* key) {
  key->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void AppendOptions(const JsonSchemaOptions& options, std::string* key) {
  AppendNumber(options.any_whitespace ? 1 : 0, key);
  AppendNumber(options.strict_mode ? 1 : 0, key);
  AppendNumber(options.any_order ? 1 : 0, key);
  AppendNumber(options.lenient ? 1 : 0, key);
  AppendNumber(options.indent ? 1 : 0, key);
  AppendNumber(options.indent.value_or(0), key);
  AppendNumber(options.max_whitespace_cnt ? 1 : 0, key);
  AppendNumber(options.max_whitespace_cnt.value_or(0), key);
  AppendNumber(options.separators ? 1 : 0, key);
  if (options.separators) {
    AppendField(options.separators->first, key);
    AppendField(options.separators->second, key);
  }
}

}  // namespace

struct GrammarCompiler::Impl {
  Impl(TokenizerInfoPtr tokenizer, const CompilerOptions& options)
      : tokenizer_info(std::move(tokenizer)),
        limits(options.limits),
        local_masks(std::make_shared<LocalMaskCache>(tokenizer_info)),
        automata(std::make_shared<AutomatonStore>()),
        cache(options.cache_enabled, options.cache_limit_bytes) {
    local_masks->kind_masks()->MakeCommon();
    // Nearly every compiler meets a JSON string of at most so many characters, and nobody should
    // wait for this between two tokens.
    constexpr bool kCountsEscapes = true;
    local_masks->length_order(kCountsEscapes);
  }

  CompiledGrammarPtr Compile(GrammarPtr grammar,
                             std::vector<JsonSchemaReportRecord> report = {}) const {
    grammar = ResolveNamedTokens(std::move(grammar), *tokenizer_info, limits);
    grammar = FoldNestedLimits(std::move(grammar), limits);
    return CompiledGrammar::Make(std::move(grammar), tokenizer_info, local_masks, limits,
                                 std::move(report));
  }

  /// The time of a request includes waiting for an equal one.
  CompiledGrammarPtr GetOrCompile(const std::string& key,
                                  const std::function<CompiledGrammarPtr()>& compile) {
    const WorkScope scope(limits);
    return cache.GetOrCompile(key, compile);
  }

  const TokenizerInfoPtr tokenizer_info;
  const Limits limits;
  const std::shared_ptr<LocalMaskCache> local_masks;
  const std::shared_ptr<AutomatonStore> automata;
  CompileCache cache;
};

GrammarCompiler::GrammarCompiler(TokenizerInfoPtr tokenizer_info, const CompilerOptions& options) {
  if (options.cache_limit_bytes < -1) {
    Error error(ErrorKind::kUsage,
                "cache_limit_bytes is " + std::to_string(options.cache_limit_bytes));
    error.Hint("use -1 for no limit or a number of bytes");
    throw error;
  }
  impl_ = std::make_unique<Impl>(std::move(tokenizer_info), options);
}

GrammarCompiler::~GrammarCompiler() = default;

CompiledGrammarPtr GrammarCompiler::CompileJsonSchema(std::string_view schema_text,
                                                      const JsonSchemaOptions& options) {
  std::string key = "json_schema";
  AppendOptions(options, &key);
  AppendField(schema_text, &key);
  return impl_->GetOrCompile(key, [&] {
    JsonSchemaOptions with_memo = options;
    with_memo.memo = std::make_shared<AutomatonMemo>(impl_->automata);
    JsonSchemaResult result = JsonSchemaToGrammar(schema_text, with_memo, impl_->limits);
    return impl_->Compile(std::move(result.grammar), std::move(result.report));
  });
}

CompiledGrammarPtr GrammarCompiler::CompileBuiltinJsonGrammar() {
  return impl_->GetOrCompile("builtin_json", [&] { return impl_->Compile(BuiltinJsonGrammar()); });
}

CompiledGrammarPtr GrammarCompiler::CompileRegex(std::string_view pattern) {
  std::string key = "regex";
  AppendField(pattern, &key);
  return impl_->GetOrCompile(
      key, [&] { return impl_->Compile(RegexToGrammar(pattern, {}, impl_->limits)); });
}

CompiledGrammarPtr GrammarCompiler::CompileEbnf(std::string_view text,
                                                std::string_view root_rule_name) {
  std::string key = "ebnf";
  AppendField(root_rule_name, &key);
  AppendField(text, &key);
  return impl_->GetOrCompile(
      key, [&] { return impl_->Compile(ParseEbnf(text, root_rule_name, impl_->limits)); });
}

CompiledGrammarPtr GrammarCompiler::CompileStructuralTag(std::string_view text) {
  std::string key = "structural_tag";
  AppendField(text, &key);
  return impl_->GetOrCompile(key, [&] {
    StructuralTagResult result =
        StructuralTagToGrammar(text, impl_->tokenizer_info.get(), impl_->limits, impl_->automata);
    return impl_->Compile(std::move(result.grammar), std::move(result.report));
  });
}

CompiledGrammarPtr GrammarCompiler::CompileLark(std::string_view text,
                                                const std::vector<NamedGrammar>& named_grammars) {
  std::string key = "lark";
  AppendField(text, &key);
  for (const NamedGrammar& entry : named_grammars) {
    AppendField(entry.name, &key);
    AppendNumber(entry.grammar != nullptr ? 1 : 0, &key);
    AppendField(entry.grammar != nullptr ? GrammarToString(*entry.grammar) : entry.text, &key);
  }
  return impl_->GetOrCompile(key, [&] {
    LarkResult result =
        LarkToGrammar(text, named_grammars, impl_->tokenizer_info.get(), impl_->limits);
    return impl_->Compile(std::move(result.grammar), std::move(result.report));
  });
}

CompiledGrammarPtr GrammarCompiler::CompileGrammar(const GrammarPtr& grammar,
                                                   std::vector<JsonSchemaReportRecord> report) {
  std::string key = "grammar";
  AppendField(GrammarToString(*grammar), &key);
  for (const JsonSchemaReportRecord& record : report) {
    AppendField(record.pointer, &key);
    AppendField(record.keyword, &key);
    AppendField(record.reason, &key);
    AppendField(record.effect, &key);
  }
  return impl_->GetOrCompile(key, [&] { return impl_->Compile(grammar, std::move(report)); });
}

void GrammarCompiler::ClearCache() {
  impl_->cache.Clear();
  impl_->local_masks->Clear();
  impl_->automata->Clear();
}

int64_t GrammarCompiler::CacheSizeBytes() const { return impl_->cache.SizeBytes(); }

CompileCache::Statistics GrammarCompiler::CacheStatistics() const {
  return impl_->cache.statistics();
}

int64_t GrammarCompiler::SharedBytes() const {
  return impl_->local_masks->SizeBytes() + impl_->automata->SizeBytes();
}

const Limits& GrammarCompiler::limits() const { return impl_->limits; }

int64_t GrammarCompiler::cache_limit_bytes() const { return impl_->cache.limit_bytes(); }

const TokenizerInfoPtr& GrammarCompiler::tokenizer_info() const { return impl_->tokenizer_info; }

}  // namespace xgrammar
