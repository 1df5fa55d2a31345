// Grammar: reading expression nodes out of the pools they are stored in.
//
// Each kind of node keeps its variable-length part in one shared pool (bytes, ranges, children), so
// that a node is twelve bytes and a grammar is a handful of allocations. GrammarBuilder fills the
// pools; nothing here changes them.
#include "grammar/grammar.h"

namespace xgrammar {

std::string_view Grammar::bytes(ExprId id) const {
  const Expr& expr = exprs_[static_cast<size_t>(id)];
  return std::string_view(bytes_).substr(static_cast<size_t>(expr.offset),
                                         static_cast<size_t>(expr.count));
}

std::span<const CodePointRange> Grammar::ranges(ExprId id) const {
  const Expr& expr = exprs_[static_cast<size_t>(id)];
  return std::span<const CodePointRange>(ranges_).subspan(static_cast<size_t>(expr.offset),
                                                          static_cast<size_t>(expr.count));
}

std::span<const ExprId> Grammar::children(ExprId id) const {
  const Expr& expr = exprs_[static_cast<size_t>(id)];
  int32_t count = expr.count;
  // What has bounds uses `count` for them.
  if (expr.kind == ExprKind::kRepeat || expr.kind == ExprKind::kAnyOrder ||
      expr.kind == ExprKind::kDistinct)
    count = repeats_[static_cast<size_t>(count)].num_children;
  return std::span<const ExprId>(children_).subspan(static_cast<size_t>(expr.offset),
                                                    static_cast<size_t>(count));
}

bool Grammar::has_children(ExprId id) const {
  switch (kind(id)) {
    case ExprKind::kSequence:
    case ExprKind::kChoices:
    case ExprKind::kRepeat:
    case ExprKind::kAnyOrder:
    case ExprKind::kDistinct:
      return true;
    default:
      return false;
  }
}

std::vector<bool> Grammar::UsedExprs() const {
  std::vector<bool> used(exprs_.size(), false);
  for (const Rule& rule : rules_) {
    if (rule.body != kNoExpr) used[static_cast<size_t>(rule.body)] = true;
    if (rule.lookahead != kNoExpr) used[static_cast<size_t>(rule.lookahead)] = true;
  }
  // Children have smaller ids than their parents, so one downward sweep reaches everything.
  for (ExprId id = num_exprs() - 1; id >= 0; --id) {
    if (!has_children(id) || !used[static_cast<size_t>(id)]) continue;
    for (ExprId child : children(id)) used[static_cast<size_t>(child)] = true;
  }
  return used;
}

bool Grammar::automaton_accepts_empty(ExprId id) const {
  const LateAutomatonPtr late = late_automaton(id);
  return late ? late->accepts_empty() : automaton(id)->states()[0].accept;
}

int64_t Grammar::automaton_size(ExprId id) const {
  const LateAutomatonPtr late = late_automaton(id);
  if (late) return late->size();
  return static_cast<int64_t>(automaton(id)->states().size()) + automaton(id)->num_edges();
}

int64_t Grammar::MemorySizeBytes() const {
  size_t size = sizeof(Grammar) + bytes_.capacity() + exprs_.capacity() * sizeof(Expr) +
                children_.capacity() * sizeof(ExprId) +
                ranges_.capacity() * sizeof(CodePointRange) +
                token_ids_.capacity() * sizeof(int32_t) +
                repeats_.capacity() * sizeof(RepeatBounds) + rules_.capacity() * sizeof(Rule);
  for (const Rule& rule : rules_) size += rule.name.capacity();
  for (const CodePointDfaPtr& dfa : automata_) {
    size += sizeof(CodePointDfaPtr) + sizeof(CodePointDfa);
    size += dfa->states().size() * sizeof(CodePointDfa::StateView) +
            static_cast<size_t>(dfa->num_edges()) * sizeof(CodePointDfa::Edge);
  }
  // What is not made yet counts as if it was: the size of a grammar does not change.
  for (const LateAutomatonPtr& late : late_automata_) {
    size += sizeof(LateAutomatonPtr) + sizeof(LateAutomaton) + sizeof(CodePointDfa) +
            static_cast<size_t>(late->size()) * sizeof(CodePointDfa::Edge);
  }
  return static_cast<int64_t>(size);
}

}  // namespace xgrammar
