// Parts in any order: reading quantifiers, counting members.
//
// The rules for when such an expression holds a property (empty, productive) are written once here,
// for analysis and lowering alike; matching is lowering/any_order_unit.h.
#include "grammar/any_order.h"

#include <algorithm>

namespace xgrammar {

AnyOrderPart ReadAnyOrderPart(const Grammar& grammar, ExprId part) {
  if (grammar.kind(part) != ExprKind::kRepeat) return {part, true, true};
  const int64_t min = grammar.repeat_min(part);
  const int64_t max = grammar.repeat_max(part);
  const bool is_quantifier = (min == 0 && max == 1) || (min <= 1 && max == kUnbounded);
  if (!is_quantifier) return {part, true, true};
  return {grammar.children(part)[0], min == 1, max == 1};
}

bool AnyOrderHolds(const Grammar& grammar, ExprId expr, const std::function<bool(ExprId)>& holds) {
  int64_t num_required = 0;
  int64_t num_single = 0;
  bool has_unlimited = false;
  for (ExprId id : AnyOrderParts(grammar, expr)) {
    const AnyOrderPart part = ReadAnyOrderPart(grammar, id);
    const bool part_holds = holds(part.member);
    if (part.required && !part_holds) return false;
    num_required += part.required ? 1 : 0;
    num_single += part_holds ? 1 : 0;
    has_unlimited = has_unlimited || (part_holds && !part.once);
  }
  const int64_t fewest = std::max(grammar.repeat_min(expr), num_required);
  const int64_t most = grammar.repeat_max(expr);
  if (most != kUnbounded && fewest > most) return false;
  if (fewest > num_single && !has_unlimited) return false;
  return fewest < 2 || holds(AnyOrderSeparator(grammar, expr));
}

}  // namespace xgrammar
