// KindMasks: the kinds of each token, found once by a scan of the token tree, and masks by
// comparing them.
//
// Special and stop tokens are no part of the token tree and of no mask and rest either.
#include "mask/kind_masks.h"

#include <algorithm>
#include <bit>
#include <span>
#include <string_view>
#include <utility>

#include "tokenizer/byte_kind.h"

namespace xgrammar {

void KindMasks::FindKinds() {
  kinds_of_token_.assign(static_cast<size_t>(tokenizer_.vocab_size()), kIllFormedBelow);
  const TokenTrie& trie = tokenizer_.trie();
  struct Step {
    uint16_t kinds = 0;
    Utf8State utf8 = Utf8State::kBoundary;
  };
  std::vector<Step> path(size_t{trie.max_token_bytes()} + 1);
  for (uint32_t i = 0; i < trie.num_nodes(); ++i) {
    const TokenTrie::Node& node = trie.node(i);
    const auto byte = static_cast<uint8_t>(node.byte);
    const Step& before = path[node.depth - 1];
    const Step here{static_cast<uint16_t>(before.kinds | kKindBits[byte]),
                    NextUtf8State(before.utf8, byte)};
    path[node.depth] = here;
    if (here.utf8 == Utf8State::kIllFormed || node.depth > max_token_bytes_) continue;
    for (int32_t token : trie.tokens(i)) kinds_of_token_[static_cast<size_t>(token)] = here.kinds;
  }
}

std::shared_ptr<const KindMasks::Tokens> KindMasks::Get(uint16_t kinds) {
  kinds_once_.Call([this] { FindKinds(); });
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
  const auto others = static_cast<uint16_t>(~kinds | kIllFormedBelow);
  auto made = std::make_shared<Tokens>();
  made->words.assign((kinds_of_token_.size() + 31) / 32, 0);
  size_t num_known = 0;
  for (size_t w = 0; w < made->words.size(); ++w) {
    const size_t end = std::min(kinds_of_token_.size() - w * 32, size_t{32});
    uint32_t bits = 0;
    for (size_t i = 0; i < end; ++i) {
      bits |= static_cast<uint32_t>((kinds_of_token_[w * 32 + i] & others) == 0) << i;
    }
    made->words[w] = bits;
    num_known += static_cast<size_t>(std::popcount(bits));
  }
  const TokenTrie& trie = tokenizer_.trie();
  const std::span<const int32_t> all = trie.all_tokens();
  // A tree of more than this many others takes too long to make, and to walk.
  if (all.size() - num_known > all.size() / min_share_) return nullptr;
  std::vector<std::pair<std::string_view, int32_t>> rest;
  rest.reserve(all.size() - num_known);
  for (int32_t token : all) {
    const auto index = static_cast<size_t>(token);
    if ((made->words[index >> 5] >> (index & 31) & 1) != 0) continue;
    rest.emplace_back(tokenizer_.decoded_vocab()[index], token);
  }
  made->rest = TokenTrie(std::move(rest));
  return made;
}

}  // namespace xgrammar
