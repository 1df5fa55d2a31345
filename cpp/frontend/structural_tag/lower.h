// Lowerer: the tree of formats -> rules and expressions of a grammar.
//
// One function for each kind of format, in lower_<kind>.cc. Literals stay literals of ordinary
// rules, so that a special token may stand for its text; free text is automata, which special
// tokens never match. Whatever a repetition would copy, or two places use, gets a rule, so that the
// grammar is linear in the tree. The recursion follows the nesting of formats, which the reader
// bounds.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/json_schema/automaton_memo.h"
#include "frontend/structural_tag/schema.h"
#include "frontend/structural_tag/structural_tag.h"
#include "grammar/builder.h"
#include "support/limits.h"
#include "tokenizer/tokenizer_info.h"

namespace xgrammar::structural_tag {

/// How the nearest tag around a format ends: what free text in it must not run over.
struct Scope {
  std::span<const std::string> end_texts;
  int32_t end_token = -1;
};

class Lowerer {
 public:
  /// All must outlive this; `tokenizer` and `store` may be null.
  Lowerer(const StructuralTag& tag, const TokenizerInfo* tokenizer, const Limits& limits,
          std::shared_ptr<AutomatonStore> store)
      : tag_(tag),
        tokenizer_(tokenizer),
        limits_(limits),
        builder_(limits),
        automata_(std::make_shared<AutomatonMemo>(std::move(store))) {}

  /// Raises kStructuralTag and what the embedded languages raise, with the pointer of the format.
  StructuralTagResult Run();

 private:
  /// Contents that follow a pattern, by pattern; several for one pattern are alternatives.
  struct PatternRule {
    std::string pattern;
    ExprId continuation;  ///< The pattern itself and what follows it.
  };

  ExprId Lower(FormatId id, const Scope& scope);
  /// An expression that may be copied: small ones themselves, others as a rule.
  ExprId Shared(ExprId expr, const char* hint);

  ExprId LowerValue(const Format&, const ConstString& value, const Scope&);
  ExprId LowerValue(const Format& format, const AnyText& value, const Scope& scope);
  ExprId LowerValue(const Format& format, const JsonSchema& value, const Scope&);
  ExprId LowerValue(const Format& format, const Regex& value, const Scope&);
  ExprId LowerValue(const Format& format, const EmbeddedGrammar& value, const Scope&);
  ExprId LowerValue(const Format&, const Sequence& value, const Scope& scope);
  ExprId LowerValue(const Format&, const Or& value, const Scope& scope);
  ExprId LowerValue(const Format&, const Repeat& value, const Scope& scope);
  ExprId LowerValue(const Format& format, const Tag& value, const Scope&);
  ExprId LowerValue(const Format&, const TagsWithSeparator& value, const Scope& scope);
  ExprId LowerValue(const Format& format, const TriggeredTags& value, const Scope& scope);
  ExprId LowerValue(const Format& format, const Dispatch& value, const Scope& scope);
  ExprId LowerValue(const Format& format, const Token& value, const Scope&);
  ExprId LowerValue(const Format& format, const ExcludeToken& value, const Scope& scope);
  ExprId LowerValue(const Format& format, const AnyTokens& value, const Scope& scope);
  ExprId LowerValue(const Format& format, const TokenTriggeredTags& value, const Scope& scope);
  ExprId LowerValue(const Format& format, const TokenDispatch& value, const Scope& scope);

  /// Text without the strings; sorted, distinct.
  ExprId FreeText(const std::vector<std::string>& excludes);
  std::vector<std::string> WithEnds(std::vector<std::string> excludes, const Scope& scope) const;
  ExprId Limited(ExprId text, int64_t max_tokens, int64_t max_chars);

  using Report = std::vector<JsonSchemaReportRecord>;
  /// What a part in another language became, for all places where it stands.
  struct Embedded {
    ExprId expr = kNoExpr;
    Report report;
  };
  Embedded JsonSchemaRule(const Format& format, const JsonSchema& value,
                          const JsonDocument& schema);
  ExprId ImportRoot(const Grammar& grammar);
  /// The expression of a part; its report is added with the place of the format in front.
  ExprId Use(const Format& format, const char* field, const Embedded& part);

  ExprId Ends(const Format& format, const Tag& value);
  ExprId Literals(std::span<const std::string> texts);
  ExprId AnyTag(std::span<const FormatId> tags, const Scope& scope);

  /// Free text and patterns with what follows them: any number of times, or at most once.
  ExprId FreeRuns(const std::vector<PatternRule>& rules, const std::vector<std::string>& excludes,
                  bool loop);
  /// `free`, then `marked` and `free` any number of times, or `marked` at most once.
  ExprId Alternate(ExprId free, ExprId marked, bool loop);

  int32_t TokenId(const Format& format, const TokenName& name);
  std::vector<int32_t> TokenIds(const Format& format, const std::vector<TokenName>& names);
  int32_t FindToken(const Format& format, const std::string& text);
  int32_t LookUpToken(const std::string& text);
  void CheckTokenTriggers(const Format& format, const TokenTriggeredTags& value,
                          std::vector<int32_t> triggers);

  const StructuralTag& tag_;
  const TokenizerInfo* tokenizer_;
  const Limits& limits_;
  GrammarBuilder builder_;
  std::map<std::vector<std::string>, ExprId> free_texts_;
  std::unordered_map<std::string, Embedded> embedded_;  ///< By kind, options and content.
  Report report_;
  const std::shared_ptr<AutomatonMemo> automata_;
  std::unordered_map<std::string, int32_t> token_ids_;
  std::unordered_map<std::string_view, int32_t> vocab_index_;  ///< Empty until it is needed.
};

}  // namespace xgrammar::structural_tag
