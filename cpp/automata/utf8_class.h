// Utf8Class: a set of code points as the minimal deterministic automaton over its UTF-8 bytes.
//
// Nodes are blocks of 64^d code points; equal blocks are shared (hash-consing bottom-up, as for
// acyclic automata in Daciuk et al. 2000), so that `[^"]` takes a handful of nodes and a class of
// thousands of scattered characters stays linear in its ranges.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "automata/code_point_set.h"

namespace xgrammar {

class Utf8Class {
 public:
  struct Edge {
    uint8_t lo = 0;
    uint8_t hi = 0;
    int32_t target = 0;  ///< Node index, or kEnd.
  };
  static constexpr int32_t kEnd = -1;

  /// Precondition: ranges are sorted and disjoint, as CodePointSet keeps them.
  explicit Utf8Class(std::span<const CodePointRange> ranges);

  /// Edges of a node, sorted and disjoint.
  const std::vector<Edge>& edges(int32_t node) const { return nodes_[static_cast<size_t>(node)]; }
  int32_t num_nodes() const { return static_cast<int32_t>(nodes_.size()); }
  int32_t start() const { return start_; }

 private:
  static constexpr int32_t kNone = -2;

  int32_t BuildBlock(uint32_t first, int depth);
  int32_t InternNode(std::vector<Edge> edges);
  void AddLeadEdges(uint32_t lead_first, uint32_t lead_last, uint32_t lead_base, int depth,
                    uint32_t minimum, std::vector<Edge>* edges);

  std::vector<CodePointRange> ranges_;
  std::vector<std::vector<Edge>> nodes_;
  int32_t full_blocks_[4] = {kEnd, kNone, kNone, kNone};
  int32_t start_ = 0;
};

}  // namespace xgrammar
