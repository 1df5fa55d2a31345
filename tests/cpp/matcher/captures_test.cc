// Captures and temperatures: only parts of derivations of the whole text count, all or the longest,
// with markers; the innermost open rule gives the temperature and of several readings the highest.
//
// Asked of the chart, and through a matcher with its history. How the chart reads bytes and tokens
// is chart_test.cc.
#include <gtest/gtest.h>

#include <string>

#include "frontend/ebnf/parser.h"
#include "matcher/chart.h"
#include "matcher/matcher_fixtures.h"

namespace xgrammar {
namespace {

std::string Shown(const std::vector<Capture>& captures) {
  std::string shown;
  for (const Capture& capture : captures) {
    shown += (shown.empty() ? "" : " ") + capture.name + "=" + capture.text;
  }
  return shown;
}

std::string CapturesOf(const std::string& grammar, const std::string& text,
                       bool longest_only = true) {
  Chart chart(ParseEbnf(grammar), {});
  chart.Feed(text, -1);
  return Shown(chart.Captures(longest_only));
}

TEST(Captures, EachOccurrence) {
  const std::string grammar = "root ::= \"<\" x \">\" x\nx[capture] ::= [a-z]+";
  EXPECT_EQ(CapturesOf(grammar, "<ab>cd"), "x=ab x=cd");
  EXPECT_EQ(CapturesOf(grammar, "<ab>"), "x=ab");
  EXPECT_EQ(CapturesOf(grammar, "<a"), "x=a");
  EXPECT_EQ(CapturesOf(grammar, "<"), "");
}

TEST(Captures, NestedAndRecursive) {
  const std::string grammar =
      "root[capture=\"all\"] ::= \"a\" y \"b\"\ny[capture] ::= \"\" | \"z\" y";
  EXPECT_EQ(CapturesOf(grammar, "azzb"), "y= y=z y=zz all=azzb");
  EXPECT_EQ(CapturesOf(grammar, "ab"), "y= all=ab");
  EXPECT_EQ(CapturesOf("root ::= x+\nx[capture] ::= \"a\" | x \"b\"", "abba"), "x=abb x=a");
}

TEST(Captures, OfTheSameTextInnerRulesFirst) {
  const std::string z = "z[capture] ::= \"x\"\n";
  const std::string a = "a[capture] ::= m\nm ::= z\n";
  EXPECT_EQ(CapturesOf("root ::= a \"!\"\n" + a + z, "x!"), "z=x a=x");
  EXPECT_EQ(CapturesOf("root ::= a \"!\"\n" + z + a, "x!"), "z=x a=x");
  EXPECT_EQ(CapturesOf("root ::= z | a \"!\"\n" + a + z, "x"), "z=x a=x");
}

TEST(Captures, OtherDerivationsDoNotCount) {
  const std::string grammar =
      "root ::= x \"c\" | y \"d\"\nx[capture] ::= \"a\" [bc]\ny[capture] ::= \"a\" \"b\"";
  EXPECT_EQ(CapturesOf(grammar, "ab"), "x=ab y=ab");
  EXPECT_EQ(CapturesOf(grammar, "abc"), "x=ab");
  EXPECT_EQ(CapturesOf(grammar, "abd"), "y=ab");
  // Only the split at which the digits begin is one.
  EXPECT_EQ(CapturesOf("root ::= x y\nx[capture] ::= [a-z]+\ny[capture] ::= [0-9]+", "ab12"),
            "x=ab y=12");
}

TEST(Captures, AllOrTheLongest) {
  const std::string grammar = "root ::= x y \"!\"\nx[capture] ::= [a-c]+\ny[capture] ::= [b-d]+";
  EXPECT_EQ(CapturesOf(grammar, "abc!"), "x=ab y=c y=bc");
  EXPECT_EQ(CapturesOf(grammar, "abc!", false), "x=a x=ab y=c y=bc");
}

TEST(Captures, Markers) {
  const std::string outer = "root[capture=\"all\"] ::= b \"!\"\n";
  EXPECT_EQ(CapturesOf(outer + "b[capture, capture_hidden_suffix_bytes=2, stop_capture=\"m\"] ::= "
                               "[a-z]* \"##\"",
                       "ab##!"),
            "m=## b=ab all=ab##!");
  EXPECT_EQ(
      CapturesOf(outer + "b[capture, capture_hidden_stop_bytes=2] ::= [a-z]* \"##\"", "ab##!"),
      "b=ab all=ab!");
}

TEST(Captures, PartsInAnyOrder) {
  const std::string grammar =
      "root ::= \"{\" AnyOrder(\",\", x, y?) \"}\"\nx[capture] ::= \"x\" [0-9]*\n"
      "y[capture] ::= \"y\" [0-9]*";
  EXPECT_EQ(CapturesOf(grammar, "{y1,x23}"), "y=y1 x=x23");
  EXPECT_EQ(CapturesOf(grammar, "{x"), "x=x");
}

TEST(Captures, ThroughAutomataAndLazyRules) {
  EXPECT_EQ(CapturesOf("root ::= x \"-\" x\nx[capture] ::= Regex(\"[a-z]+(?=-|$)\") | \"\"", "ab-"),
            "x=ab x=");
  EXPECT_EQ(CapturesOf("root ::= x [a-z]*\nx[capture, lazy] ::= [a-z]{2,}", "abcd"), "x=ab");
}

std::optional<double> TemperatureAt(const std::string& grammar, const std::string& text) {
  Chart chart(ParseEbnf(grammar), {});
  chart.Feed(text, -1);
  return chart.Temperature();
}

TEST(Temperature, TheInnermostRuleAndTheHighest) {
  const std::string grammar =
      "root ::= \"a\" x \"b\" y\nx[temperature=0.5] ::= [c-z]*\n"
      "y[temperature=1] ::= [0-9]+ z\nz[temperature=0] ::= \"!\" \"?\"";
  EXPECT_EQ(TemperatureAt(grammar, ""), std::nullopt);
  EXPECT_EQ(TemperatureAt(grammar, "a"), 0.5);
  EXPECT_EQ(TemperatureAt(grammar, "ac"), 0.5);
  EXPECT_EQ(TemperatureAt(grammar, "ab"), 1.0);
  EXPECT_EQ(TemperatureAt(grammar, "ab1"), 1.0);
  EXPECT_EQ(TemperatureAt(grammar, "ab1!"), 0.0);
  EXPECT_EQ(TemperatureAt(grammar, "ab1!?"), std::nullopt);
  EXPECT_EQ(TemperatureAt("root[temperature=0.3] ::= \"a\"", ""), 0.3);
}

TEST(Temperature, InsideACharacter) {
  EXPECT_EQ(TemperatureAt("root ::= \"a\" x\nx[temperature=0.5] ::= [\u00e9]+", "a\xC3"), 0.5);
}

TEST(Temperature, FollowsTheMatcher) {
  constexpr int64_t kA = 2, kB = 3, kAb = 4, kC = 5;
  const std::string grammar = "root ::= \"ab\" x \"c\"\nx[temperature=0.5, capture] ::= [a-b]*";
  GrammarMatcher matcher(Compile(grammar, SmallTokenizer({"a", "b", "ab", "c"})), {});
  EXPECT_EQ(matcher.Temperature(), std::nullopt);
  ASSERT_TRUE(matcher.AcceptToken(kAb));
  EXPECT_EQ(matcher.Temperature(), 0.5);
  ASSERT_TRUE(matcher.AcceptToken(kB));
  ASSERT_TRUE(matcher.AcceptString("a"));
  GrammarMatcher fork = matcher.Fork();
  ASSERT_TRUE(fork.AcceptToken(kC));
  EXPECT_EQ(Shown(fork.Captures(true)), "x=ba");
  EXPECT_EQ(fork.Temperature(), std::nullopt);
  matcher.Rollback(1);
  EXPECT_EQ(Shown(matcher.Captures(true)), "x=b");
  ASSERT_TRUE(matcher.AcceptToken(kB));
  EXPECT_EQ(Shown(matcher.Captures(true)), "x=bb");
  EXPECT_EQ(matcher.TemperatureAfter(std::vector<int64_t>{kA, kC}), std::nullopt);
  EXPECT_EQ(matcher.TemperatureAfter(std::vector<int64_t>{kA}), 0.5);
  EXPECT_EQ(Shown(matcher.Captures(true)), "x=bb");
  matcher.Reset();
  EXPECT_EQ(Shown(matcher.Captures(true)), "");
  EXPECT_EQ(Shown(fork.Captures(true)), "x=ba");
}

}  // namespace
}  // namespace xgrammar
