// FoldNestedLimits: the rules below limited rules by one search, then inner ones before outer ones
// as automata that count (WithinChars), then one copy of the grammar.
//
// A rule that is not regular, or whose counting automaton would be too large, is left as it is.
// Grammars without limits within limits are returned unchanged.
#include "compiler/nested_limits.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "grammar/builder.h"
#include "grammar/regular.h"
#include "grammar/rule_refs.h"
#include "support/error.h"

namespace xgrammar {

namespace {

/// Counting is cheap up to here; larger automata would be no small regular language either.
constexpr int64_t kMaxCountingStates = 20000;

/// Rules with max_chars below limited rules.
std::vector<RuleId> RulesToFold(const Grammar& grammar) {
  std::vector<bool> is_below(static_cast<size_t>(grammar.num_rules()), false);
  RuleRefs refs(grammar);
  const auto mark_below = [&](RuleId rule) {
    is_below[static_cast<size_t>(rule)] = true;
    return true;
  };
  for (RuleId rule = 0; rule < grammar.num_rules(); ++rule) {
    if (!grammar.rule(rule).options.empty()) refs.Walk(grammar.rule(rule).body, mark_below);
  }
  std::vector<RuleId> rules;
  for (RuleId rule = 0; rule < grammar.num_rules(); ++rule) {
    const bool has_chars = grammar.rule(rule).options.max_chars != kUnbounded;
    if (has_chars && is_below[static_cast<size_t>(rule)]) rules.push_back(rule);
  }
  return rules;
}

class Folder {
 public:
  Folder(const Grammar& grammar, const Limits& limits) : grammar_(grammar), limits_(limits) {
    limits_.max_dfa_states = std::min(limits_.max_dfa_states, kMaxCountingStates);
  }

  /// By rule; a rule waits until those below it are known.
  std::unordered_map<RuleId, CodePointDfaPtr> Fold(std::vector<RuleId> rules) {
    size_t before = 0;
    do {
      before = rules.size();
      std::erase_if(rules, [&](RuleId rule) { return FoldOne(rule); });
    } while (!rules.empty() && rules.size() < before);
    return std::move(automata_);
  }

 private:
  /// False if it may work when more rules are known.
  bool FoldOne(RuleId rule) {
    const RuleAutomaton known = [&](RuleId id) {
      const auto it = automata_.find(id);
      return it == automata_.end() ? nullptr : it->second;
    };
    try {
      // A recursive body runs into the limit.
      const std::optional<CodePointDfa> dfa =
          ExprToDfa(grammar_, grammar_.rule(rule).body, known, limits_);
      if (!dfa) return false;
      automata_.emplace(rule,
                        std::make_shared<const CodePointDfa>(WithinChars(
                            *dfa, grammar_.rule(rule).options.max_chars, limits_.max_dfa_states)));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kLimit) throw;
    }
    return true;
  }

  const Grammar& grammar_;
  Limits limits_;
  std::unordered_map<RuleId, CodePointDfaPtr> automata_;
};

}  // namespace

GrammarPtr FoldNestedLimits(GrammarPtr grammar, const Limits& limits) {
  std::vector<RuleId> rules = RulesToFold(*grammar);
  if (rules.empty()) return grammar;
  const auto automata = Folder(*grammar, limits).Fold(std::move(rules));
  if (automata.empty()) return grammar;
  GrammarBuilder builder(limits);
  const std::vector<RuleId> new_ids = builder.Import(*grammar);
  for (const auto& [rule, dfa] : automata) {
    const RuleId id = new_ids[static_cast<size_t>(rule)];
    RuleOptions options = grammar->rule(rule).options;
    options.max_chars = kUnbounded;
    builder.SetBody(id, builder.AddAutomaton(dfa));
    builder.SetOptions(id, options);
  }
  return builder.Build(new_ids[static_cast<size_t>(grammar->root())]);
}

}  // namespace xgrammar
