// MarkerTokens: a special or stop token may follow only where literals spell its whole text: in
// parts in any order and under repetitions too, and never through a class.
//
// Asks for matches at single parser sets. What a matcher does with them is
// tests/cpp/matcher/stop_tokens_test.cc.
#include "mask/marker_tokens.h"

#include <gtest/gtest.h>

#include <map>

#include "mask/mask_fixtures.h"

namespace xgrammar {
namespace {

// Ids: 0 <e>, 1 </s>, 2 <e, 3 a, 4 ><, 5 without text.
TokenizerInfoPtr Tokenizer() {
  return MakeTokenizer({"<e>", "</s>", "<e", "a", "><", ""}, {1}, {0, 2, 4});
}

std::set<int32_t> Find(const std::string& ebnf, const std::string& text = "") {
  const auto tokenizer = Tokenizer();
  const MarkerTokens markers(*tokenizer);
  Parser parser(ParseEbnf(ebnf), std::make_shared<DfaCache>(), &markers.trie(), 8, Limits{});
  SetId set = parser.start();
  for (char c : text) set = parser.Next(set, static_cast<uint8_t>(c));
  std::set<int32_t> found;
  for (const MarkerTokens::Match& match : markers.Find(&parser, set)) {
    EXPECT_TRUE(found.insert(match.token).second);
    EXPECT_NE(match.target, kDeadSet);
  }
  return found;
}

TEST(MarkerTokens, HoldsSpecialAndStopTokensWithText) {
  const auto tokenizer = Tokenizer();
  EXPECT_EQ(MarkerTokens(*tokenizer).trie().subtree_tokens(0).size() +
                MarkerTokens(*tokenizer)
                    .trie()
                    .subtree_tokens(MarkerTokens(*tokenizer).trie().node(0).subtree_end)
                    .size(),
            4u);
}

TEST(MarkerTokens, LiteralsSpellThem) {
  EXPECT_EQ(Find("root ::= \"<e>\" \"a\""), (std::set<int32_t>{0, 2}));
  EXPECT_EQ(Find("root ::= \"x<e>\"", "x"), (std::set<int32_t>{0, 2}));
  EXPECT_EQ(Find("root ::= \"<e>\" | \"</s>\""), (std::set<int32_t>{0, 1, 2}));
  EXPECT_EQ(Find("root ::= \"<e>\" tag\ntag ::= \"</s>\"", "<e"), (std::set<int32_t>{4}));
}

TEST(MarkerTokens, LiteralsOfPartsInAnyOrderDo) {
  const std::string ebnf =
      "root ::= AnyOrder(\",\", \"<e>\" x, \"</s>\" x, \"a\")\nx ::= \"(\" x \")\" | \"y\"";
  EXPECT_EQ(Find(ebnf), (std::set<int32_t>{0, 1, 2}));
  EXPECT_EQ(Find(ebnf, "<e>y,"), (std::set<int32_t>{1}));
  EXPECT_EQ(Find(ebnf, "a,<e"), (std::set<int32_t>{}));
}

TEST(MarkerTokens, ClassesDoNot) {
  EXPECT_TRUE(Find("root ::= [<=] [ef] [>]").empty());
  EXPECT_TRUE(Find("root ::= [<] [e] [>]").empty());
  EXPECT_TRUE(Find("root ::= \"<\" [e] \">\" \"a\"").empty());
  EXPECT_TRUE(Find("root ::= [^x]*").empty());
  EXPECT_EQ(Find("root ::= [<e>]* | \"<e>\" \"a\""), (std::set<int32_t>{0, 2}));
  EXPECT_TRUE(Find("root ::= \"<\" [ef] \">\"").empty());
}

TEST(MarkerTokens, LiteralsUnderRepetitionsDo) {
  EXPECT_EQ(Find("root ::= (\"a\" \"<e>\")+", "a"), (std::set<int32_t>{0, 2}));
  EXPECT_EQ(Find("root ::= (\"<e>\"){2,5}"), (std::set<int32_t>{0, 2}));
  EXPECT_EQ(Find("root ::= (\"<e>\" | [a-z])*"), (std::set<int32_t>{0, 2}));
}

}  // namespace
}  // namespace xgrammar
