// LocalMaskBuilder: one DfaWalk; tokens that leave are grouped by the byte that comes next.
#include "mask/local_mask_builder.h"

#include <algorithm>
#include <string_view>

namespace xgrammar {

const TokenTrie& TailGroup::Tree(const TokenizerInfo& tokenizer) const {
  const TokenTrie* known = tree_.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  const TokenTrie& trie = tokenizer.trie();
  std::vector<std::pair<std::string_view, int32_t>> tails;
  for (uint32_t node : nodes_) {
    const size_t offset = trie.node(node).depth - 1;
    for (int32_t token : trie.subtree_tokens(node)) {
      const std::string& bytes = tokenizer.decoded_vocab()[static_cast<size_t>(token)];
      tails.emplace_back(std::string_view(bytes).substr(offset), token);
    }
  }
  auto made = std::make_unique<const TokenTrie>(std::move(tails));
  if (tree_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) return *made.release();
  return *known;
}

std::shared_ptr<const LocalMask> LocalMaskBuilder::Build(const ByteDfa& dfa, uint32_t state, bool counted,
                                                         const LocalMask::CopyBounds& copies) {
  const TokenTrie& trie = tokenizer_.trie();
  ids_.clear();
  exits_.clear();
  soft_exits_ = {};
  // Copies completed are measured from a bound that cannot be reached.
  const bool unbounded = copies.room == LocalMask::CopyBounds::kManyCopies;
  DfaPosition start{state, copies};
  const uint32_t measure = trie.max_token_bytes() + 2;
  if (counted && unbounded) start.copies.room = measure;
  uint32_t max_copies = 0;
  SelfLoopKinds loops(dfa);
  WalkDfa(
      trie, 0, trie.num_nodes(), dfa, counted, start, &stack_,
      [&](uint32_t node, const DfaPosition& to) {
        for (int32_t token : trie.tokens(node)) ids_.push_back(token);
        if (counted && unbounded) max_copies = std::max(max_copies, measure - to.copies.room);
      },
      [&](uint32_t node, const DfaPosition& to) { AddExit(node, to, dfa); },
      [&](uint32_t node, const DfaPosition& to) {
        // A state that stays where it is on all bytes below takes every token below.
        if (counted || (trie.kinds_below(node) & ~loops.Of(to.state)) != 0) return false;
        const auto tokens = trie.subtree_tokens(node);
        ids_.insert(ids_.end(), tokens.begin() + static_cast<ptrdiff_t>(trie.tokens(node).size()), tokens.end());
        return true;
      });

  auto mask = std::make_shared<LocalMask>();
  const size_t num_words = (static_cast<size_t>(tokenizer_.vocab_size()) + 31) / 32;
  if (ids_.size() * 2 > num_words) {
    mask->words_.assign(num_words, 0);
    for (int32_t id : ids_) mask->words_[static_cast<size_t>(id) >> 5] |= 1u << (id & 31);
  } else {
    mask->ids_.assign(ids_.begin(), ids_.end());
  }
  mask->soft_exits_ = soft_exits_;
  mask->max_copies_ = max_copies;
  mask->memory_size_bytes_ =
      static_cast<int64_t>(sizeof(LocalMask) + mask->words_.size() * sizeof(uint32_t) +
                           mask->ids_.size() * sizeof(int32_t));
  AddTailGroups(mask.get());
  return mask;
}

void LocalMaskBuilder::AddExit(uint32_t node, const DfaPosition& position, const ByteDfa& dfa) {
  const TokenTrie& trie = tokenizer_.trie();
  const uint32_t end = trie.node(node).subtree_end;
  for (uint32_t child = node + 1; child < end; child = trie.node(child).subtree_end) {
    const auto byte = static_cast<uint8_t>(trie.node(child).byte);
    if (position.state != ByteDfa::kDead && dfa.Next(position.state, byte) != ByteDfa::kDead) {
      soft_exits_.Add(byte);
    } else {
      exits_.emplace_back(byte, child);
    }
  }
}

void LocalMaskBuilder::AddTailGroups(LocalMask* mask) {
  // Nodes of the tree of a token: about this many bytes per token in the vocabularies that we measured.
  constexpr int64_t kTreeBytesPerToken = 48;
  std::sort(exits_.begin(), exits_.end());
  for (size_t begin = 0; begin < exits_.size();) {
    std::vector<uint32_t> nodes;
    size_t end = begin;
    for (; end < exits_.size() && exits_[end].first == exits_[begin].first; ++end) {
      nodes.push_back(exits_[end].second);
      mask->memory_size_bytes_ +=
          static_cast<int64_t>(sizeof(uint32_t)) +
          kTreeBytesPerToken *
              static_cast<int64_t>(tokenizer_.trie().subtree_tokens(exits_[end].second).size());
    }
    mask->tail_groups_.emplace_back(exits_[begin].first, std::move(nodes));
    begin = end;
  }
}

}  // namespace xgrammar
