// GrammarFacts: one worklist solver, used once per property.
//
// An index from each expression to its users turns the grammar into an and/or graph; whatever
// becomes true is put on the list once and counts down its users, so the cost is linear (Dowling
// and Gallier 1984). Aliases are chains of rules whose body is one reference, followed to their
// end.
#include "analysis/grammar_facts.h"

#include <functional>
#include <limits>
#include <string>

#include "grammar/any_order.h"
#include "grammar/distinct.h"
#include "support/error.h"
#include "support/work_meter.h"

namespace xgrammar {

namespace {

/// Users of each expression: the expressions it is a child of, with rule references seen as
/// children of the body.
class UserIndex {
 public:
  explicit UserIndex(const Grammar& grammar)
      : begin_(static_cast<size_t>(grammar.num_exprs()) + 1, 0) {
    ForEachEdge(grammar,
                [this](ExprId child, ExprId) { ++begin_[static_cast<size_t>(child) + 1]; });
    for (size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    users_.resize(begin_.back());
    std::vector<size_t> fill(begin_.begin(), begin_.end() - 1);
    ForEachEdge(grammar, [&](ExprId child, ExprId user) {
      users_[fill[static_cast<size_t>(child)]++] = user;
    });
  }

  std::span<const ExprId> users(ExprId expr) const {
    const size_t i = static_cast<size_t>(expr);
    return {users_.data() + begin_[i], begin_[i + 1] - begin_[i]};
  }

 private:
  static void ForEachEdge(const Grammar& grammar,
                          const std::function<void(ExprId, ExprId)>& visit) {
    for (ExprId e = 0; e < grammar.num_exprs(); ++e) {
      CountWork("checking a grammar");
      switch (grammar.kind(e)) {
        case ExprKind::kSequence:
        case ExprKind::kChoices:
        case ExprKind::kRepeat:
          for (ExprId child : grammar.children(e)) visit(child, e);
          break;
        case ExprKind::kDistinct:
          for (ExprId child : grammar.children(e)) visit(child, e);
          break;
        case ExprKind::kAnyOrder:
          // What counts is the member itself: with its quantifier it may be left out.
          visit(AnyOrderSeparator(grammar, e), e);
          for (ExprId part : AnyOrderParts(grammar, e))
            visit(ReadAnyOrderPart(grammar, part).member, e);
          break;
        case ExprKind::kRuleRef: {
          const ExprId body = grammar.rule(grammar.rule_ref(e)).body;
          if (body != kNoExpr) visit(body, e);
          break;
        }
        default:
          break;
      }
    }
  }

  std::vector<size_t> begin_;
  std::vector<ExprId> users_;
};

/// Least fixpoint: a sequence needs all children, choices, repetitions and references need one,
/// parts in any order as many as their bounds say; `is_true` decides the expressions that need
/// none, `is_false` those that it never holds for.
std::vector<uint8_t> Solve(const Grammar& grammar, const UserIndex& index,
                           const std::function<bool(ExprId)>& is_true,
                           const std::function<bool(ExprId)>& is_false) {
  std::vector<uint8_t> value(static_cast<size_t>(grammar.num_exprs()), 0);
  std::vector<int32_t> missing(value.size(), 1);
  std::vector<ExprId> work;
  for (ExprId e = 0; e < grammar.num_exprs(); ++e) {
    if (grammar.kind(e) == ExprKind::kSequence) {
      missing[static_cast<size_t>(e)] = static_cast<int32_t>(grammar.children(e).size());
    }
    if (is_false(e)) {
      missing[static_cast<size_t>(e)] = std::numeric_limits<int32_t>::max();
    } else if (is_true(e)) {
      value[static_cast<size_t>(e)] = 1;
      work.push_back(e);
    }
  }
  const auto holds = [&value](ExprId e) { return value[static_cast<size_t>(e)] != 0; };
  while (!work.empty()) {
    const ExprId e = work.back();
    work.pop_back();
    CountWork("checking a grammar");
    for (ExprId user : index.users(e)) {
      if (value[static_cast<size_t>(user)] != 0) continue;
      if (grammar.kind(user) == ExprKind::kAnyOrder) {
        if (!AnyOrderHolds(grammar, user, holds)) continue;
      } else if (grammar.kind(user) == ExprKind::kDistinct) {
        if (!DistinctHolds(grammar, user, holds)) continue;
      } else if (--missing[static_cast<size_t>(user)] > 0) {
        continue;
      }
      value[static_cast<size_t>(user)] = 1;
      work.push_back(user);
    }
  }
  return value;
}

bool IsNullableLeaf(const Grammar& grammar, ExprId e) {
  switch (grammar.kind(e)) {
    case ExprKind::kEmpty:
      return true;
    case ExprKind::kAnyOrder:
    case ExprKind::kDistinct:
      return MayHaveNoMembers(grammar, e);
    case ExprKind::kRepeat:
      return grammar.repeat_min(e) == 0;
    case ExprKind::kAutomaton:
      return grammar.automaton(e)->states()[0].accept;
    default:
      return false;
  }
}

bool IsProductiveLeaf(const Grammar& grammar, ExprId e) {
  switch (grammar.kind(e)) {
    case ExprKind::kEmpty:
    case ExprKind::kByteString:
    case ExprKind::kTokenSet:
    case ExprKind::kNamedToken:
      return true;
    case ExprKind::kCharClass:
      return !grammar.ranges(e).empty();
    case ExprKind::kAnyOrder:
    case ExprKind::kDistinct:
      return MayHaveNoMembers(grammar, e);
    case ExprKind::kRepeat:
      return grammar.repeat_min(e) == 0;
    case ExprKind::kAutomaton:
      return !grammar.automaton(e)->IsEmpty();
    default:
      return false;
  }
}

std::vector<uint8_t> SolveProductive(const Grammar& grammar, const UserIndex& index) {
  return Solve(
      grammar, index, [&](ExprId e) { return IsProductiveLeaf(grammar, e); },
      [](ExprId) { return false; });
}

std::vector<RuleId> ResolveAliases(const Grammar& grammar) {
  constexpr RuleId kUnknown = -1;
  constexpr RuleId kVisiting = -2;
  std::vector<RuleId> alias(static_cast<size_t>(grammar.num_rules()), kUnknown);
  std::vector<RuleId> path;
  for (RuleId rule = 0; rule < grammar.num_rules(); ++rule) {
    RuleId current = rule;
    path.clear();
    while (alias[static_cast<size_t>(current)] == kUnknown) {
      const ExprId body = grammar.rule(current).body;
      path.push_back(current);
      const bool is_alias = body != kNoExpr && grammar.kind(body) == ExprKind::kRuleRef &&
                            grammar.rule(current).options.empty();
      if (!is_alias) break;
      alias[static_cast<size_t>(current)] = kVisiting;
      current = grammar.rule_ref(body);
    }
    // A cycle of aliases is unproductive; any member may stand for it.
    const RuleId known = alias[static_cast<size_t>(current)];
    const RuleId target = known >= 0 ? known : current;
    for (RuleId r : path) alias[static_cast<size_t>(r)] = target;
  }
  return alias;
}

}  // namespace

bool IsProductive(const Grammar& grammar, RuleId rule) {
  const UserIndex index(grammar);
  const auto productive = SolveProductive(grammar, index);
  const ExprId body = grammar.rule(rule).body;
  return body != kNoExpr && productive[static_cast<size_t>(body)] != 0;
}

GrammarFacts::GrammarFacts(const Grammar& grammar) : alias_(ResolveAliases(grammar)) {
  const UserIndex index(grammar);
  nullable_ = Solve(
      grammar, index, [&](ExprId e) { return IsNullableLeaf(grammar, e); },
      [&](ExprId e) {
        return grammar.kind(e) == ExprKind::kRuleRef &&
               grammar.rule(grammar.rule_ref(e)).options.HasLeastLength();
      });
  productive_ = SolveProductive(grammar, index);
}

void CheckProductive(const Grammar& grammar, const GrammarFacts& facts) {
  const Rule& root = grammar.rule(grammar.root());
  if (facts.IsProductive(root.body)) return;
  Error error(ErrorKind::kUnsatisfiable, "The grammar matches no string: rule \"" +
                                             QuoteForMessage(root.name) +
                                             "\" can never be completed");
  error.Hint("give every recursive rule an alternative that ends");
  throw error;
}

}  // namespace xgrammar
