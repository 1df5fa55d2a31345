// FoldRightLinear: recursion that is only a loop, written as rules that call one another at their
// ends, becomes the automaton of that loop; other recursion is left alone.
//
// Judged by a few texts. Which rules are tried is unit_table_test.cc.
#include "lowering/right_linear.h"

#include <gtest/gtest.h>

#include "frontend/ebnf/parser.h"

namespace xgrammar {
namespace {

ByteDfaPtr Fold(const std::string& ebnf) {
  static DfaCache cache;
  const auto grammar = ParseEbnf(ebnf);
  const GrammarFacts facts(*grammar);
  RegularFacts regular(*grammar, facts, nullptr);
  const ExprId body = grammar->rule(grammar->root()).body;
  EXPECT_EQ(regular.FoldedSize(body), RegularFacts::kNotFoldable) << ebnf;
  return FoldRightLinear(*grammar, facts, body, &regular, &cache);
}

TEST(RightLinear, LoopsWrittenAsRulesFold) {
  const ByteDfaPtr one = Fold("root ::= [a-z] root | \".\"");
  ASSERT_NE(one, nullptr);
  EXPECT_TRUE(one->Accepts("abc."));
  EXPECT_TRUE(one->Accepts("."));
  EXPECT_FALSE(one->Accepts("abc"));
  const ByteDfaPtr two = Fold("root ::= \"a\" odd | \"\"\nodd ::= \"b\" root");
  ASSERT_NE(two, nullptr);
  EXPECT_TRUE(two->Accepts(""));
  EXPECT_TRUE(two->Accepts("abab"));
  EXPECT_FALSE(two->Accepts("aba"));
}

TEST(RightLinear, OtherRecursionDoesNot) {
  EXPECT_EQ(Fold("root ::= \"(\" root \")\" | \"y\""), nullptr);
  EXPECT_EQ(Fold("root ::= root \"a\" | \"y\""), nullptr);
  EXPECT_EQ(Fold("root ::= \"a\" root root | \"y\""), nullptr);
}

}  // namespace
}  // namespace xgrammar
