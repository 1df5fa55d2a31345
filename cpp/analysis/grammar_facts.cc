// GrammarFacts: one evaluation depth first, and a worklist solver where that does not settle it.
//
// Nearly all grammars only recur behind something that decides already (a bracket, an alternative
// that ends), so evaluating expressions once, from the parts up, answers everything. Where an
// answer is no because an expression was met inside itself, the worklist decides: an index from
// each expression to its users turns the grammar into an and/or graph; whatever becomes true is put
// on the list once and counts down its users, so the cost is linear (Dowling and Gallier 1984).
// Aliases are chains of rules whose body is one reference, followed to their end.
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

enum class Verdict : uint8_t { kYes, kNo, kByParts };

Verdict YesOrByParts(bool yes) { return yes ? Verdict::kYes : Verdict::kByParts; }

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
/// parts in any order as many as their bounds say; `verdict` decides the expressions for which the
/// parts do not matter.
std::vector<uint8_t> Solve(const Grammar& grammar, const UserIndex& index,
                           const std::function<Verdict(ExprId)>& verdict) {
  std::vector<uint8_t> value(static_cast<size_t>(grammar.num_exprs()), 0);
  std::vector<int32_t> missing(value.size(), 1);
  std::vector<ExprId> work;
  for (ExprId e = 0; e < grammar.num_exprs(); ++e) {
    if (grammar.kind(e) == ExprKind::kSequence) {
      missing[static_cast<size_t>(e)] = static_cast<int32_t>(grammar.children(e).size());
    }
    const Verdict known = verdict(e);
    if (known == Verdict::kNo) {
      missing[static_cast<size_t>(e)] = std::numeric_limits<int32_t>::max();
    } else if (known == Verdict::kYes) {
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

/// The same fixpoint by evaluation from the parts up.
template <typename VerdictOf>
class Evaluation {
 public:
  Evaluation(const Grammar& grammar, const VerdictOf& verdict)
      : grammar_(grammar), verdict_(verdict), marks_(static_cast<size_t>(grammar.num_exprs())) {}

  bool Holds(ExprId root) {
    if (mark(root) == Mark::kUnknown) Visit(root);
    return mark(root) == Mark::kTrue;
  }
  /// Whether some answer is no because an expression was asked for while it was being evaluated.
  bool is_uncertain() const { return is_uncertain_; }
  /// Forgets all answers but those that are yes, and so stay.
  void Retry() {
    for (Mark& known : marks_) known = known == Mark::kTrue ? Mark::kTrue : Mark::kUnknown;
    is_uncertain_ = false;
  }

 private:
  enum class Mark : uint8_t { kUnknown, kVisiting, kTrue, kFalse };
  struct Frame {
    ExprId expr;
    size_t next_child = 0;
    bool met_itself = false;
  };

  Mark mark(ExprId expr) const { return marks_[static_cast<size_t>(expr)]; }

  void Visit(ExprId root) {
    Open(root);
    while (!stack_.empty()) {
      const ExprId child = NextChild(&stack_.back());
      if (child != kNoExpr) Open(child);
    }
  }

  void Open(ExprId expr) {
    CountWork("checking a grammar");
    const Verdict verdict = verdict_(expr);
    if (verdict != Verdict::kByParts) {
      marks_[static_cast<size_t>(expr)] = verdict == Verdict::kYes ? Mark::kTrue : Mark::kFalse;
      return;
    }
    marks_[static_cast<size_t>(expr)] = Mark::kVisiting;
    stack_.push_back({expr});
  }

  // The next part that has to be evaluated before the frame; kNoExpr if the frame is closed.
  ExprId NextChild(Frame* frame) {
    const ExprId expr = frame->expr;
    const ExprKind kind = grammar_.kind(expr);
    const bool is_bounded = kind == ExprKind::kAnyOrder || kind == ExprKind::kDistinct;
    const bool needs_all = kind == ExprKind::kSequence;
    for (;; ++frame->next_child) {
      const ExprId child = ChildAt(expr, frame->next_child);
      if (child == kNoExpr) break;
      const Mark known = mark(child);
      if (known == Mark::kUnknown) return child;
      frame->met_itself = frame->met_itself || known == Mark::kVisiting;
      const bool holds = known == Mark::kTrue;
      if (is_bounded || holds == needs_all) continue;
      Close(holds);
      return kNoExpr;
    }
    const auto holds = [this](ExprId part) { return mark(part) == Mark::kTrue; };
    Close(kind == ExprKind::kAnyOrder   ? AnyOrderHolds(grammar_, expr, holds)
          : kind == ExprKind::kDistinct ? DistinctHolds(grammar_, expr, holds)
                                        : needs_all);
    return kNoExpr;
  }

  void Close(bool holds) {
    const Frame& frame = stack_.back();
    marks_[static_cast<size_t>(frame.expr)] = holds ? Mark::kTrue : Mark::kFalse;
    is_uncertain_ = is_uncertain_ || (!holds && frame.met_itself);
    stack_.pop_back();
  }

  ExprId ChildAt(ExprId expr, size_t index) const {
    switch (grammar_.kind(expr)) {
      case ExprKind::kSequence:
      case ExprKind::kChoices:
      case ExprKind::kRepeat:
      case ExprKind::kDistinct: {
        const auto children = grammar_.children(expr);
        return index < children.size() ? children[index] : kNoExpr;
      }
      case ExprKind::kAnyOrder: {
        if (index == 0) return AnyOrderSeparator(grammar_, expr);
        const auto parts = AnyOrderParts(grammar_, expr);
        return index <= parts.size() ? ReadAnyOrderPart(grammar_, parts[index - 1]).member
                                     : kNoExpr;
      }
      case ExprKind::kRuleRef:
        return index == 0 ? grammar_.rule(grammar_.rule_ref(expr)).body : kNoExpr;
      default:
        return kNoExpr;
    }
  }

  const Grammar& grammar_;
  const VerdictOf& verdict_;
  std::vector<Mark> marks_;
  std::vector<Frame> stack_;
  bool is_uncertain_ = false;
};

/// Of all expressions: whether the property holds.
template <typename VerdictOf>
std::vector<uint8_t> SolveAll(const Grammar& grammar, const VerdictOf& verdict) {
  constexpr int kMaxTries = 3;  // An answer that was found late settles most of those before it.
  Evaluation evaluation(grammar, verdict);
  std::vector<uint8_t> value(static_cast<size_t>(grammar.num_exprs()));
  for (int i = 0; i < kMaxTries; ++i) {
    for (ExprId e = 0; e < grammar.num_exprs(); ++e)
      value[static_cast<size_t>(e)] = evaluation.Holds(e) ? 1 : 0;
    if (!evaluation.is_uncertain()) return value;
    evaluation.Retry();
  }
  return Solve(grammar, UserIndex(grammar), verdict);
}

Verdict NullableVerdict(const Grammar& grammar, ExprId e) {
  switch (grammar.kind(e)) {
    case ExprKind::kEmpty:
      return Verdict::kYes;
    case ExprKind::kAnyOrder:
    case ExprKind::kDistinct:
      return YesOrByParts(MayHaveNoMembers(grammar, e));
    case ExprKind::kRepeat:
      return YesOrByParts(grammar.repeat_min(e) == 0);
    case ExprKind::kAutomaton:
      return grammar.automaton_accepts_empty(e) ? Verdict::kYes : Verdict::kNo;
    case ExprKind::kRuleRef:
      return grammar.rule(grammar.rule_ref(e)).options.HasLeastLength() ? Verdict::kNo
                                                                        : Verdict::kByParts;
    case ExprKind::kSequence:
    case ExprKind::kChoices:
      return Verdict::kByParts;
    default:
      return Verdict::kNo;
  }
}

Verdict ProductiveVerdict(const Grammar& grammar, ExprId e) {
  switch (grammar.kind(e)) {
    case ExprKind::kCharClass:
      return grammar.ranges(e).empty() ? Verdict::kNo : Verdict::kYes;
    case ExprKind::kAnyOrder:
    case ExprKind::kDistinct:
      return YesOrByParts(MayHaveNoMembers(grammar, e));
    case ExprKind::kRepeat:
      return YesOrByParts(grammar.repeat_min(e) == 0);
    case ExprKind::kRuleRef:
    case ExprKind::kSequence:
    case ExprKind::kChoices:
      return Verdict::kByParts;
    default:
      return Verdict::kYes;  // Builders make no empty literals and automata.
  }
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
  const ExprId body = grammar.rule(rule).body;
  if (body == kNoExpr) return false;
  const auto verdict = [&](ExprId e) { return ProductiveVerdict(grammar, e); };
  Evaluation evaluation(grammar, verdict);
  if (evaluation.Holds(body)) return true;
  return evaluation.is_uncertain() &&
         Solve(grammar, UserIndex(grammar), verdict)[static_cast<size_t>(body)] != 0;
}

GrammarFacts::GrammarFacts(const Grammar& grammar)
    : nullable_(SolveAll(grammar, [&](ExprId e) { return NullableVerdict(grammar, e); })),
      productive_(SolveAll(grammar, [&](ExprId e) { return ProductiveVerdict(grammar, e); })),
      alias_(ResolveAliases(grammar)) {}

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
