// ByteNfa: builder of nondeterministic automata over bytes, the input of byte determinisation
// (byte_dfa.h).
//
// Thompson's construction (1968): every fragment has one entry and one exit state. Code point
// classes become minimal UTF-8 automata (utf8_class.h). Owned by one thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "automata/code_point_automaton.h"
#include "automata/code_point_set.h"

namespace xgrammar {

class ByteNfa {
 public:
  struct Edge {
    uint8_t lo = 0;
    uint8_t hi = 0;
    int32_t target = 0;
  };
  struct State {
    std::vector<Edge> edges;
    std::vector<int32_t> epsilons;
  };

  int32_t AddState() {
    states_.emplace_back();
    return static_cast<int32_t>(states_.size()) - 1;
  }
  void AddEdge(int32_t from, uint8_t lo, uint8_t hi, int32_t to) {
    states_[static_cast<size_t>(from)].edges.push_back({lo, hi, to});
  }
  void AddEpsilon(int32_t from, int32_t to) {
    states_[static_cast<size_t>(from)].epsilons.push_back(to);
  }

  /// A path that spells `bytes` between two existing states.
  void AddLiteral(int32_t from, std::string_view bytes, int32_t to);
  /// Paths for every member of the class, as UTF-8, between two existing states.
  void AddClass(int32_t from, std::span<const CodePointRange> ranges, int32_t to);
  /// A copy of the automaton, its accepting states joined to `to`.
  void AddAutomaton(int32_t from, const CodePointDfa& dfa, int32_t to);

  const std::vector<State>& states() const { return states_; }

 private:
  std::vector<State> states_;
};

}  // namespace xgrammar
