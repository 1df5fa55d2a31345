// Distinct items: what a kDistinct expression consists of, and when it matches anything.
//
// `min` to `max` items with a separator between two of them; the first ones have expressions of
// their own, all others share one. No two items spell equal JSON values (parser/value_prefix.h).
// Lowering makes it a unit of its own (lowering/distinct_unit.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "grammar/grammar.h"

namespace xgrammar {

inline ExprId DistinctSeparator(const Grammar& grammar, ExprId expr) {
  return grammar.children(expr)[0];
}
/// Of items after the first ones.
inline ExprId DistinctRest(const Grammar& grammar, ExprId expr) {
  return grammar.children(expr)[1];
}
/// Of the first items, in order.
inline std::span<const ExprId> DistinctFirst(const Grammar& grammar, ExprId expr) {
  return grammar.children(expr).subspan(2);
}

/// Whether the fewest items allowed, and what separates them, all have a property. No items at all
/// have every such property. Whether there are enough different values is not asked.
template <typename Holds>
bool DistinctHolds(const Grammar& grammar, ExprId expr, Holds holds) {
  const auto first = DistinctFirst(grammar, expr);
  const auto min = static_cast<size_t>(grammar.repeat_min(expr));
  for (size_t i = 0; i < std::min(min, first.size()); ++i) {
    if (!holds(first[i])) return false;
  }
  if (min > first.size() && !holds(DistinctRest(grammar, expr))) return false;
  return min < 2 || holds(DistinctSeparator(grammar, expr));
}

}  // namespace xgrammar
