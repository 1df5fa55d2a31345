// TokenLengths: the pass.
//
// What is known of a prefix is kept by its depth. Subtrees that no well-formed UTF-8 begins with
// are left out.
#include "tokenizer/token_lengths.h"

#include "tokenizer/byte_kind.h"

namespace xgrammar {

TokenLengths::TokenLengths(const TokenTrie& trie, int32_t vocab_size)
    : lengths_(static_cast<size_t>(vocab_size), 0) {
  constexpr uint32_t kMaxBytes = 0xFFFF;
  struct Prefix {
    uint16_t length = 0;
    Utf8State utf8 = Utf8State::kBoundary;
  };
  std::vector<Prefix> path(size_t{trie.max_token_bytes()} + 1);
  for (uint32_t i = 0; i < trie.num_nodes();) {
    const TokenTrie::Node& node = trie.node(i);
    const Prefix& before = path[node.depth - 1];
    const Utf8State utf8 = NextUtf8State(before.utf8, static_cast<uint8_t>(node.byte));
    if (utf8 == Utf8State::kIllFormed || node.depth > kMaxBytes) {
      i = node.subtree_end;
      continue;
    }
    const int begins = before.utf8 == Utf8State::kBoundary ? 1 : 0;
    const Prefix here{static_cast<uint16_t>(before.length + begins), utf8};
    path[node.depth] = here;
    for (int32_t token : trie.tokens(i)) lengths_[static_cast<size_t>(token)] = here.length;
    ++i;
  }
}

}  // namespace xgrammar
