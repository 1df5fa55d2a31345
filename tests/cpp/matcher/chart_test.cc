// Chart, the parser that keeps origins: feeding and going back, characters and tokens that are cut
// anywhere, counts, budgets of tokens and characters, and a bound on its memory.
//
// Judged by the captures that come out. What counts as a capture is captures_test.cc.
#include "matcher/chart.h"

#include <gtest/gtest.h>

#include <string>

#include "frontend/ebnf/parser.h"
#include "support/error.h"

namespace xgrammar {
namespace {

std::string Shown(const Chart& chart, bool longest_only = true) {
  std::string shown;
  for (const Capture& capture : chart.Captures(longest_only)) {
    shown += (shown.empty() ? "" : " ") + capture.name + "=" + capture.text;
  }
  return shown;
}

TEST(Chart, StepsMayCutCharacters) {
  const GrammarPtr grammar = ParseEbnf("root ::= x \"\u00fc\"\nx[capture] ::= \"\u00e9\" [^a]");
  Chart chart(grammar, {});
  for (char c : std::string("\u00e9\u00df\u00fc")) chart.Feed(std::string(1, c), -1);
  EXPECT_EQ(Shown(chart), "x=\u00e9\u00df");
}

TEST(Chart, GoesBackInsideACharacter) {
  const GrammarPtr grammar = ParseEbnf("root ::= x*\nx[capture] ::= [\u00e9\u00e8a]");
  Chart chart(grammar, {});
  chart.Feed("a", -1);
  chart.Feed("\xC3", -1);
  chart.Feed("\xA9", -1);
  chart.Feed("a", -1);
  EXPECT_EQ(Shown(chart), "x=a x=\u00e9 x=a");
  chart.Truncate(2);
  EXPECT_EQ(chart.num_steps(), 2u);
  EXPECT_EQ(Shown(chart), "x=a");
  chart.Feed("\xA8", -1);
  EXPECT_EQ(Shown(chart), "x=a x=\u00e8");
  chart.Truncate(0);
  EXPECT_EQ(Shown(chart), "");
  chart.Feed("\u00e9", -1);
  EXPECT_EQ(Shown(chart), "x=\u00e9");
}

TEST(Chart, TokensAreMatchedAsWholes) {
  const GrammarPtr grammar =
      ParseEbnf("root ::= x y\nx[capture] ::= Token(7)\ny[capture] ::= ExcludeToken(7) \"b\"?");
  Chart chart(grammar, {});
  chart.Feed("a", -1);
  EXPECT_EQ(Shown(chart), "");
  chart.Truncate(0);
  chart.Feed("ab", 7);
  chart.Feed("c\xC3", 8);
  EXPECT_EQ(Shown(chart), "x=ab y=c\xC3");
}

TEST(Chart, BudgetsSayWhereARuleEnds) {
  const GrammarPtr grammar = ParseEbnf("root ::= x [a-z]*\nx[capture, max_chars=2] ::= [a-z]*");
  Chart chart(grammar, {});
  chart.Feed("abcd", -1);
  EXPECT_EQ(Shown(chart), "x=ab");
  chart.Truncate(0);
  chart.Feed("a", -1);
  EXPECT_EQ(Shown(chart), "x=a");
  const GrammarPtr tokens = ParseEbnf("root ::= x [a-z]*\nx[capture, max_tokens=1] ::= [a-z]*");
  Chart by_token(tokens, {});
  by_token.Feed("abc", 1);
  by_token.Feed("de", 2);
  EXPECT_EQ(Shown(by_token), "x=abc");
}

TEST(Chart, CountsAreExact) {
  const GrammarPtr grammar =
      ParseEbnf("root ::= (x{2} \"-\"){2}\nx[capture] ::= [a-z]{3} | (\"\"){5} \"!\"");
  Chart chart(grammar, {});
  chart.Feed("abcdef-!xyz-", -1);
  EXPECT_EQ(Shown(chart), "x=abc x=def x=! x=xyz");
}

TEST(Chart, MemoryIsBounded) {
  Limits limits;
  limits.max_state_bytes = 20000;
  Chart chart(ParseEbnf("root[capture] ::= [a-z]*"), limits);
  for (int i = 0; i < 100; ++i) {  // What is taken back is free again.
    chart.Feed("abcdefgh", -1);
    chart.Truncate(0);
  }
  try {
    chart.Feed(std::string(1000, 'a'), -1);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kLimit);
    EXPECT_EQ(error.limit_name(), "max_state_bytes");
  }
}

}  // namespace
}  // namespace xgrammar
