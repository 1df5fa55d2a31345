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
  accept_.push_back(0);
  return num_states() - 1;
}

void FsmBuilder::AddBytes(uint32_t from, uint8_t lo, uint8_t hi, bool literal, uint32_t to) {
  bytes_.push_back({from, {lo, hi, literal, to}});
}

void FsmBuilder::AddCall(uint32_t from, UnitId unit, uint32_t to) {
  calls_.push_back({from, {unit, to}});
}

void FsmBuilder::AddTokens(uint32_t from, const TokenSet* tokens, uint32_t to) {
  tokens_.push_back({from, {tokens, to}});
}

void FsmBuilder::AddEpsilon(uint32_t from, uint32_t to) {
  if (from != to) epsilons_.push_back({from, to});
}

/// A state that only steps on by one epsilon is its target: calls then see that a rule ends behind
/// them. By state: what it stands for.
std::vector<uint32_t> FsmBuilder::TrivialTargets() const {
  constexpr uint32_t kNoTarget = 0xFFFFFFFF;
  std::vector<uint32_t> only(num_states(), kNoTarget);
  std::vector<uint8_t> is_kept = accept_;
  for (const auto& e : epsilons_) {
    if (only[e.from] != kNoTarget) is_kept[e.from] = 1;
    only[e.from] = e.edge;
  }
  for (const auto& e : bytes_) is_kept[e.from] = 1;
  for (const auto& e : calls_) is_kept[e.from] = 1;
  for (const auto& e : tokens_) is_kept[e.from] = 1;
  std::vector<uint32_t> target(num_states());
  for (uint32_t i = 0; i < num_states(); ++i) {
    CountWork("building the automaton of a rule");
    uint32_t s = i;
    // Epsilon cycles end the walk after as many steps as there are states.
    for (uint32_t steps = 0; steps < num_states(); ++steps) {
      if (is_kept[s] != 0 || only[s] == kNoTarget) break;
      s = only[s];
    }
    target[i] = s;
  }
  return target;
}

template <typename Edge>
std::vector<uint32_t> FsmBuilder::Group(const Edges<Edge>& edges, std::vector<Edge>* out) const {
  std::vector<uint32_t> begin(size_t{num_states()} + 1, 0);
  if (edges.empty()) return begin;
  for (const auto& e : edges) ++begin[size_t{e.from} + 1];
  for (size_t s = 1; s < begin.size(); ++s) begin[s] += begin[s - 1];
  std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
  out->resize(edges.size());
  for (const auto& e : edges) (*out)[next[e.from]++] = e.edge;
  return begin;
}

Fsm FsmBuilder::Build() {
  const std::vector<uint32_t> target = TrivialTargets();
  for (auto& e : bytes_) e.edge.target = target[e.edge.target];
  for (auto& e : calls_) e.edge.target = target[e.edge.target];
  for (auto& e : tokens_) e.edge.target = target[e.edge.target];
  for (auto& e : epsilons_) e.edge = target[e.edge];
  Fsm fsm;
  const std::vector<uint32_t> bytes = Group(bytes_, &fsm.byte_edges_);
  const std::vector<uint32_t> calls = Group(calls_, &fsm.call_edges_);
  const std::vector<uint32_t> tokens = Group(tokens_, &fsm.token_edges_);
  const std::vector<uint32_t> epsilons = Group(epsilons_, &fsm.epsilon_edges_);
  fsm.states_.resize(num_states());
  for (uint32_t s = 0; s < num_states(); ++s) {
    Fsm::State& out = fsm.states_[s];
    const auto first = fsm.byte_edges_.begin() + bytes[s];
    const auto last = fsm.byte_edges_.begin() + bytes[s + 1];
    if (last - first > 1) {
      std::stable_sort(first, last,
                       [](const Fsm::ByteEdge& a, const Fsm::ByteEdge& b) { return a.lo < b.lo; });
    }
    out.bytes = {first, last};
    out.calls = {fsm.call_edges_.data() + calls[s], calls[s + 1] - calls[s]};
    out.tokens = {fsm.token_edges_.data() + tokens[s], tokens[s + 1] - tokens[s]};
    out.epsilons = {fsm.epsilon_edges_.data() + epsilons[s], epsilons[s + 1] - epsilons[s]};
    for (const Fsm::ByteEdge& e : out.bytes) out.first.AddRange(e.lo, e.hi);
    out.accept = accept_[s] != 0;
  }
  *this = {};
  return fsm;
}

int64_t Fsm::MemorySizeBytes() const {
  return static_cast<int64_t>(
      states_.size() * sizeof(State) + byte_edges_.size() * sizeof(ByteEdge) +
      call_edges_.size() * sizeof(CallEdge) + token_edges_.size() * sizeof(TokenEdge) +
      epsilon_edges_.size() * sizeof(uint32_t));
}

}  // namespace xgrammar
