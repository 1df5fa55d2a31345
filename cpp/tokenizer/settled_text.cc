// SettledSize: one descent in the token tree from each place where an unfinished token may begin.
//
// A merging tokenizer (Sennrich et al. 2016) may spell the end of a text otherwise once more text
// follows. The pieces that change lie, for the tokenizers this was tried with, within the longest
// suffix that is the beginning of a longer token; nothing in a vocabulary proves it, since merges
// may cascade, so callers state it as a property that is tested, not as a theorem.
#include "tokenizer/settled_text.h"

#include <cstdint>

namespace xgrammar {

namespace {

// Whether a token begins with all of a non-empty text and is longer.
bool IsProperPrefix(const TokenTrie& trie, std::string_view text) {
  uint32_t begin = 0;
  uint32_t end = trie.num_nodes();
  for (const char c : text) {
    while (begin < end && trie.node(begin).byte != static_cast<uint8_t>(c)) {
      begin = trie.node(begin).subtree_end;
    }
    if (begin >= end) return false;
    end = trie.node(begin).subtree_end;
    ++begin;
  }
  return begin < end;
}

}  // namespace

size_t SettledSize(const TokenTrie& trie, std::string_view text) {
  const size_t longest = trie.max_token_bytes();
  for (size_t i = text.size() > longest ? text.size() - longest : 0; i < text.size(); ++i) {
    if (IsProperPrefix(trie, text.substr(i))) return i;
  }
  return text.size();
}

}  // namespace xgrammar
