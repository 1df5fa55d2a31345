// GrammarFacts: nullable and productive by known grammars, by a textbook recogniser on random ones,
// and at sizes where recursion would end the process; aliases, with their cycles and with rules
// whose options make them more than a name.
//
// CheckProductive is asked for the rule that its error names. That the builder simplifies, so that
// facts have little left to say, is tests/cpp/grammar/builder_test.cc.
#include "analysis/grammar_facts.h"

#include <gtest/gtest.h>

#include <string>

#include "frontend/ebnf/parser.h"
#include "grammar/builder.h"
#include "parser/naive_earley.h"
#include "parser/random_grammar.h"
#include "support/error.h"

namespace xgrammar {
namespace {

bool IsNullable(const std::string& ebnf) {
  const auto grammar = ParseEbnf(ebnf);
  return GrammarFacts(*grammar).IsNullable(grammar->rule(grammar->root()).body);
}
bool IsProductive(const std::string& ebnf) {
  const auto grammar = ParseEbnf(ebnf);
  return GrammarFacts(*grammar).IsProductive(grammar->rule(grammar->root()).body);
}

TEST(GrammarFacts, Nullable) {
  for (const char* ebnf : {"root ::= \"\"", "root ::= \"a\"*", "root ::= \"a\"? \"b\"{0,3}",
                           "root ::= a a\na ::= b | \"x\"\nb ::= \"\"", "root ::= root root | \"\"",
                           "root ::= (\"a\" | \"b\"?){3,5}"}) {
    EXPECT_TRUE(IsNullable(ebnf)) << ebnf;
  }
  for (const char* ebnf : {"root ::= \"a\"", "root ::= \"a\"* \"b\"", "root ::= root \"a\" | \"a\"",
                           "root ::= (\"a\" | \"b\"){1,5}"}) {
    EXPECT_FALSE(IsNullable(ebnf)) << ebnf;
  }
}

TEST(GrammarFacts, Productive) {
  EXPECT_TRUE(IsProductive("root ::= \"a\" root | \"b\""));
  EXPECT_TRUE(IsProductive("root ::= dead | \"b\"\ndead ::= \"x\" dead"));
  EXPECT_TRUE(IsProductive("root ::= dead* \"b\"\ndead ::= \"x\" dead"));
  EXPECT_FALSE(IsProductive("root ::= \"a\" root"));
  EXPECT_FALSE(IsProductive("root ::= a\na ::= b\nb ::= a"));
  EXPECT_FALSE(IsProductive("root ::= \"a\" dead+\ndead ::= \"x\" dead"));
}

TEST(GrammarFacts, AgreeWithATextbookRecogniser) {
  int empty = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    const GrammarPtr grammar = RandomGrammar(seed).Make();
    const GrammarFacts facts(*grammar);
    NaiveEarley naive(*grammar);
    const ExprId body = grammar->rule(grammar->root()).body;
    ASSERT_EQ(facts.IsProductive(body), !naive.is_empty()) << seed;
    ASSERT_EQ(facts.IsNullable(body), naive.IsComplete()) << seed;
    empty += naive.is_empty() ? 1 : 0;
  }
  EXPECT_GT(empty, 10);
}

TEST(GrammarFacts, TokenSetsAreProductiveAndNotNullable) {
  GrammarBuilder builder;
  const RuleId root = builder.AddRule("root");
  builder.SetBody(root, builder.AddTokenSet({1}, false));
  const GrammarPtr grammar = builder.Build(root);
  const GrammarFacts facts(*grammar);
  EXPECT_TRUE(facts.IsProductive(grammar->rule(root).body));
  EXPECT_FALSE(facts.IsNullable(grammar->rule(root).body));
}

TEST(GrammarFacts, AliasesLeadToTheRuleTheyName) {
  const auto grammar = ParseEbnf("root ::= a\na ::= b\nb ::= \"x\" | c\nc ::= d\nd ::= c\ne ::= c");
  const GrammarFacts facts(*grammar);
  const auto resolve = [&](RuleId rule) { return grammar->rule(facts.ResolveAlias(rule)).name; };
  EXPECT_EQ(resolve(0), "b");
  EXPECT_EQ(resolve(1), "b");
  EXPECT_EQ(resolve(2), "b");
  EXPECT_EQ(facts.ResolveAlias(3), facts.ResolveAlias(4))
      << "a cycle has one member that stands for it";
  EXPECT_EQ(facts.ResolveAlias(5), facts.ResolveAlias(3));
}

TEST(GrammarFacts, RulesWithLimitsAreNoAliases) {
  GrammarBuilder builder;
  const RuleId root = builder.AddRule("root");
  const RuleId text = builder.AddRule("text");
  builder.SetBody(root, builder.AddRuleRef(text));
  builder.SetBody(text, builder.AddStar(builder.AddByteString("a")));
  RuleOptions options;
  options.max_chars = 3;
  builder.SetOptions(root, options);
  const GrammarPtr grammar = builder.Build(root);
  EXPECT_EQ(GrammarFacts(*grammar).ResolveAlias(root), root);
}

TEST(GrammarFacts, LongChainsNeedNoNativeStack) {
  constexpr int kRules = 200000;
  GrammarBuilder builder;
  for (int i = 0; i < kRules; ++i) builder.AddRule("r" + std::to_string(i));
  for (int i = 0; i + 1 < kRules; ++i) builder.SetBody(i, builder.AddRuleRef(i + 1));
  builder.SetBody(kRules - 1, builder.AddByteString("x"));
  const GrammarPtr grammar = builder.Build(0);
  const GrammarFacts facts(*grammar);
  EXPECT_EQ(facts.ResolveAlias(0), kRules - 1);
  EXPECT_TRUE(facts.IsProductive(grammar->rule(0).body));
}

TEST(CheckProductive, NamesTheStartRule) {
  const auto grammar = ParseEbnf("begin ::= \"a\" begin", "begin");
  try {
    CheckProductive(*grammar, GrammarFacts(*grammar));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsatisfiable);
    EXPECT_NE(error.message().find("\"begin\""), std::string::npos);
    EXPECT_FALSE(error.hint().empty());
  }
}

}  // namespace
}  // namespace xgrammar
