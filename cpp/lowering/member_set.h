// MemberSet: what a parse has seen of parts in any order: a set of part numbers and how many
// members there are. The set is data of a parse item, so that 2^n sets cost nothing until a text
// makes one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace xgrammar {

/// A value; the words are owned elsewhere. Bit i of the words (64 to each, no zero word at the end)
/// stands for part i.
struct MemberSet {
  uint32_t count = 0;
  std::span<const uint64_t> words;

  uint64_t word(size_t index) const { return index < words.size() ? words[index] : 0; }
};

/// Whether a bit in [begin, end) is set.
inline bool HasBitIn(std::span<const uint64_t> words, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; i = (i | 63) + 1) {
    uint64_t word = words[i >> 6] >> (i & 63);
    const uint32_t rest = end - i;
    if (rest < 64) word &= (uint64_t{1} << rest) - 1;
    if (word != 0) return true;
  }
  return false;
}

}  // namespace xgrammar
