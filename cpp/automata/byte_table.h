// ByteTable: a deterministic automaton over bytes while it is made, and the byte classes that the
// makers and ByteDfa share.
//
// Makers fill whole rows in any order of states; MakeByteDfa (byte_dfa.cc) brings a table into the
// one form that equal languages share. Nothing here merges states.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace xgrammar {

class ByteDfa;

/// Bytes that no edge tells apart are one class; classes are numbered in the order of their bytes.
struct ByteClasses {
  uint32_t count = 1;
  std::array<uint8_t, 256> of{};
};

/// Collects the edges that tell bytes apart.
class ByteBoundaries {
 public:
  void Add(uint32_t lo, uint32_t hi) {
    begins_[lo] = true;
    begins_[hi + 1] = true;
  }
  ByteClasses Classes() const {
    ByteClasses classes;
    for (size_t b = 1; b < classes.of.size(); ++b) {
      if (begins_[b]) ++classes.count;
      classes.of[b] = static_cast<uint8_t>(classes.count - 1);
    }
    return classes;
  }

 private:
  std::array<bool, 257> begins_{};
};

struct ByteTable {
  /// Entries of one table; more would be too much memory for one automaton.
  static constexpr size_t kMaxEntries = size_t{1} << 24;

  ByteClasses classes;
  std::vector<uint32_t> targets;  ///< Rows of classes.count states, or ByteDfa::kDead.
  std::vector<uint8_t> accept;

  uint32_t num_states() const { return static_cast<uint32_t>(accept.size()); }
};

/// Trims dead states, merges equivalent ones unless there are very many, and numbers what is left
/// in breadth-first order. State 0 is the start.
ByteDfa MakeByteDfa(ByteTable table);

}  // namespace xgrammar
