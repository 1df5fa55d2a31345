// DropEmptyLimits: limited rules by one search from the root, inner ones first; each gets its
// automaton, which stays in the cache of automata for the parser.
//
// A rule around an empty one waits for the next round, since its language changes; there are as
// many rounds as such rules are nested. Grammars without limited rules are not looked into.
#include "compiler/empty_limits.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/grammar_facts.h"
#include "grammar/builder.h"
#include "grammar/rule_refs.h"
#include "lowering/unit_table.h"
#include "support/error.h"

namespace xgrammar {

namespace {

bool IsToCheck(const Rule& rule) { return !rule.options.empty() && rule.kind != RuleKind::kLexeme; }

/// The limited rules that some text may come to, inner ones before those around them.
std::vector<RuleId> RulesToCheck(const Grammar& grammar, const GrammarFacts& facts) {
  std::vector<RuleId> rules =
      RulesInnerFirst(grammar, [&facts](ExprId expr) { return facts.IsProductive(expr); });
  std::erase_if(rules, [&grammar](RuleId rule) { return !IsToCheck(grammar.rule(rule)); });
  return rules;
}

/// Whether the rule refers, at any depth, to one of the others.
bool RefersTo(const Grammar& grammar, RuleId rule, const std::vector<RuleId>& others) {
  bool is_found = false;
  RuleRefs(grammar).Walk(grammar.rule(rule).body, [&](RuleId target) {
    is_found = is_found || std::find(others.begin(), others.end(), target) != others.end();
    return !is_found;
  });
  return is_found;
}

std::vector<RuleId> EmptyRules(const GrammarPtr& grammar, DfaCache* dfa_cache,
                               const TokenTrie* markers) {
  UnitTable units(grammar, dfa_cache, markers);
  std::vector<RuleId> empty;
  for (RuleId rule : RulesToCheck(*grammar, GrammarFacts(*grammar))) {
    const bool waits = !empty.empty() && RefersTo(*grammar, rule, empty);
    if (!waits && !units.LeavesText(rule)) empty.push_back(rule);
  }
  return empty;
}

GrammarPtr WithoutTexts(const Grammar& grammar, const std::vector<RuleId>& rules,
                        const Limits& limits) {
  GrammarBuilder builder(limits);
  const std::vector<RuleId> new_ids = builder.Import(grammar);
  for (RuleId rule : rules) {
    const RuleId id = new_ids[static_cast<size_t>(rule)];
    builder.SetBody(id, builder.AddNothing());
    builder.SetOptions(id, {});
  }
  return builder.Build(new_ids[static_cast<size_t>(grammar.root())]);
}

[[noreturn]] void ThrowNoText(const Rule& rule) {
  const bool by_length = rule.options.max_length != kUnbounded || rule.options.min_length > 0;
  Error error(
      ErrorKind::kUnsatisfiable,
      "The grammar matches no string: no text of rule \"" + QuoteForMessage(rule.name) +
          "\" has a length that its " +
          (by_length ? "min_length and max_length" : "min_escaped_length and max_escaped_length") +
          " allow");
  throw error.Hint("raise the upper bound, or lower the lower one");
}

}  // namespace

GrammarPtr DropEmptyLimits(GrammarPtr grammar, DfaCache* dfa_cache, const TokenTrie* markers,
                           const Limits& limits) {
  bool has_limits = false;
  for (RuleId rule = 0; rule < grammar->num_rules() && !has_limits; ++rule)
    has_limits = IsToCheck(grammar->rule(rule));
  while (has_limits) {
    const std::vector<RuleId> empty = EmptyRules(grammar, dfa_cache, markers);
    if (empty.empty()) break;
    GrammarPtr rest = WithoutTexts(*grammar, empty, limits);
    if (!IsProductive(*rest, rest->root())) ThrowNoText(grammar->rule(empty.front()));
    grammar = std::move(rest);
  }
  return grammar;
}

}  // namespace xgrammar
