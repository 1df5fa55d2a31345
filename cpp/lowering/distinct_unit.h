// DistinctUnit: the automaton of items no two of which are equal. Its states do not say which items
// there were; that is data of the parse item (DistinctSeen), so that a list of any length costs no
// states.
//
// Before an item, just after one, and the state in which an item returns: there the parser compares
// it with the ones before (parser/distinct.cc). Immutable.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/grammar.h"
#include "lowering/fsm.h"
#include "lowering/member_set.h"

namespace xgrammar {

struct DistinctUnit {
  static constexpr UnitId kNoUnit = 0xFFFFFFFF;
  static constexpr uint32_t kBefore = 0;
  static constexpr uint32_t kAfter = 1;
  static constexpr uint32_t kReturned = 2;
  static constexpr uint32_t kNumStates = 3;

  std::vector<UnitId> first;  ///< Of the first items; kNoUnit if there can be none.
  UnitId rest = kNoUnit;      ///< Of all others.
  UnitId separator = kNoUnit;
  int64_t min = 0;
  int64_t max = kUnbounded;

  UnitId ItemAt(uint32_t index) const { return index < first.size() ? first[index] : rest; }
  bool MayEndAt(uint32_t count) const { return int64_t{count} >= min; }
  bool MayGoOnAt(uint32_t count) const {
    if (max != kUnbounded && int64_t{count} >= max) return false;
    return ItemAt(count) != kNoUnit && (count == 0 || separator != kNoUnit);
  }
  /// The count in place of one from which no text of `horizon` bytes reaches a place where counts
  /// matter.
  uint32_t MaskCount(uint32_t count, uint32_t horizon) const {
    const int64_t last = std::max({min, static_cast<int64_t>(first.size()), int64_t{1}});
    const bool end_is_far = max == kUnbounded || int64_t{count} + horizon + 1 < max;
    if (int64_t{count} > last && end_is_far) return static_cast<uint32_t>(last);
    return count;
  }
};

/// What a parse item of such a unit knows, besides the number of items: the list of their values,
/// and in the state kReturned where in the record the item begins. In words of a MemberSet.
struct DistinctSeen {
  uint32_t count = 0;
  uint32_t values = 0;  ///< The list (parser/distinct_values.h); 0 is empty.
  uint32_t begin = 0;

  static DistinctSeen Of(const MemberSet& set) {
    return {set.count, static_cast<uint32_t>(set.word(0)),
            static_cast<uint32_t>(set.word(0) >> 32)};
  }
  uint64_t Word() const { return (uint64_t{begin} << 32) | values; }
};

/// Whether every text of an expression contains a comma outside of strings: so that a token that
/// spans two items shows it. Asked of separators; follows references a few steps only.
bool AlwaysHasComma(const Grammar& grammar, ExprId expr, int depth = 0);

}  // namespace xgrammar
