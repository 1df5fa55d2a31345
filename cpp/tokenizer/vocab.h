// Decoding of vocabulary spellings to bytes, for the three kinds of tokenizers, and finding the
// kind by the spellings.
//
// The first step of a TokenizerInfo, once for each token. Which tokens are special or stop tokens
// is not seen from spellings.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tokenizer/tokenizer_info.h"

namespace xgrammar {

/// The bytes that a token stands for.
///
/// kRaw: the spelling itself. kByteFallback: `<0xHH>` (six characters, hexadecimal digits of either
/// case) is one byte; elsewhere U+2581 is a space. kByteLevel: every character is one byte by the
/// byte-to-unicode table of GPT-2; a spelling with any other character, or that is not UTF-8,
/// stands for itself (this is how added tokens survive).
std::string DecodeToken(std::string_view encoded, VocabType vocab_type);

/// The kind that the spellings themselves show: kByteFallback with at least half of the texts
/// `<0x00>` to `<0xFF>`; kByteLevel with at least half of the 256 characters as tokens and 99 % of
/// all tokens spelled by those characters; otherwise nothing. Empty spellings, which stand for ids
/// without a token, do not count.
std::optional<VocabType> KindOfVocabulary(std::span<const std::string_view> encoded_vocab);

}  // namespace xgrammar
