// Fsm: the automaton of a rule that calls other rules. Edges carry byte ranges, calls of units,
// whole tokens, or nothing (epsilon).
//
// Invariant: every state can reach an accepting one, given that every unit called can be completed
// (unproductive parts are left out when it is built). Immutable after FsmBuilder; state addresses
// are stable and safe to share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "automata/byte_dfa.h"

namespace xgrammar {

using UnitId = uint32_t;

/// Token ids that match, or that do not.
struct TokenSet {
  std::vector<int32_t> ids;  ///< Sorted.
  bool is_excluding = false;

  bool Contains(int32_t token) const {
    return std::binary_search(ids.begin(), ids.end(), token) != is_excluding;
  }
};

class Fsm {
 public:
  struct ByteEdge {
    uint8_t lo = 0;
    uint8_t hi = 0;
    bool literal =
        false;  ///< Spelled by a literal of the grammar; special tokens may only follow such edges.
    uint32_t target = 0;
  };
  struct CallEdge {
    UnitId unit = 0;
    uint32_t target = 0;
  };
  struct TokenEdge {
    const TokenSet* tokens = nullptr;  ///< Owned by the UnitTable.
    uint32_t target = 0;
  };
  struct State {
    std::span<const ByteEdge> bytes;
    std::span<const CallEdge> calls;
    std::span<const TokenEdge> tokens;
    std::span<const uint32_t> epsilons;
    ByteSet first;  ///< Union of the byte edges.
    bool accept = false;

    /// Nothing but the end of the rule follows.
    bool OnlyReturns() const {
      return accept && bytes.empty() && calls.empty() && tokens.empty() && epsilons.empty();
    }
    /// A parser set keeps such states; others only lead on.
    bool IsWaiting() const { return !bytes.empty() || !calls.empty() || !tokens.empty(); }
  };

  uint32_t num_states() const { return static_cast<uint32_t>(states_.size()); }
  const State& state(uint32_t index) const { return states_[index]; }
  int64_t MemorySizeBytes() const;

 private:
  friend class FsmBuilder;
  std::vector<State> states_;
  std::vector<ByteEdge> byte_edges_;
  std::vector<CallEdge> call_edges_;
  std::vector<TokenEdge> token_edges_;
  std::vector<uint32_t> epsilon_edges_;
};

/// Collects edges in any order. State 0 is the start.
class FsmBuilder {
 public:
  uint32_t AddState();
  void AddBytes(uint32_t from, uint8_t lo, uint8_t hi, bool literal, uint32_t to);
  void AddCall(uint32_t from, UnitId unit, uint32_t to);
  void AddTokens(uint32_t from, const TokenSet* tokens, uint32_t to);
  void AddEpsilon(uint32_t from, uint32_t to);
  void SetAccept(uint32_t state) { accept_[state] = 1; }
  uint32_t num_states() const { return static_cast<uint32_t>(accept_.size()); }
  Fsm Build();

 private:
  /// An edge with the state that it leaves.
  template <typename Edge>
  struct Leaving {
    uint32_t from;
    Edge edge;
  };
  template <typename Edge>
  using Edges = std::vector<Leaving<Edge>>;

  std::vector<uint32_t> TrivialTargets() const;
  /// Sorts the edges by the states that they leave; returns where those of each state begin.
  template <typename Edge>
  std::vector<uint32_t> Group(const Edges<Edge>& edges, std::vector<Edge>* out) const;

  // Edges of all states in one list, because a list for each state would dominate the cost.
  Edges<Fsm::ByteEdge> bytes_;
  Edges<Fsm::CallEdge> calls_;
  Edges<Fsm::TokenEdge> tokens_;
  Edges<uint32_t> epsilons_;
  std::vector<uint8_t> accept_;
};

}  // namespace xgrammar
