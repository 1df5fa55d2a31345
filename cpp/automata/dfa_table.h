// DfaTable: a deterministic table of code point ranges under construction, in three flat arrays.
//
// States are written one after another, each with all of its edges, so that a table of thousands of
// states costs a handful of allocations. Targets may be states that come later. CodePointDfa trims
// and numbers a table; FoldStates (fold_states.h) makes one minimal.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace xgrammar {

/// Characters lo..hi lead to the target.
struct CodePointEdge {
  uint32_t lo = 0;
  uint32_t hi = 0;
  int32_t target = 0;
  friend bool operator==(const CodePointEdge&, const CodePointEdge&) = default;
};

/// The start is state 0.
class DfaTable {
 public:
  int32_t num_states() const { return static_cast<int32_t>(accept_.size()); }
  size_t num_edges() const { return edges_.size(); }
  bool accepts(int32_t state) const { return accept_[static_cast<size_t>(state)] != 0; }
  std::span<const CodePointEdge> edges(int32_t state) const {
    const auto index = static_cast<size_t>(state);
    return {edges_.data() + first_[index], first_[index + 1] - first_[index]};
  }
  std::span<CodePointEdge> edges(int32_t state) {
    const auto index = static_cast<size_t>(state);
    return {edges_.data() + first_[index], first_[index + 1] - first_[index]};
  }

  void Reserve(size_t num_states, size_t num_edges) {
    accept_.reserve(num_states);
    first_.reserve(num_states + 1);
    edges_.reserve(num_edges);
  }
  /// Adds an edge to the state that is being written.
  void AddEdge(uint32_t lo, uint32_t hi, int32_t target) { edges_.push_back({lo, hi, target}); }
  /// The same; an edge that goes on where the last one of this state ends, to the same target,
  /// makes it longer.
  void AppendEdge(uint32_t lo, uint32_t hi, int32_t target) {
    if (edges_.size() > first_.back()) {
      CodePointEdge& last = edges_.back();
      if (last.target == target && last.hi + 1 == lo) {
        last.hi = hi;
        return;
      }
    }
    edges_.push_back({lo, hi, target});
  }
  /// The edges of the state that is being written.
  std::span<CodePointEdge> open_edges() {
    return {edges_.data() + first_.back(), edges_.size() - first_.back()};
  }
  /// Where the edges of a state begin among those of all states.
  size_t first_edge(int32_t state) const { return first_[static_cast<size_t>(state)]; }
  /// The edges of all states, which the table has no more.
  std::vector<CodePointEdge> TakeEdges() { return std::move(edges_); }
  void DropOpenEdges() { edges_.resize(first_.back()); }
  /// Ends the state that is being written and returns its number.
  int32_t EndState(bool accept) {
    first_.push_back(edges_.size());
    accept_.push_back(accept ? 1 : 0);
    return num_states() - 1;
  }

 private:
  std::vector<CodePointEdge> edges_;
  std::vector<size_t> first_ = {0};
  std::vector<uint8_t> accept_;
};

}  // namespace xgrammar
