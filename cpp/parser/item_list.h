// Lists of items as values: order, equality, hash.
//
// Stage: parser. A sorted list without repetitions is what kernels and continuations are interned
// by.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "parser/item.h"

namespace xgrammar {

inline uint64_t HashItems(std::span<const Item> items) {
  uint64_t h = items.size() * 0x9E3779B97F4A7C15ull;
  for (const Item& item : items) {
    h = (h ^ HashItem(item)) * 0xFF51AFD7ED558CCDull;
    h ^= h >> 29;
  }
  return h;
}

inline bool SameItems(std::span<const Item> a, std::span<const Item> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

inline void SortUnique(std::vector<Item>* items) {
  if (items->size() < 2) return;
  std::sort(items->begin(), items->end());
  items->erase(std::unique(items->begin(), items->end()), items->end());
}

}  // namespace xgrammar
