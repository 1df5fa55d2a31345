// Alphabet: the coarsest partition of the code points that a family of sets can tell apart.
//
// Subset construction and minimisation work on its symbols (small integers, one for each block of
// the partition) instead of on code points or ranges, so a class of thousands of scattered
// characters costs as much as one letter. Blocks are found by refinement over the segments between
// range boundaries; no table over all code points is made. Internal to the code point automata.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "automata/code_point_set.h"

namespace xgrammar {

/// Owned by one thread. Call AddSet for every set, then Partition once, then the queries.
class Alphabet {
 public:
  /// Sorted, disjoint ranges; returns an index, the same one for equal sets.
  int32_t AddSet(std::span<const CodePointRange> ranges);
  void Partition();

  int32_t num_symbols() const { return static_cast<int32_t>(first_range_.size()) - 1; }
  /// The symbols whose union is the set.
  std::span<const int32_t> SymbolsOf(int32_t set) const;
  /// The code points of a symbol.
  std::span<const CodePointRange> RangesOf(int32_t symbol) const;
  struct Segment {
    CodePointRange range;
    int32_t symbol = 0;
  };
  /// The ranges of all symbols in order.
  std::span<const Segment> Segments() const { return ordered_; }

 private:
  void SplitIntoSegments();
  void RefineBySets();
  void CollectSymbolsOfSets();
  void CollectRangesOfSymbols();
  std::span<const CodePointRange> SetRanges(size_t set) const;
  /// First segment of a set's range; the range ends with the segment whose `hi` is the range's.
  size_t SegmentAt(uint32_t lo) const;

  std::vector<CodePointRange> set_ranges_;
  std::vector<size_t> first_set_range_ = {0};
  std::unordered_multimap<uint64_t, int32_t> set_by_hash_;

  std::vector<CodePointRange> segments_;
  std::vector<int32_t> symbol_of_segment_;
  int32_t symbol_count_ = 0;

  std::vector<int32_t> symbols_of_sets_;
  std::vector<size_t> first_symbol_ = {0};
  std::vector<CodePointRange> ranges_of_symbols_;
  std::vector<size_t> first_range_ = {0};
  std::vector<Segment> ordered_;
};

}  // namespace xgrammar
