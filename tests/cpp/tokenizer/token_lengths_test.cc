// TokenLengths: the characters of each token, against counting by hand.
//
// Characters cut short at the end count, text that is no UTF-8 does not.
#include "tokenizer/token_lengths.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xgrammar {
namespace {

TEST(TokenLengths, CountCharactersThatBegin) {
  const std::vector<std::pair<std::string, uint32_t>> texts{{"a", 1},
                                                            {"a7", 2},
                                                            {"\xc3\xa9", 1},
                                                            {"\xe4\xb8", 1},  // Of three bytes.
                                                            {"\xe4\xb8\xadx", 2},
                                                            {"x\xf0\x9f\x98\x80", 2},
                                                            {"\xa9", 0},
                                                            {"\xff", 0},
                                                            {"a\xe0\x80", 0},
                                                            {"", 0},
                                                            {std::string(70, ' '), 70},
                                                            {std::string(70000, 'b'), 0}};
  std::vector<std::pair<std::string_view, int32_t>> tokens;
  for (size_t i = 0; i < texts.size(); ++i)
    tokens.emplace_back(texts[i].first, static_cast<int32_t>(i));
  const auto vocab_size = static_cast<int32_t>(texts.size()) + 2;
  const TokenLengths lengths(TokenTrie(std::move(tokens)), vocab_size);
  for (size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(lengths.of(static_cast<int32_t>(i)), texts[i].second) << i;
  EXPECT_EQ(lengths.of(vocab_size - 1), 0u) << "in no tree";
  EXPECT_GT(lengths.MemorySizeBytes(), 0);
}

}  // namespace
}  // namespace xgrammar
