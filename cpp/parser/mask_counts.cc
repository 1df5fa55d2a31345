// The normal form of items for masks: counts that no token can bring near a bound are one count,
// and of distinct items only their number is left.
//
// Part of Parser. Sets that differ in nothing else have one mask (design notes 0004, 0017, 0018 and
// 0021).
#include "parser/parser.h"

namespace xgrammar {

uint32_t Parser::MaskCount(uint32_t state, uint32_t count) {
  if (count == 0) return count;
  const Unit& unit = units_.UnitOfState(state);
  if (unit.kind == Unit::Kind::kAnyOrder) {
    const MemberSet seen = parameters_[count];
    const uint32_t normal = unit.any_order->MaskCount(seen, count_horizon_);
    return normal == seen.count ? count : parameters_.Intern({normal, seen.words});
  }
  if (unit.kind == Unit::Kind::kDistinct) {
    const uint32_t normal = unit.distinct->MaskCount(parameters_[count].count, count_horizon_);
    return parameters_.Intern({normal, {}});
  }
  if (unit.meter != nullptr) return unit.meter->NormalCount(count, count_horizon_);
  if (unit.kind == Unit::Kind::kLimitedDfa) {
    LimitCounts used = UsedLimits(unit, count);
    const bool is_used_up = unit.IsUsedUp(used);
    const bool is_far = int64_t{used.code_points} + count_horizon_ < unit.options.max_chars;
    const bool by_tokens = unit.IsUsedUp({0, used.tokens});
    // Of a limit that is used up it does not matter how far the other one is.
    if (is_used_up ? by_tokens : is_far) used.code_points = 0;
    if (used.tokens != Unit::kEntered && !by_tokens) used.tokens = 1;
    return CountOfLimits(unit, used);
  }
  if (unit.kind != Unit::Kind::kCountedDfa && unit.kind != Unit::Kind::kCountedCall) return count;
  const int64_t c = count;
  const int64_t horizon = int64_t{count_horizon_} + 1;
  const bool end_is_far = unit.max == kUnbounded || c + horizon < unit.max;
  if (c + horizon < unit.min) return 0;  // Then the end is far from 0 as well.
  if (c >= unit.min && end_is_far) return static_cast<uint32_t>(unit.min);
  return count;
}

Item Parser::MaskItem(const Item& item) {
  if (item.state == kDoneState || item.state == kBoundaryState) return item;
  return {item.state, continuations_[item.continuation].mask_continuation,
          MaskCount(item.state, item.count)};
}

}  // namespace xgrammar
