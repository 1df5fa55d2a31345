// Lazy rules: of the texts that a rule matches only those count that have no shorter one in front;
// by the reference recogniser on texts whose verdict follows from that sentence.
//
// Rules in lazy rules, the empty text as first, markers as ends, and refusals of what is not
// regular or too large to be folded. Lark's use of it is tests/cpp/frontend/lark.
#include "frontend/ebnf/lazy_rules.h"

#include "grammar/printer.h"
#include "grammar/reference_recognizer.h"
#include "syntax_error_expectation.h"

namespace xgrammar::ebnf {
namespace {

TEST(LazyRules, EndAtTheFirstPosition) {
  const GrammarPtr grammar = ParseEbnf(
      "root ::= \"<\" n \">\" r\nn[lazy] ::= [a-z]{2,5} | x+\nx ::= \"12\"\nr ::= [a-z]+");
  EXPECT_TRUE(Accepts(*grammar, "<ab>c"));
  EXPECT_TRUE(Accepts(*grammar, "<12>c"));
  EXPECT_FALSE(Accepts(*grammar, "<abc>c"));
  EXPECT_FALSE(Accepts(*grammar, "<1212>c"));
  EXPECT_EQ(GrammarToString(*ParseEbnf(GrammarToString(*grammar))), GrammarToString(*grammar));
}

TEST(LazyRules, EmptyIsTheFirst) {
  EXPECT_EQ(GrammarToString(*ParseEbnf("root[lazy] ::= \"a\"*")), "root ::= \"\"\n");
}

TEST(LazyRules, MayUseLazyRules) {
  const GrammarPtr grammar = ParseEbnf("root[lazy] ::= a \"b\"\na[lazy] ::= [ab]+");
  EXPECT_TRUE(Accepts(*grammar, "ab"));
  EXPECT_TRUE(Accepts(*grammar, "bb"));
  EXPECT_FALSE(Accepts(*grammar, "aab"));
}

TEST(LazyRules, UntilAMarker) {
  const GrammarPtr grammar = ParseEbnf("root ::= t \"!\"\nt[lazy] ::= [^]* \"</x>\"");
  EXPECT_TRUE(Accepts(*grammar, "a<b</</x>!"));
  EXPECT_FALSE(Accepts(*grammar, "a</x>b</x>!"));
}

TEST(LazyRules, Refusals) {
  ExpectSyntaxError("root[lazy] ::= \"a\" root | \"b\"", 1, 1, "The rule root cannot be lazy",
                    ErrorKind::kUnsupported);
  ExpectSyntaxError("root ::= x\nx[lazy] ::= y\ny ::= \"a\" z\nz ::= y?", 2, 1,
                    "The rule x cannot be lazy: it reaches a recursive rule",
                    ErrorKind::kUnsupported);
  ExpectSyntaxError("root[lazy] ::= Token(1)", 1, 1, "The rule root cannot be lazy",
                    ErrorKind::kUnsupported);
  EXPECT_THROW(ParseEbnf("root[lazy] ::= (\"a\"{10000}){10000}"), Error);
}

// Rules that share rules are read once for each way to reach them; the number of ways is bounded.
TEST(LazyRules, ManyPathsEnd) {
  std::string source = "root[lazy] ::= a0\n";
  for (int i = 0; i < 60; ++i) {
    const std::string next = std::to_string(i + 1);
    source += "a" + std::to_string(i) + " ::= a" + next + " | b" + next + "\n";
    source += "b" + std::to_string(i) + " ::= b" + next + " | a" + next + "\n";
  }
  source += "a60 ::= \"x\"\nb60 ::= \"y\"\n";
  EXPECT_THROW(ParseEbnf(source), Error);
}

}  // namespace
}  // namespace xgrammar::ebnf
