// Utf8Class: recursive descent over blocks of 64^depth code points (depth at most 3).
//
// Lead bytes split the code points by encoded length (RFC 3629), so overlong forms never appear;
// surrogates appear only if the set has them. Equal nodes are found by a search through the last
// few, which is enough for one class.
#include "automata/utf8_class.h"

#include <algorithm>
#include <utility>

namespace xgrammar {

namespace {

constexpr uint32_t BlockSize(int depth) { return 1u << (6 * depth); }

void AppendEdge(std::vector<Utf8Class::Edge>* edges, uint8_t byte, int32_t target) {
  if (!edges->empty() && edges->back().target == target && edges->back().hi + 1 == byte) {
    edges->back().hi = byte;
  } else {
    edges->push_back({byte, byte, target});
  }
}

}  // namespace

Utf8Class::Utf8Class(std::span<const CodePointRange> ranges)
    : ranges_(ranges.begin(), ranges.end()) {
  std::vector<Edge> start;
  for (const CodePointRange& r : ranges_) {
    if (r.lo > 0x7F) break;
    start.push_back(
        {static_cast<uint8_t>(r.lo), static_cast<uint8_t>(std::min(r.hi, 0x7Fu)), kEnd});
  }
  // Lead bytes and the first code point each length may spell (RFC 3629): shorter values would be
  // overlong.
  AddLeadEdges(0xC2, 0xDF, 0xC0, 1, 0x80, &start);
  AddLeadEdges(0xE0, 0xEF, 0xE0, 2, 0x800, &start);
  AddLeadEdges(0xF0, 0xF4, 0xF0, 3, 0x10000, &start);
  nodes_.push_back(std::move(start));
  start_ = num_nodes() - 1;
}

void Utf8Class::AddLeadEdges(uint32_t lead_first, uint32_t lead_last, uint32_t lead_base, int depth,
                             uint32_t minimum, std::vector<Edge>* edges) {
  // Only the part of the set that this length spells may be seen by BuildBlock.
  const uint32_t maximum = depth == 1 ? 0x7FF : depth == 2 ? 0xFFFF : 0x10FFFF;
  std::vector<CodePointRange> whole = ranges_;
  std::vector<CodePointRange> part;
  for (const CodePointRange& r : whole) {
    const uint32_t lo = std::max(r.lo, minimum);
    const uint32_t hi = std::min(r.hi, maximum);
    if (lo <= hi) part.push_back({lo, hi});
  }
  if (part.empty()) return;
  ranges_.swap(part);
  for (uint32_t lead = lead_first; lead <= lead_last; ++lead) {
    const int32_t target = BuildBlock((lead - lead_base) * BlockSize(depth), depth);
    if (target != kNone) AppendEdge(edges, static_cast<uint8_t>(lead), target);
  }
  ranges_.swap(whole);
}

int32_t Utf8Class::BuildBlock(uint32_t first, int depth) {
  const uint32_t last = first + BlockSize(depth) - 1;
  auto it = std::lower_bound(ranges_.begin(), ranges_.end(), first,
                             [](const CodePointRange& r, uint32_t value) { return r.hi < value; });
  if (it == ranges_.end() || it->lo > last) return kNone;
  const bool full = it->lo <= first && it->hi >= last;
  if (depth == 0) return kEnd;
  if (full && full_blocks_[depth] != kNone) return full_blocks_[depth];
  std::vector<Edge> edges;
  for (uint32_t i = 0; i < 64; ++i) {
    const int32_t target = BuildBlock(first + i * BlockSize(depth - 1), depth - 1);
    if (target != kNone) AppendEdge(&edges, static_cast<uint8_t>(0x80 + i), target);
  }
  const int32_t node = InternNode(std::move(edges));
  if (full) full_blocks_[depth] = node;
  return node;
}

int32_t Utf8Class::InternNode(std::vector<Edge> edges) {
  // Nodes of one class are few; recent ones are the likely equals, so a bounded backward search is
  // enough.
  constexpr size_t kSearch = 64;
  const auto same = [&edges](const std::vector<Edge>& other) {
    return std::equal(edges.begin(), edges.end(), other.begin(), other.end(),
                      [](const Edge& a, const Edge& b) {
                        return a.lo == b.lo && a.hi == b.hi && a.target == b.target;
                      });
  };
  for (size_t back = 1; back <= nodes_.size() && back <= kSearch; ++back) {
    if (same(nodes_[nodes_.size() - back])) return static_cast<int32_t>(nodes_.size() - back);
  }
  nodes_.push_back(std::move(edges));
  return num_nodes() - 1;
}

}  // namespace xgrammar
