// Fsm: the automaton of a rule that calls other rules. Edges carry byte ranges, calls of units,
// whole tokens, or nothing (epsilon).
//
// Invariant: every state can reach an accepting one, given that every unit called can be completed
// (unproductive parts are left out when it is built). Immutable after FsmBuilder; state addresses
// are stable and safe to share, and stay so when the Fsm moves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
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
  /// Edges that read no byte; most states have none.
  struct OtherEdges {
    std::span<const CallEdge> calls;
    std::span<const TokenEdge> tokens;
    std::span<const uint32_t> epsilons;
  };
  /// Small: most states of a large object are within the names of its members.
  class State {
   public:
    /// Sorted by `lo`.
    std::span<const ByteEdge> bytes() const { return {bytes_, num_bytes_}; }
    std::span<const CallEdge> calls() const { return others_->calls; }
    std::span<const TokenEdge> tokens() const { return others_->tokens; }
    std::span<const uint32_t> epsilons() const { return others_->epsilons; }
    bool accept() const { return accept_; }

    /// Nothing but the end of the rule follows.
    bool OnlyReturns() const {
      return accept_ && num_bytes_ == 0 && calls().empty() && tokens().empty() &&
             epsilons().empty();
    }
    /// Only bytes lead on, as within a text.
    bool OnlyReads() const {
      return !accept_ && num_bytes_ != 0 && calls().empty() && tokens().empty() &&
             epsilons().empty();
    }
    /// A parser set keeps such states; others only lead on.
    bool IsWaiting() const { return num_bytes_ != 0 || !calls().empty() || !tokens().empty(); }

   private:
    friend class FsmBuilder;
    const ByteEdge* bytes_ = nullptr;
    const OtherEdges* others_ = nullptr;  ///< Never null once built.
    uint32_t num_bytes_ = 0;
    bool accept_ = false;
  };

  uint32_t num_states() const { return static_cast<uint32_t>(states_.size()); }
  const State& state(uint32_t index) const { return states_[index]; }
  int64_t MemorySizeBytes() const;

 private:
  friend class FsmBuilder;
  std::vector<State> states_;
  std::vector<ByteEdge> byte_edges_;
  std::vector<OtherEdges> other_edges_;  // Of the states that have any.
  std::vector<CallEdge> call_edges_;
  std::vector<TokenEdge> token_edges_;
  std::vector<uint32_t> epsilon_edges_;
};

/// Collects edges in any order. State 0 is the start.
class FsmBuilder {
 public:
  uint32_t AddState();
  void AddBytes(uint32_t from, uint8_t lo, uint8_t hi, bool literal, uint32_t to);
  /// A chain of at least one byte; the states within it are new and numbered one after another.
  /// `bytes` must outlive the builder.
  void AddText(uint32_t from, std::string_view bytes, bool literal, uint32_t to);
  void AddCall(uint32_t from, UnitId unit, uint32_t to);
  void AddTokens(uint32_t from, const TokenSet* tokens, uint32_t to);
  void AddEpsilon(uint32_t from, uint32_t to);
  void SetAccept(uint32_t state) { facts_[state] |= kAccepts; }
  uint32_t num_states() const { return static_cast<uint32_t>(facts_.size()); }
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

  /// The bytes of a chain from its second one on; the first is an edge like others.
  struct Chain {
    uint32_t first_state;
    std::string_view rest;
    bool literal;
    uint32_t to;
  };

  static constexpr uint8_t kAccepts = 1;
  static constexpr uint8_t kReads = 2;   ///< A byte, a call or tokens leave the state.
  static constexpr uint8_t kOthers = 4;  ///< Edges that read no byte leave the state.

  void SkipTrivialStates();
  void WriteByteEdges(Fsm* fsm) const;
  void WriteOtherEdges(Fsm* fsm);

  // Edges of all states in one list, because a list for each state would dominate the cost.
  Edges<Fsm::ByteEdge> bytes_;
  std::vector<Chain> chains_;
  Edges<Fsm::CallEdge> calls_;
  Edges<Fsm::TokenEdge> tokens_;
  Edges<uint32_t> epsilons_;
  std::vector<uint8_t> facts_;  ///< By state.
};

}  // namespace xgrammar
