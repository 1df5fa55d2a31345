// LocalMaskBuilder: the two walks, and grouping tokens that leave by the byte that comes next.
//
// Walks follow the token tree and jump over subtrees that are dead, or whose tokens all stay alive
// (live_kinds.h); of a permissive state most tokens are known without a walk (kind_masks.h). Loops
// on words are in word_masks.cc, repetitions, in which copies are counted on the way, in
// copy_masks.cc. Which state is the base of a difference is local_mask_cache.h's choice.
#include "mask/local_mask_builder.h"

#include <algorithm>
#include <bit>

namespace xgrammar {

namespace {

/// The bytes that lead from the two states to different ones.
ByteSet DifferingBytes(const ByteDfa& dfa, uint32_t a, uint32_t b) {
  if (a == ByteDfa::kDead) return dfa.first_bytes(b);
  if (b == ByteDfa::kDead) return dfa.first_bytes(a);
  ByteSet differing;
  const std::span<const uint8_t> runs = dfa.byte_runs();
  for (size_t r = 0; r < runs.size(); ++r) {
    if (dfa.Next(a, runs[r]) == dfa.Next(b, runs[r])) continue;
    const int end = r + 1 < runs.size() ? runs[r + 1] : 256;
    differing.AddRange(runs[r], static_cast<uint8_t>(end - 1));
  }
  return differing;
}

uint32_t NextOrDead(const ByteDfa& dfa, uint32_t from, uint8_t byte) {
  return from == ByteDfa::kDead ? ByteDfa::kDead : dfa.Next(from, byte);
}

// Nodes of the tree of a token: about this many bytes per token in the vocabularies that we
// measured.
constexpr size_t kTreeBytesPerToken = 48;

bool HasBit(const std::vector<uint32_t>& words, int32_t token) {
  return (words[static_cast<size_t>(token) >> 5] >> (token & 31) & 1u) != 0;
}

// Subtrees with fewer nodes are read: finding out what a state takes costs more.
constexpr uint32_t kWorthAsking = 8;

}  // namespace

std::shared_ptr<const LocalMask> LocalMaskBuilder::BuildWhole(const ByteDfa& dfa, uint32_t state,
                                                              bool counted) {
  Begin();
  auto mask = std::make_shared<LocalMask>();
  if (counted) {
    WalkCopies(dfa, state, mask.get());
  } else {
    WalkPlain(dfa, state, mask.get());
  }
  return FinishWhole(std::move(mask), counted);
}

std::shared_ptr<const LocalMask> LocalMaskBuilder::BuildBelow(const ByteDfa& dfa, uint32_t state,
                                                              uint32_t node) {
  Begin();
  auto mask = std::make_shared<LocalMask>();
  LiveKinds live(dfa);
  const bool is_space = trie_.node(node).depth == 1 && trie_.node(node).byte == ' ';
  if (!is_space || !WalkWords(tokenizer_.words_after_space(), 1, dfa, state, &live, mask.get()))
    WalkSiblings(trie_, node + 1, trie_.node(node).subtree_end, dfa, state, &live, mask.get());
  return FinishWhole(std::move(mask), false);
}

std::shared_ptr<const LocalMask> LocalMaskBuilder::BuildBefore(const ByteDfa& dfa, uint8_t byte,
                                                               uint32_t after) {
  Begin();
  auto mask = std::make_shared<LocalMask>();
  LiveKinds live(dfa);
  ByteSet only;
  only.Add(byte);
  trie_.ForEachRoot(only.words, [&](uint32_t root) {
    AddInside(trie_.tokens(root), mask.get());
    if (dfa.IsAccept(after)) Leave(root, after, dfa, mask.get());
    WalkSiblings(trie_, root + 1, trie_.node(root).subtree_end, dfa, after, &live, mask.get());
  });
  return FinishWhole(std::move(mask), false);
}

void LocalMaskBuilder::Begin() {
  exits_.clear();
  exit_trie_ = &trie_;
  soft_exits_ = {};
  soft_kinds_ = 0;
  base_words_ = nullptr;
}

std::shared_ptr<LocalMask> LocalMaskBuilder::FinishWhole(std::shared_ptr<LocalMask> mask,
                                                         bool counted) {
  if (!counted && !mask->words_.empty()) mask->inside_ = {};
  FindOutside(mask.get());
  mask->memory_size_bytes_ = static_cast<int64_t>(
      sizeof(LocalMask) +
      (mask->words_.size() + mask->inside_end_.size() + mask->wide_exits_.size()) *
          sizeof(uint32_t) +
      mask->inside_.size() * sizeof(int32_t) +
      mask->outside_.size() * (sizeof(int32_t) + kTreeBytesPerToken));
  for (uint32_t b = 0; b < 256 && soft_kinds_ != 0; ++b) {
    if ((soft_kinds_ & kKindBits[b]) != 0) soft_exits_.Add(static_cast<uint8_t>(b));
  }
  mask->soft_exits_ = soft_exits_;
  AddTailGroups(counted, mask.get());
  return mask;
}

void LocalMaskBuilder::FindOutside(LocalMask* mask) {
  if (mask->known_ == nullptr) return;
  for (int32_t id : mask->known_->rest.all_tokens()) {
    if (!HasBit(mask->words_, id)) mask->outside_.push_back(id);
  }
}

bool LocalMaskBuilder::IsMany(size_t num_tokens) const { return num_tokens * 2 > NumWords(); }

size_t LocalMaskBuilder::NumWords() const {
  return (static_cast<size_t>(tokenizer_.vocab_size()) + 31) / 32;
}

void LocalMaskBuilder::AddFirstInside(std::span<const int32_t> tokens, LocalMask* mask) const {
  mask->inside_.insert(mask->inside_.end(), tokens.begin(), tokens.end());
  if (!IsMany(mask->inside_.size())) return;
  mask->words_.assign(NumWords(), 0);
  AddInside(mask->inside_, mask);
}

void LocalMaskBuilder::WalkPlain(const ByteDfa& dfa, uint32_t state, LocalMask* mask) {
  LiveKinds live(dfa);
  const TokenTrie* trie = &trie_;
  // A state that takes any word takes so many tokens that they are better known beforehand.
  if (kind_masks_ != nullptr && dfa.first_bytes(state).Contains('a')) {
    const LiveKinds::Answer answer = live.Of(state);
    const bool takes_words = (answer.kinds & KindBit('a')) != 0;
    // Few tokens are above U+FFFF.
    const bool takes_others = (answer.kinds & kNonAsciiKinds & ~KindBit(0xF0)) != 0;
    if (!takes_others && WalkWords(tokenizer_.words(), 0, dfa, state, &live, mask)) return;
    if (takes_words && answer.steps == LiveKinds::kMaxSteps) {
      mask->known_ = kind_masks_->Get(answer.kinds);
    }
    if (mask->known_ != nullptr) {
      mask->words_ = mask->known_->words;
      trie = &mask->known_->rest;
      if (answer.may_end) soft_kinds_ |= answer.kinds;
    }
  }
  exit_trie_ = trie;
  WalkSiblings(*trie, 0, trie->num_nodes(), dfa, state, &live, mask);
}

void LocalMaskBuilder::WalkSiblings(const TokenTrie& trie, uint32_t begin, uint32_t end,
                                    const ByteDfa& dfa, uint32_t state, LiveKinds* live,
                                    LocalMask* mask) {
  const WordIndex& spaced = tokenizer_.words_after_space();
  uint32_t after_space = ByteDfa::kDead;
  WalkPlainDfa(
      trie, begin, end, dfa, state, &plain_stack_,
      [&](uint32_t node, uint32_t) {
        const std::span<const int32_t> tokens = trie.tokens(node);
        if (!tokens.empty()) AddInside(tokens, mask);
      },
      [&](uint32_t node, uint32_t to) { Leave(node, to, dfa, mask); },
      [&](uint32_t node, uint32_t to) {
        if (trie.node(node).subtree_end - node < kWorthAsking) return false;
        if (&trie == &trie_ && trie.node(node).depth == 1 && trie.node(node).byte == ' ' &&
            FindWordLoop(spaced, dfa, to).kinds != 0) {
          after_space = to;
          return true;
        }
        if (!live->TakesAllBelow(trie, node, to)) return false;
        AddInside(trie.subtree_tokens(node).subspan(trie.tokens(node).size()), mask);
        // Where it may end, tokens could leave as well as go on.
        if (live->Of(to).may_end) soft_kinds_ |= trie.kinds_below(node);
        return true;
      });
  if (after_space == ByteDfa::kDead) return;
  // After the walk, whose stack it needs, too.
  trie_.ForEachRoot({uint64_t{1} << ' ', 0, 0, 0}, [&](uint32_t space) {
    if (dfa.IsAccept(after_space)) Leave(space, after_space, dfa, mask);
  });
  WalkWords(spaced, 1, dfa, after_space, live, mask);
}

void LocalMaskBuilder::Leave(uint32_t node, uint32_t state, const ByteDfa& dfa, LocalMask* mask) {
  if (exit_trie_ == &trie_ && trie_.node(node).subtree_end - node > sizes_.wide) {
    mask->wide_exits_.push_back(node);
    AddSoftExits(node, dfa.first_bytes(state));
  } else {
    AddExit(node, {state, {}}, 0, dfa);
  }
}

void LocalMaskBuilder::AddSoftExits(uint32_t node, const ByteSet& next) {
  const uint32_t end = trie_.node(node).subtree_end;
  for (uint32_t child = node + 1; child < end; child = trie_.node(child).subtree_end) {
    const auto byte = static_cast<uint8_t>(trie_.node(child).byte);
    if (next.Contains(byte)) soft_exits_.Add(byte);
  }
}

void LocalMaskBuilder::AddExit(uint32_t node, const DfaPosition& position, uint32_t copies,
                               const ByteDfa& dfa) {
  const TokenTrie& trie = *exit_trie_;
  const uint32_t end = trie.node(node).subtree_end;
  for (uint32_t child = node + 1; child < end; child = trie.node(child).subtree_end) {
    const auto byte = static_cast<uint8_t>(trie.node(child).byte);
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
  Begin();
  soft_exits_ = base->soft_exits();
  if (!base->words_.empty()) base_words_ = &base->words_;
  auto mask = std::make_shared<LocalMask>();
  put_off_.clear();
  // Where both lead to one state they agree from there on.
  trie_.ForEachRoot(DifferingBytes(dfa, state, base_state).words, [&](uint32_t root) {
    put_off_.push_back({root, {state, base_state}});
  });
  ComparePutOff(dfa, mask.get());
  return FinishDifference(std::move(mask), std::move(base));
}

std::shared_ptr<const LocalMask> LocalMaskBuilder::BuildDifferenceBefore(
    const ByteDfa& dfa, uint8_t byte, uint32_t after, uint32_t base_after,
    std::shared_ptr<const LocalMask> base) {
  Begin();
  soft_exits_ = base->soft_exits();
  if (!base->words_.empty()) base_words_ = &base->words_;
  auto mask = std::make_shared<LocalMask>();
  put_off_.clear();
  ByteSet only;
  only.Add(byte);
  const Pair to{after, base_after};
  trie_.ForEachRoot(only.words, [&](uint32_t root) {
    if (PutOffChildren(root, to, dfa)) return;
    const uint32_t end = trie_.node(root).subtree_end;
    for (uint32_t child = root + 1; child < end; child = trie_.node(child).subtree_end)
      put_off_.push_back({child, to});
  });
  ComparePutOff(dfa, mask.get());
  return FinishDifference(std::move(mask), std::move(base));
}

void LocalMaskBuilder::ComparePutOff(const ByteDfa& dfa, LocalMask* mask) {
  const size_t num_levels = size_t{trie_.max_token_bytes()} + 2;
  if (pairs_.size() < num_levels) pairs_.resize(num_levels);
  while (!put_off_.empty()) {
    const PairSubtree next = put_off_.back();
    put_off_.pop_back();
    pairs_[trie_.node(next.root).depth - 1] = next.before;
    CompareSubtree(next.root, dfa, mask);
  }
}

std::shared_ptr<LocalMask> LocalMaskBuilder::FinishDifference(
    std::shared_ptr<LocalMask> mask, std::shared_ptr<const LocalMask> base) {
  std::sort(mask->removed_exits_.begin(), mask->removed_exits_.end());
  mask->base_ = std::move(base);
  mask->soft_exits_ = soft_exits_;
  if (mask->base_->is_dense() && (mask->added_.size() + mask->removed_.size()) * 2 > NumWords()) {
    // So much is not the same that words of its own are smaller.
    std::vector<uint32_t> words(NumWords(), 0);
    mask->AddDifference(words, true);
    mask->words_ = std::move(words);
    mask->added_ = {};
    mask->removed_ = {};
  }
  mask->memory_size_bytes_ = static_cast<int64_t>(
      sizeof(LocalMask) + mask->words_.size() * sizeof(uint32_t) +
      (mask->added_.size() + mask->removed_.size() + mask->removed_exits_.size()) *
          sizeof(int32_t));
  AddTailGroups(false, mask.get());
  return mask;
}

void LocalMaskBuilder::CompareSubtree(uint32_t root, const ByteDfa& dfa, LocalMask* mask) {
  const uint32_t end = trie_.node(root).subtree_end;
  for (uint32_t i = root; i < end;) {
    const TokenTrie::Node& node = trie_.node(i);
    const Pair from = pairs_[node.depth - 1];
    const auto byte = static_cast<uint8_t>(node.byte);
    const Pair to{NextOrDead(dfa, from.state, byte), NextOrDead(dfa, from.base, byte)};
    if (node.depth > 1) {
      CompareNode(i, from.state, from.base, to.state, to.base, dfa, mask);
    } else {
      // Nothing is left before the first byte.
      CompareNode(i, ByteDfa::kDead, ByteDfa::kDead, to.state, to.base, dfa, mask);
    }
    if (to.state == ByteDfa::kDead && to.base != ByteDfa::kDead && base_words_ != nullptr) {
      RemoveBelow(i, mask);
      i = node.subtree_end;
      continue;
    }
    if (PutOffChildren(i, to, dfa)) {
      i = node.subtree_end;
      continue;
    }
    pairs_[node.depth] = to;
    ++i;
  }
}

void LocalMaskBuilder::RemoveBelow(uint32_t node, LocalMask* mask) const {
  // What does not stay inside the base may leave it, but below the node.
  const auto below = trie_.subtree_tokens(node).subspan(trie_.tokens(node).size());
  for (int32_t id : below) {
    (HasBit(*base_words_, id) ? mask->removed_ : mask->removed_exits_).push_back(id);
  }
}

bool LocalMaskBuilder::PutOffChildren(uint32_t node, const Pair& to, const ByteDfa& dfa) {
  if (to.state == to.base) return true;
  const auto may_leave = [&dfa](uint32_t s) { return s != ByteDfa::kDead && dfa.IsAccept(s); };
  if (!trie_.HasFan(node) || may_leave(to.state) != may_leave(to.base)) return false;
  // Children by a byte that leads both to one state tell nothing.
  trie_.ForEachChild(node, DifferingBytes(dfa, to.state, to.base).words, [&](uint32_t child) {
    put_off_.push_back({child, to});
  });
  return true;
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

uint32_t LocalMaskBuilder::UsualExitCopies() const {
  std::vector<size_t> num_tokens;  // By copies.
  for (const Exit& exit : exits_) {
    if (num_tokens.size() <= exit.copies) num_tokens.resize(size_t{exit.copies} + 1, 0);
    num_tokens[exit.copies] += exit_trie_->subtree_tokens(exit.node).size();
  }
  return static_cast<uint32_t>(std::max_element(num_tokens.begin(), num_tokens.end()) -
                               num_tokens.begin());
}

void LocalMaskBuilder::AddTailGroups(bool counted, LocalMask* mask) {
  if (exits_.empty()) return;
  std::sort(exits_.begin(), exits_.end(), [](const Exit& a, const Exit& b) {
    return a.byte != b.byte ? a.byte < b.byte : a.node < b.node;
  });
  mask->min_exit_copies_ = CopyBounds::kManyCopies;
  mask->counts_copies_ = counted;
  if (counted) mask->usual_exit_copies_ = UsualExitCopies();
  mask->exit_nodes_.resize(exits_.size());
  size_t num_groups = 0;
  for (size_t i = 0; i < exits_.size(); ++i) {
    const Exit& exit = exits_[i];
    mask->exit_nodes_[i] = exit.node;
    if (i == 0 || exits_[i - 1].byte != exit.byte) ++num_groups;
    const auto tokens = exit_trie_->subtree_tokens(exit.node);
    mask->memory_size_bytes_ +=
        static_cast<int64_t>(sizeof(uint32_t) + kTreeBytesPerToken * tokens.size());
    if (!counted) continue;
    if (exit.copies != mask->usual_exit_copies_) {
      for (int32_t token : tokens) mask->exit_copies_.emplace_back(token, exit.copies);
    }
    mask->min_exit_copies_ = std::min(mask->min_exit_copies_, exit.copies);
    mask->max_exit_copies_ = std::max(mask->max_exit_copies_, exit.copies);
  }
  mask->tail_groups_.reserve(num_groups);
  const std::span<const uint32_t> nodes(mask->exit_nodes_);
  for (size_t begin = 0; begin < exits_.size();) {
    size_t end = begin;
    while (end < exits_.size() && exits_[end].byte == exits_[begin].byte) ++end;
    mask->tail_groups_.emplace_back(exits_[begin].byte, *exit_trie_,
                                    nodes.subspan(begin, end - begin));
    begin = end;
  }
  mask->memory_size_bytes_ += static_cast<int64_t>(num_groups * sizeof(TailGroup));
  std::sort(mask->exit_copies_.begin(), mask->exit_copies_.end());
  mask->memory_size_bytes_ +=
      static_cast<int64_t>(mask->exit_copies_.size() * sizeof(std::pair<int32_t, uint32_t>));
}

}  // namespace xgrammar
