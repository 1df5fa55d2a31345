// Item: one alternative of a parse state.
//
// An Earley item (Earley 1970) is a place in a rule and where the rule began. Here the place is an
// automaton state, and "where it began" is a continuation: the interned list of items that wait for
// the rule's end. A counted repetition adds how many copies are behind it, a limit how much of
// it is used up. What needs more than a count (parts in any order, two limits) has the number of an
// interned value there (parser/parameters.h). Items are values: equal items merge,
// whatever path led to them.
#pragma once

#include <cstdint>

namespace xgrammar {

using ContinuationId = uint32_t;
/// The end of the start rule.
constexpr ContinuationId kRootContinuation = 0;

/// State of the item that says: the whole input is a complete match.
constexpr uint32_t kDoneState = 0xFFFFFFFF;

/// State of the item that says: a token ended here. Only grammars with token limits use it.
constexpr uint32_t kBoundaryState = 0xFFFFFFFD;

struct Item {
  uint32_t state = 0;
  ContinuationId continuation = 0;
  uint32_t count = 0;

  friend bool operator==(const Item&, const Item&) = default;
  friend auto operator<=>(const Item&, const Item&) = default;
};

inline uint64_t HashItem(const Item& item) {
  uint64_t h = (uint64_t{item.state} << 32) | item.continuation;
  h = (h ^ (uint64_t{item.count} * 0x9E3779B97F4A7C15ull)) * 0xFF51AFD7ED558CCDull;
  return h ^ (h >> 32);
}

}  // namespace xgrammar
