// Fsm: packing the builder's lists into flat arrays.
//
// Edges of a state lie side by side, sorted by first byte. States that only step on by an epsilon
// are skipped, so that a call whose rule ends behind it is seen as a tail call. No determinisation:
// that is for folded units.
#include "lowering/fsm.h"

#include <algorithm>

#include "support/work_meter.h"

namespace xgrammar {

uint32_t FsmBuilder::AddState() {
  CountWork("building the automaton of a rule", 2);
  states_.emplace_back();
  return num_states() - 1;
}

void FsmBuilder::AddBytes(uint32_t from, uint8_t lo, uint8_t hi, bool literal, uint32_t to) {
  states_[from].bytes.push_back({lo, hi, literal, to});
}

void FsmBuilder::AddCall(uint32_t from, UnitId unit, uint32_t to) {
  states_[from].calls.push_back({unit, to});
}

void FsmBuilder::AddTokens(uint32_t from, const TokenSet* tokens, uint32_t to) {
  states_[from].tokens.push_back({tokens, to});
}

void FsmBuilder::AddEpsilon(uint32_t from, uint32_t to) {
  if (from != to) states_[from].epsilons.push_back(to);
}

void FsmBuilder::SkipTrivialStates() {
  // A state that only steps on by one epsilon is its target: calls then see that a rule ends behind
  // them.
  std::vector<uint32_t> target(states_.size());
  for (uint32_t i = 0; i < num_states(); ++i) {
    CountWork("building the automaton of a rule");
    uint32_t s = i;
    // Epsilon cycles end the walk after as many steps as there are states.
    for (uint32_t steps = 0; steps < num_states(); ++steps) {
      const State& state = states_[s];
      if (state.accept || !state.bytes.empty() || !state.calls.empty() || !state.tokens.empty() ||
          state.epsilons.size() != 1) {
        break;
      }
      s = state.epsilons[0];
    }
    target[i] = s;
  }
  for (State& s : states_) {
    for (Fsm::ByteEdge& e : s.bytes) e.target = target[e.target];
    for (Fsm::CallEdge& e : s.calls) e.target = target[e.target];
    for (Fsm::TokenEdge& e : s.tokens) e.target = target[e.target];
    for (uint32_t& e : s.epsilons) e = target[e];
  }
}

Fsm FsmBuilder::Build() {
  SkipTrivialStates();
  Fsm fsm;
  size_t num_bytes = 0;
  size_t num_calls = 0;
  size_t num_tokens = 0;
  size_t num_epsilons = 0;
  for (const State& s : states_) {
    num_bytes += s.bytes.size();
    num_calls += s.calls.size();
    num_tokens += s.tokens.size();
    num_epsilons += s.epsilons.size();
  }
  // Reserved in full: the spans below point into these arrays.
  fsm.byte_edges_.reserve(num_bytes);
  fsm.call_edges_.reserve(num_calls);
  fsm.token_edges_.reserve(num_tokens);
  fsm.epsilon_edges_.reserve(num_epsilons);
  fsm.states_.reserve(states_.size());
  for (State& s : states_) {
    Fsm::State out;
    std::stable_sort(s.bytes.begin(), s.bytes.end(),
                     [](const Fsm::ByteEdge& a, const Fsm::ByteEdge& b) { return a.lo < b.lo; });
    const auto* bytes = fsm.byte_edges_.data() + fsm.byte_edges_.size();
    fsm.byte_edges_.insert(fsm.byte_edges_.end(), s.bytes.begin(), s.bytes.end());
    out.bytes = {bytes, s.bytes.size()};
    const auto* calls = fsm.call_edges_.data() + fsm.call_edges_.size();
    fsm.call_edges_.insert(fsm.call_edges_.end(), s.calls.begin(), s.calls.end());
    out.calls = {calls, s.calls.size()};
    const auto* tokens = fsm.token_edges_.data() + fsm.token_edges_.size();
    fsm.token_edges_.insert(fsm.token_edges_.end(), s.tokens.begin(), s.tokens.end());
    out.tokens = {tokens, s.tokens.size()};
    const auto* epsilons = fsm.epsilon_edges_.data() + fsm.epsilon_edges_.size();
    fsm.epsilon_edges_.insert(fsm.epsilon_edges_.end(), s.epsilons.begin(), s.epsilons.end());
    out.epsilons = {epsilons, s.epsilons.size()};
    for (const Fsm::ByteEdge& e : out.bytes) out.first.AddRange(e.lo, e.hi);
    out.accept = s.accept;
    fsm.states_.push_back(out);
  }
  states_.clear();
  return fsm;
}

int64_t Fsm::MemorySizeBytes() const {
  return static_cast<int64_t>(
      states_.size() * sizeof(State) + byte_edges_.size() * sizeof(ByteEdge) +
      call_edges_.size() * sizeof(CallEdge) + token_edges_.size() * sizeof(TokenEdge) +
      epsilon_edges_.size() * sizeof(uint32_t));
}

}  // namespace xgrammar
