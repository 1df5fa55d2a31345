// Utf8Class: a set of code points as the minimal deterministic automaton over its UTF-8 bytes.
//
// A Utf8Tree of one set, with the start as a node like the others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "automata/code_point_set.h"
#include "automata/utf8_tree.h"

namespace xgrammar {

class Utf8Class {
 public:
  using Edge = Utf8Tree::Edge;  ///< The target is a node index, or kEnd.
  static constexpr int32_t kEnd = Utf8Tree::LabelTarget(0);

  /// Precondition: ranges are sorted and disjoint, as CodePointSet keeps them.
  explicit Utf8Class(std::span<const CodePointRange> ranges) {
    std::vector<Utf8Tree::LabelledRange> labelled;
    labelled.reserve(ranges.size());
    for (const CodePointRange& r : ranges) labelled.push_back({r.lo, r.hi, 0});
    start_edges_ = tree_.Add(labelled);
  }

  /// Edges of a node, sorted and disjoint.
  std::span<const Edge> edges(int32_t node) const {
    return node == start() ? std::span<const Edge>(start_edges_) : tree_.edges(node);
  }
  int32_t num_nodes() const { return tree_.num_nodes() + 1; }
  int32_t start() const { return tree_.num_nodes(); }

 private:
  Utf8Tree tree_;
  std::vector<Edge> start_edges_;
};

}  // namespace xgrammar
