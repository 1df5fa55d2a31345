// Alphabet: partition refinement over range segments (the idea of Paige and Tarjan 1987, one
// splitter at a time).
//
// Cost: sorting the boundaries, plus for each distinct set the number of segments it covers.
// Segments that no set covers get no symbol.
#include "automata/alphabet.h"

#include <algorithm>

#include "support/work_meter.h"

namespace xgrammar {

namespace {

uint64_t HashRanges(std::span<const CodePointRange> ranges) {
  uint64_t hash = ranges.size();
  for (const CodePointRange& range : ranges) {
    hash = (hash ^ ((uint64_t{range.lo} << 32) | range.hi)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

std::span<const CodePointRange> Alphabet::SetRanges(size_t set) const {
  return std::span(set_ranges_)
      .subspan(first_set_range_[set], first_set_range_[set + 1] - first_set_range_[set]);
}

int32_t Alphabet::AddSet(std::span<const CodePointRange> ranges) {
  const uint64_t hash = HashRanges(ranges);
  const auto [begin, end] = set_by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (std::ranges::equal(SetRanges(static_cast<size_t>(it->second)), ranges)) return it->second;
  }
  const auto id = static_cast<int32_t>(first_set_range_.size()) - 1;
  set_ranges_.insert(set_ranges_.end(), ranges.begin(), ranges.end());
  first_set_range_.push_back(set_ranges_.size());
  set_by_hash_.emplace(hash, id);
  return id;
}

void Alphabet::Partition() {
  SplitIntoSegments();
  RefineBySets();
  CollectSymbolsOfSets();
  CollectRangesOfSymbols();
}

void Alphabet::SplitIntoSegments() {
  std::vector<uint32_t> cuts;
  cuts.reserve(set_ranges_.size() * 2);
  for (const CodePointRange& range : set_ranges_) {
    cuts.push_back(range.lo);
    cuts.push_back(range.hi + 1);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  segments_.reserve(cuts.size());
  for (size_t i = 0; i + 1 < cuts.size(); ++i) segments_.push_back({cuts[i], cuts[i + 1] - 1});
}

size_t Alphabet::SegmentAt(uint32_t lo) const {
  const auto it = std::lower_bound(segments_.begin(), segments_.end(), lo,
                                   [](const CodePointRange& s, uint32_t v) { return s.lo < v; });
  return static_cast<size_t>(it - segments_.begin());
}

void Alphabet::RefineBySets() {
  // Symbol 0 holds everything no set has covered yet; each set splits every symbol it cuts in two.
  symbol_of_segment_.assign(segments_.size(), 0);
  std::vector<int32_t> size = {static_cast<int32_t>(segments_.size())};
  std::vector<int32_t> covered = {0};
  std::vector<int32_t> split_into = {-1};
  std::vector<int32_t> touched;
  std::vector<size_t> members;
  const size_t num_sets = first_set_range_.size() - 1;
  for (size_t set = 0; set < num_sets; ++set) {
    members.clear();
    touched.clear();
    for (const CodePointRange& range : SetRanges(set)) {
      for (size_t s = SegmentAt(range.lo); s < segments_.size() && segments_[s].hi <= range.hi;
           ++s) {
        members.push_back(s);
        const int32_t symbol = symbol_of_segment_[s];
        if (covered[static_cast<size_t>(symbol)]++ == 0) touched.push_back(symbol);
      }
    }
    for (int32_t symbol : touched) {
      const auto index = static_cast<size_t>(symbol);
      // A symbol that lies wholly inside the set stays as it is, except symbol 0, which must end up
      // in no set.
      if (symbol != 0 && covered[index] == size[index]) {
        split_into[index] = symbol;
      } else {
        split_into[index] = static_cast<int32_t>(size.size());
        size[index] -= covered[index];
        size.push_back(covered[index]);
        covered.push_back(0);
        split_into.push_back(-1);
      }
      covered[index] = 0;
    }
    CountWork("partitioning an alphabet", 1 + static_cast<int64_t>(members.size()) / 8);
    for (size_t s : members) {
      symbol_of_segment_[s] = split_into[static_cast<size_t>(symbol_of_segment_[s])];
    }
  }
  // Gaps are segments that only lie between ranges; they keep symbol 0, and the others move down by
  // one.
  for (int32_t& symbol : symbol_of_segment_) --symbol;
  symbol_count_ = static_cast<int32_t>(size.size()) - 1;
}

void Alphabet::CollectSymbolsOfSets() {
  std::vector<size_t> last_set(static_cast<size_t>(symbol_count_), SIZE_MAX);
  const size_t num_sets = first_set_range_.size() - 1;
  for (size_t set = 0; set < num_sets; ++set) {
    for (const CodePointRange& range : SetRanges(set)) {
      for (size_t s = SegmentAt(range.lo); s < segments_.size() && segments_[s].hi <= range.hi;
           ++s) {
        const int32_t symbol = symbol_of_segment_[s];
        if (last_set[static_cast<size_t>(symbol)] == set) continue;
        last_set[static_cast<size_t>(symbol)] = set;
        symbols_of_sets_.push_back(symbol);
      }
    }
    first_symbol_.push_back(symbols_of_sets_.size());
    CountWork("partitioning an alphabet");
  }
}

void Alphabet::CollectRangesOfSymbols() {
  std::vector<std::vector<CodePointRange>> ranges(static_cast<size_t>(symbol_count_));
  for (size_t s = 0; s < segments_.size(); ++s) {
    if (symbol_of_segment_[s] < 0) continue;
    std::vector<CodePointRange>& own = ranges[static_cast<size_t>(symbol_of_segment_[s])];
    if (!own.empty() && own.back().hi + 1 == segments_[s].lo) {
      own.back().hi = segments_[s].hi;
    } else {
      own.push_back(segments_[s]);
    }
  }
  for (size_t s = 0; s < segments_.size(); ++s) {
    const int32_t symbol = symbol_of_segment_[s];
    if (symbol < 0) continue;
    if (!ordered_.empty() && ordered_.back().symbol == symbol &&
        ordered_.back().range.hi + 1 == segments_[s].lo) {
      ordered_.back().range.hi = segments_[s].hi;
    } else {
      ordered_.push_back({segments_[s], symbol});
    }
  }
  for (const auto& own : ranges) {
    ranges_of_symbols_.insert(ranges_of_symbols_.end(), own.begin(), own.end());
    first_range_.push_back(ranges_of_symbols_.size());
  }
}

std::span<const int32_t> Alphabet::SymbolsOf(int32_t set) const {
  const auto index = static_cast<size_t>(set);
  return std::span(symbols_of_sets_)
      .subspan(first_symbol_[index], first_symbol_[index + 1] - first_symbol_[index]);
}

std::span<const CodePointRange> Alphabet::RangesOf(int32_t symbol) const {
  const auto index = static_cast<size_t>(symbol);
  return std::span(ranges_of_symbols_)
      .subspan(first_range_[index], first_range_[index + 1] - first_range_[index]);
}

}  // namespace xgrammar
