// GrammarBuilder::Import: copying the rules of a finished grammar into one under construction.
//
// Children have smaller ids than their parents (builder.cc), so one upward sweep rebuilds what the
// rules use; no recursion, linear in the size of the other grammar.
#include <utility>
#include <vector>

#include "grammar/builder.h"

namespace xgrammar {

ExprId GrammarBuilder::ImportExpr(const Grammar& other, ExprId id,
                                  const std::vector<RuleId>& rule_ids,
                                  const std::vector<ExprId>& expr_ids, bool is_edited) {
  switch (other.kind(id)) {
    case ExprKind::kEmpty:
      return AddEmpty();
    case ExprKind::kByteString:
      return AddByteString(other.bytes(id));
    case ExprKind::kCharClass:
      return InternRanges(other.ranges(id));
    case ExprKind::kRuleRef:
      return AddRuleRef(rule_ids[static_cast<size_t>(other.rule_ref(id))]);
    case ExprKind::kRepeat:
      return AddRepeat(expr_ids[static_cast<size_t>(other.children(id)[0])], other.repeat_min(id),
                       other.repeat_max(id));
    case ExprKind::kAutomaton:
      if (LateAutomatonPtr late = other.late_automaton(id))
        return AddLateAutomaton(std::move(late));
      return AddAutomaton(other.automaton(id));
    case ExprKind::kTokenSet: {
      std::span<const int32_t> ids = other.token_ids(id);
      return AddTokenSet({ids.begin(), ids.end()}, other.is_excluding(id));
    }
    case ExprKind::kNamedToken:
      return AddNamedToken(other.token_text(id), other.is_excluding(id));
    case ExprKind::kSequence:
    case ExprKind::kChoices:
    case ExprKind::kAnyOrder:
    case ExprKind::kDistinct:
      break;
  }
  std::vector<ExprId> children;
  children.reserve(other.children(id).size());
  for (ExprId child : other.children(id)) {
    children.push_back(expr_ids[static_cast<size_t>(child)]);
  }
  if (other.kind(id) == ExprKind::kAnyOrder) {
    return AddAnyOrder(children[0], std::span<const ExprId>(children).subspan(1),
                       other.repeat_min(id), other.repeat_max(id));
  }
  if (other.kind(id) == ExprKind::kDistinct) {
    return AddDistinct(children[0], children[1], std::span<const ExprId>(children).subspan(2),
                       other.repeat_min(id), other.repeat_max(id));
  }
  // What was simplified there is so here: different expressions get different ids.
  if (!is_edited) return InternChildren(other.kind(id), children);
  return other.kind(id) == ExprKind::kSequence ? AddSequence(children) : AddChoices(children);
}

void GrammarBuilder::ImportBodies(const Grammar& other, const std::vector<RuleId>& new_ids,
                                  const ImportEdits& edits) {
  std::vector<bool> used = other.UsedExprs();
  std::vector<ExprId> expr_ids(used.size(), kNoExpr);
  const bool is_edited = edits.replace != nullptr;
  for (ExprId id = 0; id < other.num_exprs(); ++id) {
    if (!used[static_cast<size_t>(id)]) continue;
    ExprId& new_id = expr_ids[static_cast<size_t>(id)];
    if (is_edited) new_id = edits.replace(id);
    if (new_id == kNoExpr) new_id = ImportExpr(other, id, new_ids, expr_ids, is_edited);
  }
  for (RuleId id = 0; id < other.num_rules(); ++id) {
    const Rule& rule = other.rule(id);
    RuleId new_id = new_ids[static_cast<size_t>(id)];
    if (new_id < 0) continue;
    SetBody(new_id, expr_ids[static_cast<size_t>(rule.body)]);
    SetOptions(new_id, rule.options);
    if (rule.notes != nullptr) SetNotes(new_id, *rule.notes);
    if (rule.lookahead != kNoExpr) {
      SetLookahead(new_id, expr_ids[static_cast<size_t>(rule.lookahead)]);
    }
  }
}

std::vector<RuleId> GrammarBuilder::Import(const Grammar& other) { return ImportEdited(other, {}); }

std::vector<RuleId> GrammarBuilder::ImportEdited(const Grammar& other, const ImportEdits& edits) {
  std::vector<RuleId> new_ids;
  new_ids.reserve(static_cast<size_t>(other.num_rules()));
  for (RuleId id = 0; id < other.num_rules(); ++id) {
    const bool is_skipped = !edits.skip.empty() && edits.skip[static_cast<size_t>(id)];
    const Rule& rule = other.rule(id);
    new_ids.push_back(is_skipped ? -1 : AddRule(UnusedName(rule.name), rule.kind));
  }
  ImportBodies(other, new_ids, edits);
  return new_ids;
}

}  // namespace xgrammar
