// DfaWalk: reading all tokens of a prefix tree with a folded automaton, depth first, dead prefixes
// skipped.
//
// One loop serves automata with counts, another one plain automata; both serve both callers (local
// masks, and parts of the tree inside a mask), which say what to do at a node that stays inside and
// at a node where the automaton may be left. Where a state goes on with few bytes and a node has
// many children, the plain loop looks them up instead of reading past the others.
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
    if (mode == WalkMode::kLength) {
      if (!rule.meter->Read(target, static_cast<uint8_t>(node.byte), &to.copies.room)) {
        i = node.subtree_end;
        continue;
      }
      may_end = may_end && rule.meter->MayEnd(to.copies.room);
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

/// Scratch of walks with plain automata; owned by one thread.
struct PlainWalkStack {
  std::vector<uint32_t> states;  ///< By level.
  struct Subtree {
    uint32_t root = 0;
    uint32_t state_before = 0;
  };
  std::vector<Subtree> put_off;

  int64_t MemorySizeBytes() const {
    return static_cast<int64_t>(states.capacity() * sizeof(uint32_t) +
                                put_off.capacity() * sizeof(Subtree));
  }
};

/// The loop of WalkPlainDfa over siblings and their subtrees.
template <typename OnInside, typename OnExit, typename Skips>
void WalkPlainSubtrees(const TokenTrie& trie, uint32_t begin, uint32_t end, const ByteDfa& dfa,
                       uint32_t state, PlainWalkStack* stack, OnInside& on_inside, OnExit& on_exit,
                       Skips& skips) {
  // Looking children up pays off where at most one in so many can go on.
  constexpr uint32_t kMaxBytesLookedUp = 16;
  uint32_t* states = stack->states.data();
  states[0] = state;
  const uint32_t base_depth = trie.node(begin).depth;
  for (uint32_t i = begin; i < end;) {
    const TokenTrie::Node& node = trie.node(i);
    const uint32_t level = node.depth - base_depth;
    const uint32_t to = dfa.Next(states[level], static_cast<uint8_t>(node.byte));
    if (to == ByteDfa::kDead) {
      i = node.subtree_end;
      continue;
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
    if (dfa.IsAccept(to)) on_exit(i, to);
    if (dfa.IsFinal(to)) {
      i = node.subtree_end;
      continue;
    }
    if (trie.HasFan(i)) {
      const ByteSet next = dfa.first_bytes(to);
      if (next.size() <= static_cast<int>(kMaxBytesLookedUp)) {
        trie.ForEachChild(i, next.words, [&](uint32_t child) {
          stack->put_off.push_back({child, to});
        });
        i = node.subtree_end;
        continue;
      }
    }
    states[level + 1] = to;
    ++i;
  }
}

/// WalkDfa for automata in which nothing is counted, not in preorder.
///   on_inside(node, state)   the node's bytes are inside.
///   on_exit(node, state)     the automaton may end after the node's bytes.
///   skips(node, state)       whether the whole subtree was dealt with; asked first.
template <typename OnInside, typename OnExit, typename Skips>
void WalkPlainDfa(const TokenTrie& trie, uint32_t begin, uint32_t end, const ByteDfa& dfa,
                  uint32_t state, PlainWalkStack* stack, OnInside on_inside, OnExit on_exit,
                  Skips skips) {
  if (begin >= end) return;
  const size_t num_levels = size_t{trie.max_token_bytes()} + 2;
  if (stack->states.size() < num_levels) stack->states.resize(num_levels);
  stack->put_off.clear();
  const auto put_off = [&](uint32_t child) { stack->put_off.push_back({child, state}); };
  if (begin == 0 && end == trie.num_nodes()) {
    // The whole tree: only the bytes that the state goes on with.
    trie.ForEachRoot(dfa.first_bytes(state).words, put_off);
  } else if (trie.IsAllChildren(begin, end) && trie.HasFan(begin - 1)) {
    trie.ForEachChild(begin - 1, dfa.first_bytes(state).words, put_off);
  } else {
    WalkPlainSubtrees(trie, begin, end, dfa, state, stack, on_inside, on_exit, skips);
  }
  while (!stack->put_off.empty()) {
    const PlainWalkStack::Subtree next = stack->put_off.back();
    stack->put_off.pop_back();
    WalkPlainSubtrees(trie, next.root, trie.node(next.root).subtree_end, dfa, next.state_before,
                      stack, on_inside, on_exit, skips);
  }
}

}  // namespace xgrammar
