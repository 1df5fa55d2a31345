// KindMasks: masks by a walk of the token tree that takes or leaves whole subtrees; what it leaves
// is taken out of the mask of all tokens.
//
// Special and stop tokens are no part of the token tree and of no mask and rest either.
#include "mask/kind_masks.h"

#include <algorithm>
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

void KindMasks::MakeCommon() {
  constexpr auto kLines = static_cast<uint16_t>(~(KindBit('\n') | kIllFormedBelow));
  constexpr auto kStrings = static_cast<uint16_t>(kLines & ~(KindBit('"') | KindBit('\\')));
  Get(kLines);
  Get(kStrings);
  // Free text before a tag: nearly every marker begins with one of these brackets.
  Get(static_cast<uint16_t>(~(KindBit('<') | kIllFormedBelow)));
  Get(static_cast<uint16_t>(~(KindBit('[') | kIllFormedBelow)));
  // The same for a call that begins with a name in a JSON object: braces are of the kind of all
  // other signs, the colon after the name is not.
  Get(static_cast<uint16_t>(~(KindBit('<') | KindBit(':') | kIllFormedBelow)));
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
  std::vector<TokenTrie::Pick> picks;
  size_t num_others = 0;
  // A tree of more than this many others takes too long to make, and to walk.
  const size_t max_others = trie.all_tokens().size() / min_share_;
  const auto none = static_cast<uint16_t>(~kinds & ~kIllFormedBelow);
  std::vector<Utf8State> path(size_t{trie.max_token_bytes()} + 1, Utf8State::kBoundary);
  for (uint32_t i = 0; i < trie.num_nodes();) {
    const TokenTrie::Node& node = trie.node(i);
    const auto byte = static_cast<uint8_t>(node.byte);
    const Utf8State here = NextUtf8State(path[node.depth - 1], byte);
    const bool is_alive = (kKindBits[byte] & ~kinds) == 0 && here != Utf8State::kIllFormed &&
                          node.depth <= max_token_bytes_;
    const bool is_all_alive = (node.kinds_below & none) == 0 && !node.ill_formed_below &&
                              node.depth + trie.height_below(i) <= max_token_bytes_;
    if (is_alive && is_all_alive) {
      i = node.subtree_end;
      continue;
    }
    // Nothing else was found below the last ones, if they are not above this one.
    while (!picks.empty() && !picks.back().with_subtree &&
           trie.node(picks.back().node).subtree_end <= i) {
      picks.pop_back();
    }
    picks.push_back({i, !is_alive});
    if (is_alive) {
      path[node.depth] = here;
      ++i;
    } else {
      num_others += trie.subtree_tokens(i).size();
      if (num_others > max_others) return nullptr;
      i = node.subtree_end;
    }
  }
  while (!picks.empty() && !picks.back().with_subtree) picks.pop_back();
  auto made = std::make_shared<Tokens>();
  made->rest = TokenTrie(trie, picks);
  // Most tokens are of the kinds: taking out the others is less work.
  made->words = tokenizer_.ordinary_tokens();
  for (int32_t id : made->rest.all_tokens())
    made->words[static_cast<size_t>(id) >> 5] &= ~(1u << (id & 31));
  return made;
}

}  // namespace xgrammar
