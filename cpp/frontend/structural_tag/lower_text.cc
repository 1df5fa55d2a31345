// The formats const_string and any_text.
//
// Free text is one lexeme for each set of excluded texts, the ends of the tag around it included:
// the automaton of Aho and Corasick (1975) without its matching states (ExcludingText). Budgets of
// tokens and characters are options of a rule, counted by the parser and never written out as
// states.
#include <algorithm>
#include <memory>
#include <utility>

#include "automata/code_point_set.h"
#include "automata/free_run.h"
#include "frontend/structural_tag/lower.h"

namespace xgrammar::structural_tag {

namespace {

/// Most bytes of a code point in UTF-8; a token takes at least one byte.
constexpr int64_t kMaxCodePointBytes = 4;

}  // namespace

ExprId Lowerer::LowerValue(const Format&, const ConstString& value, const Scope&) {
  return builder_.AddByteString(value.value);
}

ExprId Lowerer::LowerValue(const Format&, const AnyText& value, const Scope& scope) {
  const ExprId text = FreeText(WithEnds(value.excludes, scope));
  return Limited(text, value.max_tokens, value.max_chars);
}

std::vector<std::string> Lowerer::WithEnds(std::vector<std::string> excludes,
                                           const Scope& scope) const {
  for (const std::string& end : scope.end_texts) {
    if (!end.empty()) excludes.push_back(end);
  }
  std::sort(excludes.begin(), excludes.end());
  excludes.erase(std::unique(excludes.begin(), excludes.end()), excludes.end());
  return excludes;
}

ExprId Lowerer::FreeText(const std::vector<std::string>& excludes) {
  const auto [it, is_new] = free_texts_.try_emplace(excludes, kNoExpr);
  if (!is_new) return it->second;
  ExprId body = kNoExpr;
  if (excludes.empty()) {
    body = builder_.AddStar(builder_.AddCharClass(CodePointSet::All()));
  } else {
    body = builder_.AddAutomaton(
        std::make_shared<CodePointDfa>(ExcludingText(excludes, limits_.max_grammar_size)));
  }
  const RuleId rule = builder_.AddRuleWithHint("text", body, RuleKind::kLexeme);
  it->second = builder_.AddRuleRef(rule);
  return it->second;
}

ExprId Lowerer::Limited(ExprId text, int64_t max_tokens, int64_t max_chars) {
  if (max_tokens == 0 || max_chars == 0) return builder_.AddEmpty();
  // A budget of tokens that the other budget cannot use up says nothing.
  if (max_chars != kNoBound && max_tokens >= max_chars * kMaxCodePointBytes) max_tokens = kNoBound;
  if (max_tokens == kNoBound && max_chars == kNoBound) return text;
  const ExprId body = builder_.view().rule(builder_.view().rule_ref(text)).body;
  const RuleId rule = builder_.AddRuleWithHint("limited_text", body, RuleKind::kLexeme);
  builder_.SetOptions(rule, {max_tokens, max_chars});
  return builder_.AddRuleRef(rule);
}

}  // namespace xgrammar::structural_tag
