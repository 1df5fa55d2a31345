// MarkerTokens: the texts of a tokenizer's special and stop tokens, and which of them a literal of
// the grammar spells.
//
// Such a token never matches text. Where the grammar spells its whole text by literals, it may
// stand for it.
#pragma once

#include <cstdint>
#include <vector>

#include "parser/parser.h"
#include "tokenizer/tokenizer_info.h"

namespace xgrammar {

/// Immutable; safe to share.
class MarkerTokens {
 public:
  explicit MarkerTokens(const TokenizerInfo& tokenizer);

  const TokenTrie& trie() const { return trie_; }

  struct Match {
    int32_t token = 0;
    SetId target = kDeadSet;  ///< The set after the token.
  };
  /// The marker tokens that may follow the set. Raises kLimit.
  std::vector<Match> Find(Parser* parser, SetId set) const;

 private:
  TokenTrie trie_;
};

}  // namespace xgrammar
