// DistinctFilter: of the tokens that a mask without comparing allows, those that an equal item
// forbids, and no others.
//
// Single sets; languages and random tokens are tests/property/test_distinct.py.
#include "mask/distinct_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "mask/mask_fixtures.h"

namespace xgrammar {
namespace {

// Ids: 0 a", 1 b", 2 a","a", 3 ", 4 ]
TokenizerInfoPtr Tokenizer() {
  return MakeTokenizer({"a\"", "b\"", "b\",\"b\"", "\"", "]", "</s>"}, {5}, {});
}

std::vector<int32_t> Refused(const std::string& text) {
  const auto tokenizer = Tokenizer();
  const SpanningTokens spanning(*tokenizer);
  Parser parser(ParseEbnf(R"(root ::= "[" Distinct(",", "\"" [ab]* "\"") "]")"),
                std::make_shared<DfaCache>(), nullptr, 8, Limits{});
  SetId set = parser.start();
  for (char c : text) set = parser.Next(set, static_cast<uint8_t>(c));
  const std::vector<uint32_t> all{0x1F};
  std::vector<int32_t> refused =
      DistinctFilter(&parser, *tokenizer, spanning).RefusedTokens(set, all);
  std::sort(refused.begin(), refused.end());
  refused.erase(std::unique(refused.begin(), refused.end()), refused.end());
  return refused;
}

TEST(DistinctFilter, RefusesWhatIsThere) {
  EXPECT_EQ(Refused("[\""), (std::vector<int32_t>{2}));
  EXPECT_EQ(Refused("[\"a\",\""), (std::vector<int32_t>{0, 2}));
  EXPECT_EQ(Refused("[\"a\",\"b\",\""), (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(Refused("[\"aa\",\"a"), (std::vector<int32_t>{0}));
  EXPECT_EQ(Refused("[\"aa\",\"aa"), (std::vector<int32_t>{3}));
}

}  // namespace
}  // namespace xgrammar
