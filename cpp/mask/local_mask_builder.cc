// LocalMaskBuilder: the two walks, and grouping tokens that leave by the byte that comes next.
//
// Walks follow the token tree in preorder and jump over subtrees that are dead, or whose tokens all
// stay in one state that loops. In a repetition, the copies that a token needs are counted on the
// way. Which state is the base of a difference is local_mask_cache.h's choice.
#include "mask/local_mask_builder.h"

#include <algorithm>
#include <bit>

namespace xgrammar {

namespace {

void AddBytesOfKinds(uint16_t kinds, ByteSet* bytes) {
  for (uint32_t b = 0; b < 256; ++b) {
    const auto byte = static_cast<uint8_t>(b);
    if ((kinds & KindBit(byte)) != 0) bytes->Add(byte);
  }
}

}  // namespace

std::shared_ptr<const LocalMask> LocalMaskBuilder::BuildWhole(const ByteDfa& dfa, uint32_t state,
                                                              bool counted) {
  exits_.clear();
  soft_exits_ = {};
  auto mask = std::make_shared<LocalMask>();
  if (counted) {
    WalkCopies(dfa, state, mask.get());
  } else {
    WalkPlain(dfa, state, mask.get());
  }
  mask->memory_size_bytes_ = static_cast<int64_t>(
      sizeof(LocalMask) + (mask->words_.size() + mask->inside_end_.size()) * sizeof(uint32_t) +
      mask->inside_.size() * sizeof(int32_t));
  mask->soft_exits_ = soft_exits_;
  AddTailGroups(counted, mask.get());
  return mask;
}

bool LocalMaskBuilder::IsMany(size_t num_tokens) const { return num_tokens * 2 > NumWords(); }

size_t LocalMaskBuilder::NumWords() const {
  return (static_cast<size_t>(tokenizer_.vocab_size()) + 31) / 32;
}

void LocalMaskBuilder::WalkPlain(const ByteDfa& dfa, uint32_t state, LocalMask* mask) {
  const auto add = [&](std::span<const int32_t> tokens) {
    if (mask->words_.empty()) {
      mask->inside_.insert(mask->inside_.end(), tokens.begin(), tokens.end());
      if (!IsMany(mask->inside_.size())) return;
      mask->words_.assign(NumWords(), 0);
      tokens = mask->inside_;
    }
    for (int32_t id : tokens) mask->words_[static_cast<size_t>(id) >> 5] |= 1u << (id & 31);
  };
  SelfLoopKinds loops(dfa);
  WalkDfa(
      trie_, 0, trie_.num_nodes(), dfa, WalkMode::kPlain, {state, {}}, &stack_,
      [&](uint32_t node, const DfaPosition&) { add(trie_.tokens(node)); },
      [&](uint32_t node, const DfaPosition& to) { AddExit(node, to, 0, dfa); },
      [&](uint32_t node, const DfaPosition& to) {
        // A state that stays where it is on all bytes below takes every token below. If it may end,
        // all of them could leave as well as go on.
        if (!loops.TakesAllBelow(trie_, node, to.state)) return false;
        add(trie_.subtree_tokens(node).subspan(trie_.tokens(node).size()));
        if (dfa.IsAccept(to.state)) AddBytesOfKinds(trie_.kinds_below(node), &soft_exits_);
        return true;
      });
  if (!mask->words_.empty()) mask->inside_ = {};
  mask->inside_end_.assign(1, static_cast<uint32_t>(mask->inside_.size()));
}

void LocalMaskBuilder::WalkCopies(const ByteDfa& dfa, uint32_t state, LocalMask* mask) {
  // Copies are measured from a room that no token exhausts.
  const uint32_t measure = trie_.max_token_bytes() + 2;
  DfaPosition start{state, {}};
  start.copies.room = measure;
  std::vector<std::pair<uint32_t, int32_t>> inside;  // Copies needed, token.
  WalkDfa(
      trie_, 0, trie_.num_nodes(), dfa, WalkMode::kCopies, start, &stack_,
      [&](uint32_t node, const DfaPosition& to) {
        // Between copies nothing is begun: state 0 is only ever the start of a copy, which is
        // prefix-free.
        const uint32_t needs = measure - to.copies.room + (to.state != 0 ? 1 : 0);
        for (int32_t token : trie_.tokens(node)) inside.emplace_back(needs, token);
      },
      [&](uint32_t node, const DfaPosition& to) {
        AddExit(node, to, measure - to.copies.room, dfa);
      },
      [](uint32_t, const DfaPosition&) { return false; });
  // Counting sort by the copies needed.
  uint32_t most = 0;
  for (const auto& [needs, token] : inside) most = std::max(most, needs);
  mask->inside_end_.assign(size_t{most} + 1, 0);
  for (const auto& [needs, token] : inside) ++mask->inside_end_[needs];
  for (size_t k = 1; k < mask->inside_end_.size(); ++k) {
    mask->inside_end_[k] += mask->inside_end_[k - 1];
  }
  mask->inside_.resize(inside.size());
  std::vector<uint32_t> end = mask->inside_end_;
  for (const auto& [needs, token] : inside) mask->inside_[--end[needs]] = token;
  if (!IsMany(inside.size())) return;
  mask->words_.assign(NumWords(), 0);
  for (int32_t id : mask->inside_) mask->words_[static_cast<size_t>(id) >> 5] |= 1u << (id & 31);
}

void LocalMaskBuilder::AddExit(uint32_t node, const DfaPosition& position, uint32_t copies,
                               const ByteDfa& dfa) {
  const uint32_t end = trie_.node(node).subtree_end;
  for (uint32_t child = node + 1; child < end; child = trie_.node(child).subtree_end) {
    const auto byte = static_cast<uint8_t>(trie_.node(child).byte);
    if (position.state != ByteDfa::kDead && dfa.Next(position.state, byte) != ByteDfa::kDead) {
      soft_exits_.Add(byte);
    } else {
      exits_.push_back({byte, child, copies});
    }
  }
}

std::shared_ptr<const LocalMask> LocalMaskBuilder::BuildDifference(
    const ByteDfa& dfa, uint32_t state, uint32_t base_state,
    std::shared_ptr<const LocalMask> base) {
  exits_.clear();
  soft_exits_ = base->soft_exits();
  auto mask = std::make_shared<LocalMask>();
  struct Pair {
    uint32_t state;
    uint32_t base;
  };
  std::vector<Pair> pairs(trie_.max_token_bytes() + 2);
  pairs[0] = {state, base_state};
  const auto next = [&dfa](uint32_t from, uint8_t byte) {
    return from == ByteDfa::kDead ? ByteDfa::kDead : dfa.Next(from, byte);
  };
  const auto compare_subtree = [&](uint32_t root) {
    for (uint32_t i = root; i < trie_.node(root).subtree_end;) {
      const TokenTrie::Node& node = trie_.node(i);
      const Pair from = pairs[node.depth - 1];
      const auto byte = static_cast<uint8_t>(node.byte);
      const Pair to{next(from.state, byte), next(from.base, byte)};
      if (node.depth > 1) CompareNode(i, from.state, from.base, to.state, to.base, dfa, mask.get());
      if (node.depth == 1 && to.state != to.base)
        CompareNode(i, ByteDfa::kDead, ByteDfa::kDead, to.state, to.base, dfa, mask.get());
      if (to.state == to.base) {
        i = node.subtree_end;
        continue;
      }
      pairs[node.depth] = to;
      ++i;
    }
  };
  // Where both lead to one state they agree from there on.
  ByteSet differing;
  for (uint32_t b = 0; b < 256; ++b) {
    const auto byte = static_cast<uint8_t>(b);
    if (dfa.Next(state, byte) != dfa.Next(base_state, byte)) differing.Add(byte);
  }
  trie_.ForEachRoot(differing.words, compare_subtree);
  std::sort(mask->removed_exits_.begin(), mask->removed_exits_.end());
  mask->base_ = std::move(base);
  mask->soft_exits_ = soft_exits_;
  mask->memory_size_bytes_ =
      static_cast<int64_t>(sizeof(LocalMask) + (mask->added_.size() + mask->removed_.size() +
                                                mask->removed_exits_.size()) *
                                                   sizeof(int32_t));
  AddTailGroups(false, mask.get());
  return mask;
}

void LocalMaskBuilder::CompareNode(uint32_t node, uint32_t from_state, uint32_t from_base,
                                   uint32_t to_state, uint32_t to_base, const ByteDfa& dfa,
                                   LocalMask* mask) {
  const bool inside = to_state != ByteDfa::kDead;
  const bool base_inside = to_base != ByteDfa::kDead;
  const auto tokens = trie_.tokens(node);
  if (inside && !base_inside) mask->added_.insert(mask->added_.end(), tokens.begin(), tokens.end());
  if (!inside && base_inside)
    mask->removed_.insert(mask->removed_.end(), tokens.begin(), tokens.end());
  // Leaving by this node's byte: the state before it may end.
  const bool could_leave = from_state != ByteDfa::kDead && dfa.IsAccept(from_state);
  const bool base_could_leave = from_base != ByteDfa::kDead && dfa.IsAccept(from_base);
  const bool hard = could_leave && !inside;
  const bool base_hard = base_could_leave && !base_inside;
  if (could_leave && inside) soft_exits_.Add(static_cast<uint8_t>(trie_.node(node).byte));
  if (hard && !base_hard) exits_.push_back({static_cast<uint8_t>(trie_.node(node).byte), node, 0});
  if (!hard && base_hard) {
    const auto lost = trie_.subtree_tokens(node);
    mask->removed_exits_.insert(mask->removed_exits_.end(), lost.begin(), lost.end());
  }
}

void LocalMaskBuilder::AddTailGroups(bool counted, LocalMask* mask) {
  // Nodes of the tree of a token: about this many bytes per token in the vocabularies that we
  // measured.
  constexpr int64_t kTreeBytesPerToken = 48;
  std::stable_sort(exits_.begin(), exits_.end(),
                   [](const Exit& a, const Exit& b) { return a.byte < b.byte; });
  mask->min_exit_copies_ = CopyBounds::kManyCopies;
  for (size_t begin = 0; begin < exits_.size();) {
    std::vector<uint32_t> nodes;
    size_t end = begin;
    for (; end < exits_.size() && exits_[end].byte == exits_[begin].byte; ++end) {
      const Exit& exit = exits_[end];
      const auto tokens = trie_.subtree_tokens(exit.node);
      nodes.push_back(exit.node);
      mask->memory_size_bytes_ += static_cast<int64_t>(sizeof(uint32_t)) +
                                  kTreeBytesPerToken * static_cast<int64_t>(tokens.size());
      if (!counted) continue;
      for (int32_t token : tokens) mask->exit_copies_.emplace_back(token, exit.copies);
      mask->min_exit_copies_ = std::min(mask->min_exit_copies_, exit.copies);
      mask->max_exit_copies_ = std::max(mask->max_exit_copies_, exit.copies);
    }
    mask->tail_groups_.emplace_back(exits_[begin].byte, std::move(nodes));
    begin = end;
  }
  std::sort(mask->exit_copies_.begin(), mask->exit_copies_.end());
  mask->memory_size_bytes_ +=
      static_cast<int64_t>(mask->exit_copies_.size() * sizeof(std::pair<int32_t, uint32_t>));
}

}  // namespace xgrammar
