// What the parser knows about the places of distinct items: which comparisons wait along a
// continuation, where a continuation is cut off for a search, and the places of a search.
//
// Data only; who makes it is distinct_chains.cc and distinct_search.cc. Texts and values are
// distinct_values.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "parser/earley_set.h"
#include "parser/item.h"

namespace xgrammar {

/// What the items that wait along a continuation say about distinct items.
struct DistinctChain {
  bool is_free = false;          ///< Some way to the end passes no item that is compared.
  std::vector<Item> compared;    ///< What returns to a comparison, outermost first.
  std::vector<Item> outermost;   ///< Those after which nothing else is compared.
  std::vector<Item> next_items;  ///< What follows a separator that is being read.
  bool is_elsewhere = false;     ///< Some way does not begin in a separator.
  bool IsOne() const { return compared.size() == 1 && !is_free && next_items.empty(); }
};

/// A continuation as far as one comparison; or a text, a list and where an item began.
struct CutKey {
  ContinuationId continuation;
  Item target;
  friend bool operator==(const CutKey&, const CutKey&) = default;
};
struct CutHash {
  size_t operator()(const CutKey& key) const {
    return static_cast<size_t>(HashItem(key.target) ^ (key.continuation * 0x9E3779B97F4A7C15ull));
  }
};

/// A place in the search for another value: the set, the text, and the values that it may become.
struct SearchPlace {
  SetId set = kDeadSet;
  std::string text;
  std::vector<uint32_t> near;
};

}  // namespace xgrammar
