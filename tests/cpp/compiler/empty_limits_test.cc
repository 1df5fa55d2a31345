// DropEmptyLimits: rules without a text of an allowed length match nothing, and what needs them
// goes; limits that cannot be enforced are errors wherever they stand. What remains is compared by
// its facts, languages are in tests/data/ebnf.
#include "compiler/empty_limits.h"

#include <gtest/gtest.h>

#include "frontend/ebnf/parser.h"
#include "grammar/printer.h"
#include "support/error.h"

namespace xgrammar {
namespace {

GrammarPtr Drop(const GrammarPtr& grammar) {
  DfaCache cache;
  return DropEmptyLimits(grammar, &cache, nullptr, {});
}

GrammarPtr Parse(const std::string& text) { return ParseEbnf(text); }

ErrorKind KindOf(const std::string& text) {
  try {
    Drop(Parse(text));
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::kInternal;
}

TEST(EmptyLimits, GrammarsWithoutThemStayAsTheyAre) {
  for (const char* text : {"root ::= \"a\"", "root ::= x\nx[max_length=3] ::= \"a\"*",
                           "root ::= x\nx[max_tokens=3] ::= \"a\"*"}) {
    const GrammarPtr grammar = Parse(text);
    EXPECT_EQ(Drop(grammar), grammar) << text;
  }
}

TEST(EmptyLimits, AnEmptyRuleMatchesNothing) {
  const GrammarPtr rest = Drop(Parse("root ::= \"<\" x? \">\"\nx[min_length=5] ::= \"ab\""));
  const GrammarFacts facts(*rest);
  EXPECT_TRUE(facts.IsProductive(rest->rule(rest->root()).body));
  for (RuleId rule = 0; rule < rest->num_rules(); ++rule) {
    EXPECT_TRUE(rest->rule(rule).options.empty());
    EXPECT_EQ(facts.IsProductive(rest->rule(rule).body), rule == rest->root());
  }
}

TEST(EmptyLimits, RulesAroundEmptyOnesAreAskedAgain) {
  const GrammarPtr rest =
      Drop(Parse("root ::= (x | y | z)? \"!\"\nx[max_length=1] ::= y \"b\" | \"c\"\n"
                 "y[max_length=2] ::= \"abc\"\nz[min_length=3] ::= \"d\" y"));
  const GrammarFacts facts(*rest);
  int productive = 0;
  for (RuleId rule = 0; rule < rest->num_rules(); ++rule)
    productive += facts.IsProductive(rest->rule(rule).body) ? 1 : 0;
  EXPECT_EQ(productive, 2) << GrammarToString(*rest);  // The root and x.
}

TEST(EmptyLimits, Errors) {
  EXPECT_EQ(KindOf("root ::= x\nx[min_length=5] ::= \"ab\""), ErrorKind::kUnsatisfiable);
  EXPECT_EQ(KindOf("root ::= \"a\" x?\nx[max_length=5] ::= \"(\" x \")\" | \"b\""),
            ErrorKind::kUnsupported);
  EXPECT_EQ(KindOf("root ::= \"a\" x?\nx[max_length=5] ::= [a-z]{0,30000} \"b\""),
            ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace xgrammar
