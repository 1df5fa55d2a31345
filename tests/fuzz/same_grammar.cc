// SameGrammar: a walk over pairs of expressions with an explicit stack; each pair is looked at
// once.
//
// Rules are paired by their order with the start rule first, since printing renames them. This
// compares structure, not language: two grammars that differ may mean the same.
#include "fuzz/same_grammar.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace xgrammar::fuzz {

namespace {

std::vector<RuleId> RootFirst(const Grammar& grammar) {
  std::vector<RuleId> rules = {grammar.root()};
  for (RuleId rule = 0; rule < grammar.num_rules(); ++rule) {
    if (rule != grammar.root()) rules.push_back(rule);
  }
  return rules;
}

std::vector<int32_t> Positions(const std::vector<RuleId>& order) {
  std::vector<int32_t> positions(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    positions[static_cast<size_t>(order[i])] = static_cast<int32_t>(i);
  }
  return positions;
}

class Comparison {
 public:
  Comparison(const Grammar& left, const Grammar& right)
      : left_(left),
        right_(right),
        left_rules_(RootFirst(left)),
        right_rules_(RootFirst(right)),
        left_positions_(Positions(left_rules_)),
        right_positions_(Positions(right_rules_)) {}

  bool Run() {
    if (left_rules_.size() != right_rules_.size()) return false;
    for (size_t i = 0; i < left_rules_.size(); ++i) {
      const Rule& left = left_.rule(left_rules_[i]);
      const Rule& right = right_.rule(right_rules_[i]);
      if (left.options != right.options) return false;
      if ((left.notes == nullptr) != (right.notes == nullptr)) return false;
      if (left.notes != nullptr && *left.notes != *right.notes) return false;
      if (!Same(left.body, right.body)) return false;
      const ExprId promise = IsPromise(left_, left.lookahead) ? left.lookahead : kNoExpr;
      if ((promise == kNoExpr) != (right.lookahead == kNoExpr)) return false;
      if (promise != kNoExpr && !Same(promise, right.lookahead)) return false;
    }
    return true;
  }

 private:
  /// The promise that nothing follows in particular has no printed form.
  static bool IsPromise(const Grammar& grammar, ExprId lookahead) {
    return lookahead != kNoExpr && grammar.kind(lookahead) != ExprKind::kEmpty;
  }

  bool Same(ExprId left, ExprId right) {
    std::vector<std::pair<ExprId, ExprId>> stack = {{left, right}};
    while (!stack.empty()) {
      const auto pair = stack.back();
      stack.pop_back();
      if (!seen_.insert(pair).second) continue;
      if (!SameNode(pair.first, pair.second, &stack)) return false;
    }
    return true;
  }

  bool SameNode(ExprId left, ExprId right, std::vector<std::pair<ExprId, ExprId>>* stack) const {
    const ExprKind kind = left_.kind(left);
    if (kind != right_.kind(right)) return false;
    switch (kind) {
      case ExprKind::kEmpty:
        return true;
      case ExprKind::kByteString:
        return left_.bytes(left) == right_.bytes(right);
      case ExprKind::kCharClass:
        return std::ranges::equal(left_.ranges(left), right_.ranges(right));
      case ExprKind::kRuleRef:
        return left_positions_[static_cast<size_t>(left_.rule_ref(left))] ==
               right_positions_[static_cast<size_t>(right_.rule_ref(right))];
      case ExprKind::kAutomaton:
        return SameAutomaton(*left_.automaton(left), *right_.automaton(right));
      case ExprKind::kTokenSet:
        return left_.is_excluding(left) == right_.is_excluding(right) &&
               std::ranges::equal(left_.token_ids(left), right_.token_ids(right));
      case ExprKind::kNamedToken:
        return left_.is_excluding(left) == right_.is_excluding(right) &&
               left_.token_text(left) == right_.token_text(right);
      case ExprKind::kRepeat:
      case ExprKind::kAnyOrder:
      case ExprKind::kDistinct:
        if (left_.repeat_min(left) != right_.repeat_min(right)) return false;
        if (left_.repeat_max(left) != right_.repeat_max(right)) return false;
        break;
      case ExprKind::kSequence:
      case ExprKind::kChoices:
        break;
    }
    const auto left_parts = left_.children(left);
    const auto right_parts = right_.children(right);
    if (left_parts.size() != right_parts.size()) return false;
    for (size_t i = 0; i < left_parts.size(); ++i) {
      stack->emplace_back(left_parts[i], right_parts[i]);
    }
    return true;
  }

  static bool SameAutomaton(const CodePointDfa& left, const CodePointDfa& right) {
    return std::ranges::equal(left.states(), right.states());
  }

  const Grammar& left_;
  const Grammar& right_;
  std::vector<RuleId> left_rules_;
  std::vector<RuleId> right_rules_;
  std::vector<int32_t> left_positions_;
  std::vector<int32_t> right_positions_;
  std::set<std::pair<ExprId, ExprId>> seen_;
};

}  // namespace

bool SameGrammar(const Grammar& left, const Grammar& right) {
  return Comparison(left, right).Run();
}

}  // namespace xgrammar::fuzz
