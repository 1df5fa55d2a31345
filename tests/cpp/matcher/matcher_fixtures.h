// Shared by the tests of this folder: a compiler over a small vocabulary, whose ids 0 and 1 stand
// for a stop and a special token, and masks as sets of token texts.
//
// Mask() also checks, token by token on forks, that the mask says what accepting does; rows are
// dirty before they are filled.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "frontend/ebnf/parser.h"
#include "grammar/builder.h"
#include "matcher/grammar_matcher.h"
#include "support/error.h"

namespace xgrammar {

/// Stop token `</s>` is id 0, special token `<e>` id 1.
inline TokenizerInfoPtr SmallTokenizer(const std::vector<std::string>& texts,
                                       std::vector<int64_t> stop = {0}) {
  std::vector<std::string> vocab{"</s>", "<e>"};
  vocab.insert(vocab.end(), texts.begin(), texts.end());
  TokenizerOptions options;
  options.stop_token_ids = std::move(stop);
  options.special_token_ids = {1};
  options.decoded = true;
  return TokenizerInfo::Make(vocab, options);
}

inline CompiledGrammarPtr Compile(const GrammarPtr& grammar, const TokenizerInfoPtr& tokenizer,
                                  const Limits& limits = {}) {
  return CompiledGrammar::Make(grammar, tokenizer, std::make_shared<LocalMaskCache>(tokenizer),
                               limits);
}
inline CompiledGrammarPtr Compile(const std::string& ebnf, const TokenizerInfoPtr& tokenizer,
                                  const Limits& limits = {}) {
  return Compile(ParseEbnf(ebnf), tokenizer, limits);
}

inline size_t NumWords(const GrammarMatcher& matcher) {
  return (static_cast<size_t>(matcher.compiled()->tokenizer_info()->vocab_size()) + 31) / 32;
}

inline std::set<int32_t> BitsOf(std::span<const int32_t> row) {
  std::set<int32_t> bits;
  for (size_t i = 0; i < row.size() * 32; ++i) {
    if ((static_cast<uint32_t>(row[i / 32]) >> (i % 32) & 1u) != 0)
      bits.insert(static_cast<int32_t>(i));
  }
  return bits;
}
inline std::set<int32_t> MaskIds(GrammarMatcher* matcher) {
  std::vector<int32_t> row(NumWords(*matcher), 0x5A5A5A5A);
  matcher->FillNextTokenBitmask(row);
  return BitsOf(row);
}
/// The texts of the allowed tokens; also checks that the mask says what accepting does.
inline std::set<std::string> Mask(GrammarMatcher* matcher) {
  std::set<std::string> texts;
  const auto ids = MaskIds(matcher);
  const auto& vocab = matcher->compiled()->tokenizer_info()->decoded_vocab();
  for (size_t id = 0; id < vocab.size(); ++id) {
    const bool allowed = ids.count(static_cast<int32_t>(id)) > 0;
    if (allowed) texts.insert(vocab[id]);
    GrammarMatcher fork = matcher->Fork();
    EXPECT_EQ(fork.AcceptToken(static_cast<int64_t>(id)), allowed) << vocab[id];
  }
  return texts;
}

template <typename Call>
ErrorKind KindOfError(const Call& call, std::string* text = nullptr) {
  try {
    call();
  } catch (const Error& error) {
    if (text != nullptr) *text = error.what();
    return error.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorKind::kInternal;
}

using Texts = std::set<std::string>;

}  // namespace xgrammar
