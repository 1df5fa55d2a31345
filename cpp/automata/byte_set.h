// ByteSet: a set of byte values in 256 bits.
//
// Ranges are filled and members counted by words; a value to be copied freely. Sets of code points
// are code_point_set.h.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace xgrammar {

struct ByteSet {
  std::array<uint64_t, 4> words{};

  void Add(uint8_t byte) { words[byte >> 6] |= uint64_t{1} << (byte & 63); }
  void AddRange(uint8_t lo, uint8_t hi) {
    for (size_t w = lo >> 6; w <= size_t{hi} >> 6; ++w) {
      const uint64_t from = w == size_t{lo} >> 6 ? ~uint64_t{0} << (lo & 63) : ~uint64_t{0};
      const uint64_t to = w == size_t{hi} >> 6 ? ~uint64_t{0} >> (63 - (hi & 63)) : ~uint64_t{0};
      words[w] |= from & to;
    }
  }
  bool Intersects(const ByteSet& other) const {
    for (size_t i = 0; i < words.size(); ++i) {
      if ((words[i] & other.words[i]) != 0) return true;
    }
    return false;
  }
  bool Contains(uint8_t byte) const { return ((words[byte >> 6] >> (byte & 63)) & 1) != 0; }
  void Merge(const ByteSet& other) {
    for (size_t i = 0; i < words.size(); ++i) words[i] |= other.words[i];
  }
  bool empty() const { return (words[0] | words[1] | words[2] | words[3]) == 0; }
  int size() const {
    int count = 0;
    for (uint64_t word : words) count += std::popcount(word);
    return count;
  }
  /// The smallest member; precondition: not empty.
  uint8_t First() const {
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i] != 0)
        return static_cast<uint8_t>(i * 64 + static_cast<size_t>(std::countr_zero(words[i])));
    }
    return 0;
  }
};

}  // namespace xgrammar
