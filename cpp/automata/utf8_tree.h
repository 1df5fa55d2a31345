// Utf8Tree: sets of code points with a label each -> one deterministic tree over their UTF-8 bytes.
//
// Inner nodes are blocks of 64^d code points; equal blocks are shared among all sets of one tree
// (hash-consing bottom-up, as for acyclic automata in Daciuk et al. 2000), so that `[^"]` takes a
// handful of nodes, and the states of an automaton that go to one place by nearly all characters
// share what lies between their bytes. Owned by one thread while it grows.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "support/id_table.h"

namespace xgrammar {

class Utf8Tree {
 public:
  struct LabelledRange {
    uint32_t lo = 0;
    uint32_t hi = 0;
    int32_t label = 0;
    friend bool operator==(const LabelledRange&, const LabelledRange&) = default;
  };
  struct Edge {
    uint8_t lo = 0;
    uint8_t hi = 0;
    int32_t target = 0;  ///< Index of an inner node, or LabelTarget(label).
    friend bool operator==(const Edge&, const Edge&) = default;
  };
  static constexpr int32_t LabelTarget(int32_t label) { return ~label; }
  static constexpr bool IsLabel(int32_t target) { return target < 0; }

  /// The edges that read the first byte of each code point of the set; nodes are added for what
  /// follows. Sorted and disjoint. Precondition: the ranges are sorted and disjoint, labels are not
  /// negative.
  std::vector<Edge> Add(std::span<const LabelledRange> ranges);

  /// Sorted and disjoint.
  std::span<const Edge> edges(int32_t node) const {
    const size_t first = first_edge_[static_cast<size_t>(node)];
    return {edges_.data() + first, first_edge_[static_cast<size_t>(node) + 1] - first};
  }
  /// Nodes are numbered after those that they lead to.
  int32_t num_nodes() const { return static_cast<int32_t>(first_edge_.size()) - 1; }

 private:
  void AppendEdges(std::span<const LabelledRange> ranges, int depth, uint8_t base,
                   std::vector<Edge>* out);
  int32_t FullBlock(int depth, int32_t label);
  int32_t InternNode(std::span<const Edge> edges);

  std::vector<Edge> edges_;
  std::vector<size_t> first_edge_ = {0};
  IdTable index_;
  std::unordered_map<uint64_t, int32_t> full_blocks_;  ///< By label and depth.
};

}  // namespace xgrammar
