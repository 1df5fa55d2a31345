// RuleRefs: the references to rules that an expression contains, by one walk for all passes over a
// grammar.
//
// A pass says for each reference whether the walk goes on in the body of that rule. An expression
// is walked through once, whatever leads to it, so any number of walks of one object cost no more
// than the grammar is large. With a work list, as all facts about grammars are found: no recursion
// over user input. Does not look at what the expressions are otherwise (analysis/grammar_facts.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "grammar/grammar.h"

namespace xgrammar {

class RuleRefs {
 public:
  /// `grammar` must outlive this object; it may grow.
  explicit RuleRefs(const Grammar& grammar) : grammar_(grammar) {}

  /// Calls `enters(rule)` for each reference in `expr` that no walk has come to; where it returns
  /// true the walk goes on in the body of the rule.
  template <typename Enters>
  void Walk(ExprId expr, Enters enters) {
    Walk(expr, enters, [](ExprId) { return true; });
  }
  /// The same without expressions for which `is_part` is false.
  template <typename Enters, typename IsPart>
  void Walk(ExprId expr, Enters enters, IsPart is_part) {
    seen_.resize(std::max(seen_.size(), static_cast<size_t>(grammar_.num_exprs())), 0);
    work_.assign(1, expr);
    while (!work_.empty()) {
      const ExprId at = work_.back();
      work_.pop_back();
      if (seen_[static_cast<size_t>(at)] == walk_) continue;
      seen_[static_cast<size_t>(at)] = walk_;
      if (!is_part(at)) continue;
      if (grammar_.kind(at) == ExprKind::kRuleRef) {
        const RuleId rule = grammar_.rule_ref(at);
        if (enters(rule)) work_.push_back(grammar_.rule(rule).body);
      } else if (grammar_.has_children(at)) {
        const auto children = grammar_.children(at);
        work_.insert(work_.end(), children.rbegin(), children.rend());
      }
    }
  }

  /// The rules that `expr` refers to itself, in the order of the text; whatever was walked before.
  std::vector<RuleId> Of(ExprId expr) {
    return Of(expr, [](ExprId) { return true; });
  }
  template <typename IsPart>
  std::vector<RuleId> Of(ExprId expr, IsPart is_part) {
    ++walk_;
    std::vector<RuleId> rules;
    const auto add = [&rules](RuleId rule) {
      rules.push_back(rule);
      return false;
    };
    Walk(expr, add, is_part);
    return rules;
  }

 private:
  const Grammar& grammar_;
  std::vector<uint32_t> seen_;  ///< By expression: the number of the last walk that came to it.
  uint32_t walk_ = 1;
  std::vector<ExprId> work_;
};

/// The rules that texts of the root come to, each after those that it refers to; of rules that
/// refer to each other in a circle, the one that is met first comes last. Expressions for which
/// `is_part` is false are left out with what they refer to.
template <typename IsPart>
std::vector<RuleId> RulesInnerFirst(const Grammar& grammar, IsPart is_part) {
  struct Frame {
    RuleId rule;
    std::vector<RuleId> uses;
    size_t next = 0;
  };
  std::vector<RuleId> rules;
  std::vector<bool> seen(static_cast<size_t>(grammar.num_rules()), false);
  std::vector<Frame> stack;
  RuleRefs refs(grammar);
  const auto open = [&](RuleId rule) {
    const ExprId body = grammar.rule(rule).body;
    if (seen[static_cast<size_t>(rule)] || !is_part(body)) return;
    seen[static_cast<size_t>(rule)] = true;
    stack.push_back({rule, refs.Of(body, is_part)});
  };
  open(grammar.root());
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next < frame.uses.size()) {
      open(frame.uses[frame.next++]);
      continue;
    }
    rules.push_back(frame.rule);
    stack.pop_back();
  }
  return rules;
}

}  // namespace xgrammar
