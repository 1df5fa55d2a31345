// Utf8Tree: descent over blocks of 64^depth code points (depth at most 3), guided by the ranges, so
// that the cost follows the number of ranges and not the number of blocks.
//
// Lead bytes split the code points by encoded length (RFC 3629), so overlong forms never appear;
// surrogates appear only if a set has them.
#include "automata/utf8_tree.h"

#include <algorithm>
#include <array>

namespace xgrammar {

namespace {

struct EncodedLength {
  uint32_t first;
  uint32_t last;
  uint8_t lead_base;
};
// Shorter values than `first` would be overlong.
constexpr std::array<EncodedLength, 4> kEncodedLengths = {
    {{0, 0x7F, 0}, {0x80, 0x7FF, 0xC0}, {0x800, 0xFFFF, 0xE0}, {0x10000, 0x10FFFF, 0xF0}}};
constexpr uint8_t kContinuation = 0x80;

void AppendEdge(uint32_t lo, uint32_t hi, int32_t target, std::vector<Utf8Tree::Edge>* edges) {
  if (!edges->empty() && edges->back().target == target && edges->back().hi + 1u == lo) {
    edges->back().hi = static_cast<uint8_t>(hi);
  } else {
    edges->push_back({static_cast<uint8_t>(lo), static_cast<uint8_t>(hi), target});
  }
}

}  // namespace

std::vector<Utf8Tree::Edge> Utf8Tree::Add(std::span<const LabelledRange> ranges) {
  std::vector<Edge> edges;
  std::vector<LabelledRange> part;
  for (size_t depth = 0; depth < kEncodedLengths.size(); ++depth) {
    const EncodedLength& length = kEncodedLengths[depth];
    part.clear();
    for (const LabelledRange& r : ranges) {
      const uint32_t lo = std::max(r.lo, length.first);
      const uint32_t hi = std::min(r.hi, length.last);
      if (lo <= hi) part.push_back({lo, hi, r.label});
    }
    if (depth > 0) {
      AppendEdges(part, static_cast<int>(depth), length.lead_base, &edges);
      continue;
    }
    for (const LabelledRange& r : part) AppendEdge(r.lo, r.hi, LabelTarget(r.label), &edges);
  }
  return edges;
}

/// The edges of a block whose next byte tells blocks of 64^depth code points apart.
void Utf8Tree::AppendEdges(std::span<const LabelledRange> ranges, int depth, uint8_t base,
                           std::vector<Edge>* out) {
  const int shift = 6 * depth;
  const auto byte_of = [&](uint32_t code_point) { return base + ((code_point >> shift) & 63); };
  std::vector<LabelledRange> part;
  std::vector<Edge> edges;
  for (size_t i = 0; i < ranges.size();) {
    uint32_t lo = ranges[i].lo;
    // What is left of a range begins inside a block (then the block is mixed), or fills some whole.
    while (lo <= ranges[i].hi) {
      const uint32_t first = lo >> shift << shift;
      const uint32_t last = first + ((1u << shift) - 1);
      if (lo == first && ranges[i].hi >= last) {
        const uint32_t end = (ranges[i].hi + 1) >> shift << shift;
        AppendEdge(byte_of(lo), byte_of(end - 1), FullBlock(depth, ranges[i].label), out);
        lo = end;
        continue;
      }
      part.clear();
      part.push_back({lo, std::min(ranges[i].hi, last), ranges[i].label});
      while (part.back().hi == ranges[i].hi && i + 1 < ranges.size() && ranges[i + 1].lo <= last) {
        ++i;
        part.push_back({ranges[i].lo, std::min(ranges[i].hi, last), ranges[i].label});
      }
      edges.clear();
      AppendEdges(part, depth - 1, kContinuation, &edges);
      AppendEdge(byte_of(first), byte_of(first), InternNode(edges), out);
      lo = part.back().hi + 1;
    }
    ++i;
  }
}

int32_t Utf8Tree::FullBlock(int depth, int32_t label) {
  if (depth == 0) return LabelTarget(label);
  const uint64_t key = uint64_t{static_cast<uint32_t>(label)} * 4 + static_cast<uint64_t>(depth);
  const auto known = full_blocks_.find(key);
  if (known != full_blocks_.end()) return known->second;
  const Edge all{kContinuation, kContinuation + 63, FullBlock(depth - 1, label)};
  const int32_t node = InternNode({&all, 1});
  full_blocks_.emplace(key, node);
  return node;
}

int32_t Utf8Tree::InternNode(std::span<const Edge> edges) {
  uint64_t hash = edges.size();
  for (const Edge& e : edges) {
    const uint64_t value =
        uint64_t{static_cast<uint32_t>(e.target)} << 16 | uint64_t{e.lo} << 8 | uint64_t{e.hi};
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 29;
  }
  const uint32_t known = index_.Find(hash, [&](uint32_t id) {
    return std::ranges::equal(this->edges(static_cast<int32_t>(id)), edges);
  });
  if (known != IdTable::kNotFound) return static_cast<int32_t>(known);
  const int32_t node = num_nodes();
  edges_.insert(edges_.end(), edges.begin(), edges.end());
  first_edge_.push_back(edges_.size());
  index_.Insert(hash, static_cast<uint32_t>(node));
  return node;
}

}  // namespace xgrammar
