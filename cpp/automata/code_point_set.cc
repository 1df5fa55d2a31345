// CodePointSet: normalising constructor and set algebra over sorted ranges.
//
// Every operation is one merge over two sorted range lists, so its cost is linear in the number of
// ranges and does not depend on how many code points they hold. Surrogates are cut out by the
// constructor and left out of the universe of Complement(), which is why no other function has to
// know about them.
#include "automata/code_point_set.h"

#include <algorithm>

#include "support/utf8.h"

namespace xgrammar {

namespace {

/// Appends a range that starts at or after the last one, merging it where they touch.
void AppendMerged(CodePointRange range, std::vector<CodePointRange>* out) {
  if (!out->empty() && range.lo <= out->back().hi + 1) {
    out->back().hi = std::max(out->back().hi, range.hi);
  } else {
    out->push_back(range);
  }
}

/// Appends the parts of a range below and above the surrogates.
void AppendScalars(CodePointRange range, std::vector<CodePointRange>* out) {
  if (range.lo < kSurrogateFirst) {
    AppendMerged({range.lo, std::min(range.hi, kSurrogateFirst - 1)}, out);
  }
  if (range.hi > kSurrogateLast) {
    AppendMerged({std::max(range.lo, kSurrogateLast + 1), range.hi}, out);
  }
}

}  // namespace

CodePointSet::CodePointSet(std::vector<CodePointRange> ranges) {
  const auto by_lo = [](const CodePointRange& a, const CodePointRange& b) { return a.lo < b.lo; };
  if (!std::is_sorted(ranges.begin(), ranges.end(), by_lo)) {
    std::sort(ranges.begin(), ranges.end(), by_lo);
  }
  ranges_.reserve(ranges.size());
  for (const CodePointRange& range : ranges) AppendScalars(range, &ranges_);
}

CodePointSet CodePointSet::All() { return CodePointSet({{0, kMaxCodePoint}}); }

CodePointSet CodePointSet::Single(uint32_t code_point) {
  return CodePointSet({{code_point, code_point}});
}

CodePointSet CodePointSet::Union(const CodePointSet& other) const {
  std::vector<CodePointRange> merged;
  merged.reserve(ranges_.size() + other.ranges_.size());
  std::merge(ranges_.begin(), ranges_.end(), other.ranges_.begin(), other.ranges_.end(),
             std::back_inserter(merged),
             [](const CodePointRange& a, const CodePointRange& b) { return a.lo < b.lo; });
  return CodePointSet(std::move(merged));
}

CodePointSet CodePointSet::Intersect(const CodePointSet& other) const {
  CodePointSet out;
  size_t i = 0;
  size_t j = 0;
  while (i < ranges_.size() && j < other.ranges_.size()) {
    const CodePointRange& a = ranges_[i];
    const CodePointRange& b = other.ranges_[j];
    const uint32_t lo = std::max(a.lo, b.lo);
    const uint32_t hi = std::min(a.hi, b.hi);
    if (lo <= hi) out.ranges_.push_back({lo, hi});
    if (a.hi < b.hi) {
      ++i;
    } else {
      ++j;
    }
  }
  return out;
}

CodePointSet CodePointSet::Complement() const {
  CodePointSet out;
  uint32_t next = 0;
  for (const CodePointRange& range : ranges_) {
    if (range.lo > next) AppendScalars({next, range.lo - 1}, &out.ranges_);
    next = range.hi + 1;
  }
  if (next <= kMaxCodePoint) AppendScalars({next, kMaxCodePoint}, &out.ranges_);
  return out;
}

bool CodePointSet::Contains(uint32_t code_point) const {
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), code_point,
                       [](uint32_t value, const CodePointRange& r) { return value < r.lo; });
  return after != ranges_.begin() && code_point <= std::prev(after)->hi;
}

int64_t CodePointSet::size() const {
  int64_t total = 0;
  for (const CodePointRange& range : ranges_) total += int64_t{range.hi} - range.lo + 1;
  return total;
}

}  // namespace xgrammar
