// KindMasks: masks by a walk of the token tree that takes or leaves whole subtrees.
//
// Special and stop tokens are no part of the token tree and of no mask and rest either.
#include "mask/kind_masks.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "tokenizer/byte_kind.h"

namespace xgrammar {

std::shared_ptr<const KindMasks::Tokens> KindMasks::Get(uint16_t kinds) {
  {
    const std::lock_guard<ForkSafeMutex> lock(mutex_);
    const auto known = masks_.find(kinds);
    if (known != masks_.end()) return known->second;
  }
  std::shared_ptr<const Tokens> made = Make(kinds);
  constexpr size_t kMaxMasks = 16;
  const std::lock_guard<ForkSafeMutex> lock(mutex_);
  if (masks_.size() >= kMaxMasks) masks_.clear();
  return masks_.try_emplace(kinds, std::move(made)).first->second;
}

int64_t KindMasks::SizeBytes() const {
  const std::lock_guard<ForkSafeMutex> lock(mutex_);
  int64_t bytes = 0;
  for (const auto& [kinds, tokens] : masks_) {
    if (tokens == nullptr) continue;
    bytes += static_cast<int64_t>(tokens->words.size() * sizeof(uint32_t)) +
             tokens->rest.MemorySizeBytes();
  }
  return bytes;
}

void KindMasks::Clear() {
  const std::lock_guard<ForkSafeMutex> lock(mutex_);
  masks_.clear();
}

std::shared_ptr<const KindMasks::Tokens> KindMasks::Make(uint16_t kinds) const {
  const TokenTrie& trie = tokenizer_.trie();
  auto made = std::make_shared<Tokens>();
  made->words.assign((static_cast<size_t>(tokenizer_.vocab_size()) + 31) / 32, 0);
  const auto take = [&](std::span<const int32_t> tokens) {
    for (int32_t id : tokens) made->words[static_cast<size_t>(id) >> 5] |= 1u << (id & 31);
  };
  std::vector<std::span<const int32_t>> others;
  size_t num_others = 0;
  // A tree of more than this many others takes too long to make, and to walk.
  const size_t max_others = trie.all_tokens().size() / min_share_;
  std::vector<Utf8State> path(size_t{trie.max_token_bytes()} + 1, Utf8State::kBoundary);
  for (uint32_t i = 0; i < trie.num_nodes();) {
    const TokenTrie::Node& node = trie.node(i);
    const auto byte = static_cast<uint8_t>(node.byte);
    const Utf8State here = NextUtf8State(path[node.depth - 1], byte);
    const bool is_alive = (kKindBits[byte] & ~kinds) == 0 && here != Utf8State::kIllFormed &&
                          node.depth <= max_token_bytes_;
    const bool is_all_alive =
        (node.kinds_below & ~kinds) == 0 && node.depth + trie.height_below(i) <= max_token_bytes_;
    if (!is_alive) {
      others.push_back(trie.subtree_tokens(i));
      num_others += others.back().size();
      if (num_others > max_others) return nullptr;
      i = node.subtree_end;
    } else if (is_all_alive) {
      take(trie.subtree_tokens(i));
      i = node.subtree_end;
    } else {
      take(trie.tokens(i));
      path[node.depth] = here;
      ++i;
    }
  }
  std::vector<std::pair<std::string_view, int32_t>> rest;
  rest.reserve(num_others);
  for (const std::span<const int32_t> tokens : others) {
    for (int32_t id : tokens)
      rest.emplace_back(tokenizer_.decoded_vocab()[static_cast<size_t>(id)], id);
  }
  made->rest = TokenTrie(std::move(rest));
  return made;
}

}  // namespace xgrammar
