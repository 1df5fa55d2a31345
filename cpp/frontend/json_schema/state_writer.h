// StateWriter: automata over characters that are written state by state (the parts of the format
// `regex`).
//
// States are numbers, so that an edge may lead to one that is written later. Nothing is made
// deterministic or minimal here: who writes sees to it.
#pragma once

#include <cstdint>
#include <vector>

namespace xgrammar::json_schema {

/// `State` has `edges` with `lo`, `hi` and `target`.
template <typename State>
class StateWriter {
 protected:
  State& At(int32_t state) { return states_[static_cast<size_t>(state)]; }
  int32_t Add() {
    states_.emplace_back();
    return static_cast<int32_t>(states_.size() - 1);
  }
  void AddEdge(int32_t from, uint32_t lo, uint32_t hi, int32_t to) {
    At(from).edges.push_back({lo, hi, to});
  }

  std::vector<State> states_;
};

}  // namespace xgrammar::json_schema
