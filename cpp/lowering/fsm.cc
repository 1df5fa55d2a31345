// Fsm: packing the builder's lists into flat arrays.
//
// Edges of a state lie side by side, sorted by first byte. States that only step on by an epsilon
// are skipped, so that a call whose rule ends behind it is seen as a tail call. States within a
// text have one edge and are written without being looked at. No determinisation: that is for
// folded units.
#include "lowering/fsm.h"

#include <algorithm>
#include <utility>

#include "support/work_meter.h"

namespace xgrammar {

namespace {

constexpr Fsm::OtherEdges kNoOtherEdges;

/// The edges of one list that leave `state`; `next` is where the list was left, and lists are
/// sorted by the states that they leave.
template <typename Edges, typename Edge>
std::span<const Edge> TakeEdges(uint32_t state, const Edges& edges, size_t* next,
                                std::vector<Edge>* out) {
  const size_t begin = out->size();
  for (; *next < edges.size() && edges[*next].from == state; ++*next)
    out->push_back(edges[*next].edge);
  return {out->data() + begin, out->size() - begin};
}

}  // namespace

uint32_t FsmBuilder::AddState() {
  CountWork("building the automaton of a rule", 2);
  facts_.push_back(0);
  return num_states() - 1;
}

void FsmBuilder::AddBytes(uint32_t from, uint8_t lo, uint8_t hi, bool literal, uint32_t to) {
  bytes_.push_back({from, {lo, hi, literal, to}});
  facts_[from] |= kReads;
}

void FsmBuilder::AddText(uint32_t from, std::string_view bytes, bool literal, uint32_t to) {
  const auto first = static_cast<uint8_t>(bytes[0]);
  const uint32_t within = num_states();
  AddBytes(from, first, first, literal, bytes.size() == 1 ? to : within);
  if (bytes.size() == 1) return;
  CountWork("building the automaton of a rule", 2 * static_cast<int64_t>(bytes.size()));
  facts_.resize(facts_.size() + bytes.size() - 1, kReads);
  chains_.push_back({within, bytes.substr(1), literal, to});
}

void FsmBuilder::AddCall(uint32_t from, UnitId unit, uint32_t to) {
  calls_.push_back({from, {unit, to}});
  facts_[from] |= kReads | kOthers;
}

void FsmBuilder::AddTokens(uint32_t from, const TokenSet* tokens, uint32_t to) {
  tokens_.push_back({from, {tokens, to}});
  facts_[from] |= kReads | kOthers;
}

void FsmBuilder::AddEpsilon(uint32_t from, uint32_t to) {
  if (from == to) return;
  epsilons_.push_back({from, to});
  facts_[from] |= kOthers;
}

/// A state that only steps on by one epsilon is its target: calls then see that a rule ends behind
/// them.
void FsmBuilder::SkipTrivialStates() {
  if (epsilons_.empty()) return;
  constexpr uint32_t kNoTarget = 0xFFFFFFFF;
  std::vector<uint32_t> only(num_states(), kNoTarget);  // What a state that is skipped stands for.
  for (size_t i = 0; i < epsilons_.size(); ++i) {
    const auto& e = epsilons_[i];
    const bool is_one_of_many = (i > 0 && epsilons_[i - 1].from == e.from) ||
                                (i + 1 < epsilons_.size() && epsilons_[i + 1].from == e.from);
    if (!is_one_of_many && (facts_[e.from] & (kAccepts | kReads)) == 0) only[e.from] = e.edge;
  }
  const auto skip = [&](uint32_t* target) {
    // Epsilon cycles end the walk after as many steps as there are states.
    for (uint32_t steps = 0; steps < num_states() && only[*target] != kNoTarget; ++steps) {
      CountWork("building the automaton of a rule");
      *target = only[*target];
    }
  };
  for (auto& e : bytes_) skip(&e.edge.target);
  for (Chain& chain : chains_) skip(&chain.to);
  for (auto& e : calls_) skip(&e.edge.target);
  for (auto& e : tokens_) skip(&e.edge.target);
  for (auto& e : epsilons_) skip(&e.edge);
}

void FsmBuilder::WriteByteEdges(Fsm* fsm) const {
  std::vector<Fsm::State>& states = fsm->states_;
  for (const auto& e : bytes_) ++states[e.from].num_bytes_;
  size_t num_edges = bytes_.size();
  for (const Chain& chain : chains_) {
    num_edges += chain.rest.size();
    for (size_t i = 0; i < chain.rest.size(); ++i) ++states[chain.first_state + i].num_bytes_;
  }
  fsm->byte_edges_.resize(num_edges);
  Fsm::ByteEdge* end = fsm->byte_edges_.data();
  std::vector<Fsm::ByteEdge*> next(states.size());
  for (size_t s = 0; s < states.size(); ++s) {
    states[s].bytes_ = next[s] = end;
    end += states[s].num_bytes_;
  }
  for (const Chain& chain : chains_) {
    uint32_t state = chain.first_state;
    for (size_t i = 0; i < chain.rest.size(); ++i, ++state) {
      const auto byte = static_cast<uint8_t>(chain.rest[i]);
      const uint32_t to = i + 1 == chain.rest.size() ? chain.to : state + 1;
      *next[state]++ = {byte, byte, chain.literal, to};
    }
  }
  for (const auto& e : bytes_) *next[e.from]++ = e.edge;
  for (size_t s = 0; s < states.size(); ++s) {
    if (states[s].num_bytes_ < 2) continue;
    std::stable_sort(next[s] - states[s].num_bytes_, next[s],
                     [](const Fsm::ByteEdge& a, const Fsm::ByteEdge& b) { return a.lo < b.lo; });
  }
}

void FsmBuilder::WriteOtherEdges(Fsm* fsm) {
  // Reserved, so that spans stay true.
  fsm->call_edges_.reserve(calls_.size());
  fsm->token_edges_.reserve(tokens_.size());
  fsm->epsilon_edges_.reserve(epsilons_.size());
  const auto has_others = [](uint8_t facts) { return (facts & kOthers) != 0; };
  fsm->other_edges_.reserve(
      static_cast<size_t>(std::count_if(facts_.begin(), facts_.end(), has_others)));
  size_t call = 0;
  size_t token = 0;
  size_t epsilon = 0;
  for (uint32_t s = 0; s < num_states(); ++s) {
    Fsm::State& state = fsm->states_[s];
    state.accept_ = (facts_[s] & kAccepts) != 0;
    state.others_ = &kNoOtherEdges;
    if (!has_others(facts_[s])) continue;
    Fsm::OtherEdges& others = fsm->other_edges_.emplace_back();
    others.calls = TakeEdges(s, calls_, &call, &fsm->call_edges_);
    others.tokens = TakeEdges(s, tokens_, &token, &fsm->token_edges_);
    others.epsilons = TakeEdges(s, epsilons_, &epsilon, &fsm->epsilon_edges_);
    state.others_ = &others;
  }
}

Fsm FsmBuilder::Build() {
  const auto by_state = [](const auto& a, const auto& b) { return a.from < b.from; };
  const auto sort = [&](auto* edges) {
    if (!std::is_sorted(edges->begin(), edges->end(), by_state))
      std::stable_sort(edges->begin(), edges->end(), by_state);
  };
  sort(&calls_);
  sort(&tokens_);
  sort(&epsilons_);
  SkipTrivialStates();
  Fsm fsm;
  fsm.states_.resize(num_states());
  WriteByteEdges(&fsm);
  WriteOtherEdges(&fsm);
  *this = {};
  return fsm;
}

int64_t Fsm::MemorySizeBytes() const {
  return static_cast<int64_t>(
      states_.size() * sizeof(State) + byte_edges_.size() * sizeof(ByteEdge) +
      other_edges_.size() * sizeof(OtherEdges) + call_edges_.size() * sizeof(CallEdge) +
      token_edges_.size() * sizeof(TokenEdge) + epsilon_edges_.size() * sizeof(uint32_t));
}

}  // namespace xgrammar
