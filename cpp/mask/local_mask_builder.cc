// LocalMaskBuilder: one DfaWalk; tokens that leave become tails.
#include "mask/local_mask_builder.h"

namespace xgrammar {

int64_t LocalMask::MemorySizeBytes() const {
  return static_cast<int64_t>(sizeof(*this) + words_.size() * sizeof(uint32_t) + ids_.size() * sizeof(int32_t)) +
         tails_.MemorySizeBytes();
}

std::shared_ptr<const LocalMask> LocalMaskBuilder::Build(const ByteDfa& dfa, uint32_t state, bool counted,
                                                         const LocalMask::CopyBounds& copies) {
  const TokenTrie& trie = tokenizer_.trie();
  ids_.clear();
  tails_.clear();
  soft_exits_ = {};
  // Copies completed are measured from a bound that cannot be reached.
  const bool unbounded = copies.room == LocalMask::CopyBounds::kManyCopies;
  DfaPosition start{state, copies};
  const uint32_t measure = trie.max_token_bytes() + 2;
  if (counted && unbounded) start.copies.room = measure;
  uint32_t max_copies = 0;
  WalkDfa(
      trie, 0, trie.num_nodes(), dfa, counted, start, &stack_,
      [&](uint32_t node, const DfaPosition& to) {
        for (int32_t token : trie.tokens(node)) ids_.push_back(token);
        if (counted && unbounded) max_copies = std::max(max_copies, measure - to.copies.room);
      },
      [&](uint32_t node, const DfaPosition& to) { AddExit(node, to, dfa); });

  auto mask = std::make_shared<LocalMask>();
  const size_t num_words = (static_cast<size_t>(tokenizer_.vocab_size()) + 31) / 32;
  if (ids_.size() * 2 > num_words) {
    mask->words_.assign(num_words, 0);
    for (int32_t id : ids_) mask->words_[static_cast<size_t>(id) >> 5] |= 1u << (id & 31);
  } else {
    mask->ids_.assign(ids_.begin(), ids_.end());
  }
  mask->tails_ = TokenTrie(std::move(tails_));
  tails_ = {};
  mask->soft_exits_ = soft_exits_;
  mask->max_copies_ = max_copies;
  return mask;
}

void LocalMaskBuilder::AddExit(uint32_t node, const DfaPosition& position, const ByteDfa& dfa) {
  const TokenTrie& trie = tokenizer_.trie();
  const uint32_t depth = trie.node(node).depth;
  for (uint32_t child = node + 1; child < trie.node(node).subtree_end;) {
    const uint32_t next = trie.node(child).subtree_end;
    const uint8_t byte = trie.node(child).byte;
    if (position.state != ByteDfa::kDead && dfa.Next(position.state, byte) != ByteDfa::kDead) {
      soft_exits_.Add(byte);
    } else {
      for (int32_t token : trie.subtree_tokens(child)) {
        const std::string& bytes = tokenizer_.decoded_vocab()[static_cast<size_t>(token)];
        tails_.emplace_back(std::string_view(bytes).substr(depth), token);
      }
    }
    child = next;
  }
}

}  // namespace xgrammar
