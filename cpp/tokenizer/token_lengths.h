// TokenLengths: how many characters begin in each token, found in one pass over the token tree.
//
// Where each character is a copy of a repetition, masks know by it how many copies a token needs
// without reading it. Immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tokenizer/token_trie.h"

namespace xgrammar {

class TokenLengths {
 public:
  TokenLengths() = default;
  TokenLengths(const TokenTrie& trie, int32_t vocab_size);

  /// 0 for tokens that are no beginning of well-formed UTF-8, that are not in the tree, and of more
  /// than 65,535 bytes.
  uint32_t of(int32_t token) const { return lengths_[static_cast<size_t>(token)]; }
  int64_t MemorySizeBytes() const {
    return static_cast<int64_t>(lengths_.size() * sizeof(uint16_t));
  }

 private:
  std::vector<uint16_t> lengths_;
};

}  // namespace xgrammar
