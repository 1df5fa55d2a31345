// ExprToDfa against the grammar it was made from: sequences, choices, counts, references by a
// callback; whole tokens have no automaton.
//
// ShortestOnly keeps no member with a shorter one in front of it. Automata themselves are
// tests/cpp/automata; when rules are folded is tests/cpp/lowering/regular_facts_test.cc.
#include "grammar/regular.h"

#include <gtest/gtest.h>

#include "grammar/builder.h"

namespace xgrammar {
namespace {

CodePointDfaPtr NoRules(RuleId) { return nullptr; }

TEST(Regular, SequencesChoicesAndCounts) {
  GrammarBuilder builder;
  const ExprId digit = builder.AddCharClass(CodePointSet({{'0', '9'}}));
  const ExprId word = builder.AddChoices({builder.AddByteString("ab"), builder.AddByteString("é")});
  const ExprId expr = builder.AddSequence({word, builder.AddRepeat(digit, 2, 3)});
  const auto dfa = ExprToDfa(builder.view(), expr, NoRules, {});
  ASSERT_TRUE(dfa.has_value());
  for (const char* text : {"ab12", "é123"}) EXPECT_TRUE(dfa->Accepts(text)) << text;
  for (const char* text : {"ab1", "ab1234", "a12", "é", ""})
    EXPECT_FALSE(dfa->Accepts(text)) << text;
}

TEST(Regular, AReferenceIsItsBodyUnlessTheCallbackSaysOtherwise) {
  GrammarBuilder builder;
  const RuleId rule = builder.AddRule("x");
  builder.SetBody(rule, builder.AddByteString("x"));
  const ExprId expr = builder.AddPlus(builder.AddRuleRef(rule));
  const auto by_body = ExprToDfa(builder.view(), expr, NoRules, {});
  ASSERT_TRUE(by_body.has_value());
  EXPECT_TRUE(by_body->Accepts("xx"));
  const auto dfa = ExprToDfa(
      builder.view(), expr,
      [](RuleId) { return std::make_shared<const CodePointDfa>(FromStrings({"y"})); }, {});
  ASSERT_TRUE(dfa.has_value());
  EXPECT_TRUE(dfa->Accepts("yyy"));
  EXPECT_FALSE(dfa->Accepts("x"));
  EXPECT_FALSE(dfa->Accepts(""));
}

TEST(Regular, TokensAreNotText) {
  GrammarBuilder builder;
  EXPECT_FALSE(ExprToDfa(builder.view(), builder.AddTokenSet({1}, false), NoRules, {}).has_value());
}

TEST(Regular, ShortestOnlyEndsAtTheFirstPlace) {
  const CodePointDfa shortest = ShortestOnly(FromStrings({"a", "ab", "cd", "cde"}));
  for (const char* text : {"a", "cd"}) EXPECT_TRUE(shortest.Accepts(text)) << text;
  for (const char* text : {"ab", "cde", "c", ""}) EXPECT_FALSE(shortest.Accepts(text)) << text;
}

}  // namespace
}  // namespace xgrammar
