// Shared by the tests of this folder: tokenizers of a few tokens, random vocabularies, automata
// from regular grammars, and rows of bits as sets of ids.
//
// Vocabularies are small on purpose: each test can then try every token. Real vocabularies come in
// from Python, in tests/property.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "frontend/ebnf/parser.h"
#include "lowering/unit_table.h"
#include "parser/parser.h"
#include "tokenizer/tokenizer_info.h"

namespace xgrammar {

inline TokenizerInfoPtr MakeTokenizer(const std::vector<std::string>& vocab,
                                      std::vector<int64_t> stop = {},
                                      std::vector<int64_t> special = {}) {
  TokenizerOptions options;
  options.stop_token_ids = std::move(stop);
  options.special_token_ids = std::move(special);
  options.decoded = true;
  return TokenizerInfo::Make(vocab, options);
}

/// Tokens over the alphabet of RandomGrammar: all single bytes, duplicates, characters that are
/// split, NUL, long ones.
inline std::vector<std::string> RandomVocabulary(std::mt19937* random) {
  const std::vector<std::string> pieces{
      "a",    "b",        "c",           "\xC3", "\xA9",
      "\xE2", "\x82",     "\xAC",        "z",    std::string(1, '\0'),
      "\xFF", "\xC3\xA9", "\xE2\x82\xAC"};
  std::vector<std::string> vocab(pieces.begin(), pieces.end() - 2);
  const size_t count = 20 + (*random)() % 150;
  while (vocab.size() < count) {
    if ((*random)() % 12 == 0) {
      vocab.push_back(vocab[(*random)() % vocab.size()]);  // A duplicate.
      continue;
    }
    std::string token;
    const size_t length = 1 + (*random)() % ((*random)() % 10 == 0 ? 12 : 4);
    for (size_t i = 0; i < length; ++i) token += pieces[(*random)() % ((*random)() % 2 ? 3 : 13)];
    vocab.push_back(token);
  }
  return vocab;
}

/// Tokens of all kinds of bytes, each byte among them: words, numbers, punctuation, characters of
/// other scripts whole and split, with the beginnings that a real vocabulary shares, some long.
inline std::vector<std::string> WideVocabulary(std::mt19937* random, size_t count) {
  const std::vector<std::string> pieces{
      "a",    "b",   "t",  "e",  "Z", "Q",  "0",    "7",        " ",
      " ",    "\n",  "\"", "\\", "_", "-",  ".",    ",",        ":",
      "/",    "@",   "!",  "{",  "}", "\t", "\x01", "\xC3\xA9", "\xE2\x82\xAC",
      "\xC3", "\xA9"};
  std::vector<std::string> vocab;
  for (int b = 0; b < 256; ++b) vocab.emplace_back(1, static_cast<char>(b));
  while (vocab.size() < count) {
    // Most tokens are of few kinds, and many go on where another one ends.
    const size_t from = (*random)() % pieces.size();
    const size_t spread = (*random)() % 3 == 0 ? pieces.size() : 1 + (*random)() % 5;
    std::string token = (*random)() % 2 == 0 ? vocab[(*random)() % vocab.size()] : std::string();
    const size_t length = 1 + (*random)() % ((*random)() % 20 == 0 ? 40 : 5);
    for (size_t i = 0; i < length; ++i) {
      token += pieces[(from + (*random)() % spread) % pieces.size()];
    }
    vocab.push_back(token);
  }
  return vocab;
}

inline std::set<int32_t> BitsOf(const std::vector<uint32_t>& row) {
  std::set<int32_t> bits;
  for (size_t i = 0; i < row.size() * 32; ++i) {
    if ((row[i / 32] >> (i % 32) & 1u) != 0) bits.insert(static_cast<int32_t>(i));
  }
  return bits;
}

inline std::vector<uint32_t> MakeRow(const TokenizerInfo& tokenizer, uint32_t fill = 0xA5A5A5A5u) {
  return std::vector<uint32_t>((static_cast<size_t>(tokenizer.vocab_size()) + 31) / 32, fill);
}

/// The automaton of a regular EBNF grammar.
inline ByteDfaPtr FoldedDfa(const std::string& ebnf) {
  DfaCache cache;
  UnitTable units(ParseEbnf(ebnf), &cache, nullptr);
  return units.Get(units.root()).dfa;
}

}  // namespace xgrammar
