// RegexToGrammar and RegexToExpr: the shape of the grammar (literals stay literals, large counts
// stay counts) and anchors that are resolved by their place without an automaton.
//
// Odd assertions make the whole pattern an automaton; patterns that match nothing are refused.
// Languages of random patterns are random_test.cc.
#include "expectations.h"

namespace xgrammar {
namespace {

const Grammar& Keep(const GrammarPtr& grammar) { return *grammar; }

TEST(RegexToGrammarTest, RootRuleAndLiterals) {
  const GrammarPtr grammar = RegexToGrammar("aé😀");
  EXPECT_EQ(grammar->rule(grammar->root()).name, "root");
  const ExprId body = grammar->rule(grammar->root()).body;
  ASSERT_EQ(grammar->kind(body), ExprKind::kByteString);
  EXPECT_EQ(grammar->bytes(body), "aé😀");
  const GrammarPtr single = RegexToGrammar("a");
  EXPECT_EQ(Keep(single).kind(single->rule(single->root()).body), ExprKind::kByteString);
  const GrammarPtr empty = RegexToGrammar("");
  EXPECT_EQ(Keep(empty).kind(empty->rule(empty->root()).body), ExprKind::kEmpty);
}

TEST(RegexToGrammarTest, LargeCountsStayCounts) {
  for (const char* pattern : {"a{1000000}", "(a{1,1000}){1,1000}", "((a{0,100}){0,100}){0,100}",
                              "[a-z]{0,60000}", "(ab?){3,2000000000}"}) {
    const GrammarPtr grammar = RegexToGrammar(pattern);
    EXPECT_EQ(grammar->kind(grammar->rule(grammar->root()).body), ExprKind::kRepeat) << pattern;
    EXPECT_LT(grammar->num_exprs(), 10) << pattern;
  }
}

void ExpectNoAutomaton(std::string_view pattern, const RegexOptions& options = {}) {
  const GrammarPtr grammar = RegexToGrammar(pattern, options);
  for (ExprId id = 0; id < grammar->num_exprs(); ++id) {
    EXPECT_NE(grammar->kind(id), ExprKind::kAutomaton) << pattern;
  }
}

TEST(RegexToGrammarTest, OrdinaryAnchorsAreResolvedByPlace) {
  for (const char* pattern : {"^abc$", "^a|b$", "(^a|b$)", "^$|^x", "(^|,)a", "((^a)(b$))", "a^b|c",
                              "(x|^)y$", "(^a{1,9})?"}) {
    ExpectNoAutomaton(pattern);
  }
  for (const char* pattern : {"abc", "^abc", "abc$", "^a{1,100000}$", "^a|b$|c"}) {
    ExpectNoAutomaton(pattern, Searching());
  }
}

TEST(RegexToGrammarTest, OddAssertionsBecomeAnAutomaton) {
  for (const char* pattern : {"a?^b", "(?=a)[ab]", "\\ba", "(^a)+"}) {
    const GrammarPtr grammar = RegexToGrammar(pattern);
    EXPECT_EQ(grammar->kind(grammar->rule(grammar->root()).body), ExprKind::kAutomaton) << pattern;
  }
}

TEST(RegexToGrammarTest, PatternsThatMatchNothingAreRefused) {
  for (const char* pattern : {"[]", "a^b", "a$b", "a[]|[]b", "(a[])+", "(?=a)b", "\\uD800"}) {
    ExpectError(pattern, ErrorKind::kUnsatisfiable);
  }
}

TEST(RegexToExprTest, AddsToAGrammar) {
  GrammarBuilder builder;
  const ExprId expr = RegexToExpr("[ab]+", {}, &builder);
  EXPECT_EQ(builder.view().kind(expr), ExprKind::kRepeat);
  EXPECT_EQ(builder.num_rules(), 0);
}

}  // namespace
}  // namespace xgrammar
