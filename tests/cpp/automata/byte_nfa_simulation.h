// ByteNfaSimulation: runs a ByteNfa by its definition, for tests: the set of states that the text
// read so far can be in, epsilon edges followed (Thompson, "Regular expression search algorithm",
// 1968).
//
// Shares nothing with subset construction, so that it can judge ByteDfa. Sets are std::set: slow,
// and only for machines of a few states.
#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "automata/byte_nfa.h"

namespace xgrammar {

class ByteNfaSimulation {
 public:
  ByteNfaSimulation(const ByteNfa& nfa, int32_t start, int32_t accept)
      : nfa_(nfa), start_(start), accept_(accept) {}

  using States = std::set<int32_t>;

  States Start() const { return Close({start_}); }
  States Next(const States& from, uint8_t byte) const {
    States to;
    for (int32_t s : from) {
      for (const ByteNfa::Edge& e : nfa_.states()[static_cast<size_t>(s)].edges) {
        if (e.lo <= byte && byte <= e.hi) to.insert(e.target);
      }
    }
    return Close(to);
  }
  bool IsAccept(const States& states) const { return states.count(accept_) > 0; }
  bool Accepts(std::string_view text) const {
    States states = Start();
    for (char c : text) states = Next(states, static_cast<uint8_t>(c));
    return IsAccept(states);
  }
  /// Whether some continuation of the text is in the language.
  bool CanFinish(const States& states) const {
    States reached = states;
    std::vector<int32_t> work(reached.begin(), reached.end());
    while (!work.empty()) {
      const int32_t s = work.back();
      work.pop_back();
      if (s == accept_) return true;
      const ByteNfa::State& state = nfa_.states()[static_cast<size_t>(s)];
      for (const ByteNfa::Edge& e : state.edges) {
        if (reached.insert(e.target).second) work.push_back(e.target);
      }
      for (int32_t t : state.epsilons) {
        if (reached.insert(t).second) work.push_back(t);
      }
    }
    return false;
  }

 private:
  States Close(States states) const {
    std::vector<int32_t> work(states.begin(), states.end());
    while (!work.empty()) {
      const int32_t s = work.back();
      work.pop_back();
      for (int32_t t : nfa_.states()[static_cast<size_t>(s)].epsilons) {
        if (states.insert(t).second) work.push_back(t);
      }
    }
    return states;
  }

  const ByteNfa& nfa_;
  const int32_t start_;
  const int32_t accept_;
};

}  // namespace xgrammar
