// SettledSize: how much of a text no later text can change the tokens of, as far as the vocabulary
// alone tells.
//
// Serves find_jump_forward_encoding: forced text is tokenized only as far as it is settled. Merges
// and pre-tokenizers of a real tokenizer are not known here; the facade asks the tokenizer itself.
#pragma once

#include <cstddef>
#include <string_view>

#include "tokenizer/token_trie.h"

namespace xgrammar {

/// Bytes before the longest suffix that a token of the tree begins with and goes on after: what
/// follows the text may join with that suffix, or with a part of it, into one token. All bytes if
/// there is no such suffix. Cost: the longest token's length times a descent in the tree.
size_t SettledSize(const TokenTrie& trie, std::string_view text);

}  // namespace xgrammar
