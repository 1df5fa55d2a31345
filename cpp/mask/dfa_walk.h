// DfaWalk: reading all tokens of a prefix tree with a folded automaton, depth first, dead prefixes
// skipped.
//
// One loop serves plain and counted automata and both callers (local masks, and parts of the tree
// inside a mask), which say what to do at a node that stays inside and at a node where the
// automaton may be left.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "automata/byte_dfa.h"
#include "lowering/length_meter.h"
#include "mask/local_mask.h"
#include "tokenizer/byte_kind.h"
#include "tokenizer/token_trie.h"

namespace xgrammar {

/// Position inside an automaton; for a counted one, with the copies that remain.
struct DfaPosition {
  uint32_t state = 0;
  CopyBounds copies;
};

/// Scratch of walks; owned by one thread.
using DfaWalkStack = std::vector<DfaPosition>;

/// For each state of one automaton, the kinds of bytes (tokenizer/byte_kind.h) on which it stays
/// where it is. Characters above U+007F count when all of them lead back to it, in a subtree of
/// well-formed UTF-8. Found at first use; owned by one thread.
class SelfLoopKinds {
 public:
  explicit SelfLoopKinds(const ByteDfa& dfa) : dfa_(dfa), kinds_(dfa.num_states(), kUnknown) {}

  /// Whether every token below the node keeps the automaton in this state, or within a character on
  /// the way back to it, where it may not end.
  bool TakesAllBelow(const TokenTrie& trie, uint32_t node, uint32_t state) {
    return (trie.kinds_below(node) & ~Of(state)) == 0;
  }

 private:
  static constexpr uint32_t kUnknown = 0xFFFFFFFF;

  uint32_t Of(uint32_t state) {
    if (kinds_[state] == kUnknown) {
      uint32_t other = kIllFormedBelow;
      for (uint32_t b = 0; b < 0x80; ++b) {
        const auto byte = static_cast<uint8_t>(b);
        if (dfa_.Next(state, byte) != state) other |= KindBit(byte);
      }
      if (!AllCharactersLeadBack(state)) other |= kNonAsciiKinds;
      kinds_[state] = ~other & 0xFFFFu;
    }
    return kinds_[state];
  }

  bool AllCharactersLeadBack(uint32_t state) const {
    struct Step {
      Utf8State utf8;
      uint32_t state;
      bool operator==(const Step&) const = default;
    };
    std::vector<Step> reached{{Utf8State::kBoundary, state}};
    for (size_t i = 0; i < reached.size(); ++i) {
      const Step from = reached[i];
      // A class cut to pieces within a lead byte is no loop over characters.
      constexpr size_t kMaxSteps = 64;
      if (reached.size() > kMaxSteps) return false;
      for (uint32_t b = 0x80; b < 0x100; ++b) {
        const auto byte = static_cast<uint8_t>(b);
        const Step to{NextUtf8State(from.utf8, byte), dfa_.Next(from.state, byte)};
        if (to.utf8 == Utf8State::kIllFormed) continue;
        if (to.state == ByteDfa::kDead) return false;
        if (to.utf8 == Utf8State::kBoundary && to.state != state) return false;
        if (to.utf8 != Utf8State::kBoundary && dfa_.IsAccept(to.state)) return false;
        if (std::find(reached.begin(), reached.end(), to) == reached.end()) reached.push_back(to);
      }
    }
    return true;
  }

  const ByteDfa& dfa_;
  std::vector<uint32_t> kinds_;
};

/// What is counted on the way, if anything.
enum class WalkMode : uint8_t {
  kPlain,
  kCopies,      ///< The automaton is one copy of a repetition; `room` and `owed` count copies.
  kCodePoints,  ///< `room` counts code points; used up, the automaton ends where it can.
  kUsedUp,      ///< A limit that no byte changes: with room 0 the automaton ends where it can.
  kLength,      ///< `room` holds the count of a LengthMeter.
};

/// A mode with its meter, for kLength.
struct WalkRule {
  WalkRule(WalkMode walk_mode, const LengthMeter* length_meter = nullptr)
      : mode(walk_mode), meter(length_meter) {}
  WalkMode mode;
  const LengthMeter* meter;
};

/// The loop of WalkDfa over siblings and their subtrees; `positions[0]` is where it starts.
template <typename OnInside, typename OnExit, typename Skips>
void WalkSubtrees(const TokenTrie& trie, uint32_t begin, uint32_t end, const ByteDfa& dfa,
                  WalkRule rule, DfaPosition* positions, OnInside& on_inside, OnExit& on_exit,
                  Skips& skips) {
  const WalkMode mode = rule.mode;
  const uint32_t base_depth = trie.node(begin).depth;
  for (uint32_t i = begin; i < end;) {
    const TokenTrie::Node& node = trie.node(i);
    const uint32_t level = node.depth - base_depth;
    const DfaPosition& from = positions[level];
    const uint32_t target = from.state == ByteDfa::kDead
                                ? ByteDfa::kDead
                                : dfa.Next(from.state, static_cast<uint8_t>(node.byte));
    if (target == ByteDfa::kDead) {
      i = node.subtree_end;
      continue;
    }
    DfaPosition to{target, from.copies};
    bool may_end = dfa.IsAccept(target);
    if (mode == WalkMode::kLength &&
        !rule.meter->Read(target, static_cast<uint8_t>(node.byte), &to.copies.room)) {
      i = node.subtree_end;
      continue;
    }
    if (mode == WalkMode::kCodePoints || mode == WalkMode::kUsedUp) {
      const bool begins_code_point = (node.byte & 0xC0) != 0x80;
      if (mode == WalkMode::kCodePoints && begins_code_point && to.copies.room > 0)
        --to.copies.room;
      if (may_end && to.copies.room == 0) to.state = ByteDfa::kDead;
    } else if (mode == WalkMode::kCopies && may_end) {
      // A copy is complete: the next one starts over, if there is room for it.
      if (to.copies.room != CopyBounds::kManyCopies) --to.copies.room;
      if (to.copies.owed > 0) --to.copies.owed;
      may_end = to.copies.owed == 0;
      to.state = to.copies.room == 0 ? ByteDfa::kDead : 0;
    }
    on_inside(i, to);
    if (i + 1 == node.subtree_end) {
      ++i;
      continue;
    }
    if (skips(i, to)) {
      i = node.subtree_end;
      continue;
    }
    if (may_end) on_exit(i, to);
    positions[level + 1] = to;
    ++i;
  }
}

/// Walks the nodes [begin, end), siblings and their subtrees, from `start`.
///   on_inside(node, position)   the node's bytes are inside.
///   on_exit(node, position)     the automaton may end after the node's bytes; `position` is where
///   it could go on, or its
///                               state is ByteDfa::kDead.
///   skips(node, position)       whether the whole subtree was dealt with; asked first.
template <typename OnInside, typename OnExit, typename Skips>
void WalkDfa(const TokenTrie& trie, uint32_t begin, uint32_t end, const ByteDfa& dfa, WalkRule rule,
             const DfaPosition& start, DfaWalkStack* stack, OnInside on_inside, OnExit on_exit,
             Skips skips) {
  if (begin >= end) return;
  if (stack->size() < trie.max_token_bytes() + 2) stack->resize(trie.max_token_bytes() + 2);
  DfaPosition* positions = stack->data();
  positions[0] = start;
  if (begin == 0 && end == trie.num_nodes()) {
    // The whole tree: only the bytes that the state goes on with.
    trie.ForEachRoot(dfa.first_bytes(start.state).words, [&](uint32_t root) {
      WalkSubtrees(trie, root, trie.node(root).subtree_end, dfa, rule, positions, on_inside,
                   on_exit, skips);
    });
    return;
  }
  WalkSubtrees(trie, begin, end, dfa, rule, positions, on_inside, on_exit, skips);
}

}  // namespace xgrammar
