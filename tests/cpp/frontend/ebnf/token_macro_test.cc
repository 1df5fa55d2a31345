// Token, ExcludeToken and the token literals of GBNF: ids sorted and merged, names kept until a
// vocabulary is known, and each error; Substring, whose arguments the same parser reads.
//
// Judged by the printed grammar, since tokens have no text. What they do in masks is
// tests/cpp/mask/mask_table_test.cc; names are looked up in
// tests/cpp/compiler/named_tokens_test.cc.
#include "frontend/ebnf/token_macro.h"

#include "grammar/printer.h"
#include "grammar/reference_recognizer.h"
#include "syntax_error_expectation.h"

namespace xgrammar::ebnf {
namespace {

std::string Printed(const std::string& source) { return GrammarToString(*ParseEbnf(source)); }

TEST(Token, IdsAreSortedAndMerged) {
  EXPECT_EQ(Printed("root ::= Token(3, 1, 3) \"a\"+ ExcludeToken(0)"),
            "root ::= Token(1, 3) \"a\"+ ExcludeToken(0)\n");
  EXPECT_EQ(Printed("root ::= Token(2147483647)"), "root ::= Token(2147483647)\n");
}

TEST(Token, ASetAndItsComplementAreAnyToken) {
  const std::string any = "root ::= \"a\" | (Token(0) | ExcludeToken(0))\n";
  for (const char* source : {"root ::= Token(1, 2) | \"a\" | ExcludeToken(2, 1)",
                             "root ::= ExcludeToken(5) | \"a\" | (Token(5) | ExcludeToken(5))"}) {
    const std::string printed = Printed(source);
    EXPECT_EQ(Printed(printed), printed);
  }
  EXPECT_EQ(Printed("root ::= Token(1, 2) | \"a\" | ExcludeToken(2, 1)"), any);
  EXPECT_EQ(Printed("root ::= (Token(3) | ExcludeToken(3))*"),
            "root ::= (Token(0) | ExcludeToken(0))*\n");
}

TEST(Token, MayBePromised) {
  const std::string text = "root ::= x\nx ::= \"a\" (=Token(1) \"b\")\n";
  EXPECT_EQ(Printed(text), text);
  EXPECT_EQ(Printed("root ::= x\nx ::= \"a\" (= <[1]> \"b\")"), text);
}

TEST(Token, Errors) {
  ExpectSyntaxError("root ::= Token()", 1, 16, "Token() requires at least one integer argument");
  ExpectSyntaxError("root ::= Token(\"a\")", 1, 16,
                    "Token() arguments must be non-negative integers");
  ExpectSyntaxError("root ::= ExcludeToken(-1)", 1, 23,
                    "ExcludeToken() arguments must be non-negative integers");
  ExpectSyntaxError("root ::= Token(1, x=2)", 1, 16, "Token() does not accept named arguments");
  ExpectSyntaxError("root ::= Token(99999999999)", 1, 16,
                    "Token id 99999999999 is above 2147483647");
  ExpectSyntaxError("root ::= <[99999999999]>", 1, 10, "Token id 99999999999 is above 2147483647");
}

TEST(TokenLiteral, IdsAndNames) {
  EXPECT_EQ(Printed("root ::= <[7]> !<[8]>"), "root ::= Token(7) ExcludeToken(8)\n");
  const std::string named = "root ::= <think> (!</think>)* </think>\n";
  EXPECT_EQ(Printed("root ::= <think> !</think>* </think>"), Printed(named));
  EXPECT_EQ(Printed(Printed(named)), Printed(named));
}

TEST(TokenLiteral, NoRuleIsAWordOfAName) {
  EXPECT_EQ(Printed("root ::= <think> think\nthink ::= \"a\""),
            "root ::= <think> think_1\nthink_1 ::= \"a\"\n");
}

TEST(Substring, RunsOfChunks) {
  const GrammarPtr grammar = ParseEbnf("root ::= Substring(\"to\", \"\", \"be\", \"or\", \"to\")");
  for (const char* text : {"", "to", "be", "tobeor", "beor", "orto"}) {
    EXPECT_TRUE(Accepts(*grammar, text)) << text;
  }
  for (const char* text : {"t", "or to", "toor", "beto"}) {
    EXPECT_FALSE(Accepts(*grammar, text)) << text;
  }
  EXPECT_EQ(Printed(GrammarToString(*grammar)), GrammarToString(*grammar));
  EXPECT_EQ(Printed("root ::= Substring()"), "root ::= \"\"\n");
  ExpectSyntaxError("root ::= Substring(1)", 1, 20, "Substring() arguments must be strings");
  ExpectSyntaxError("root ::= Substring(\"a\", foo=true)", 1, 20,
                    "Substring() does not accept named arguments");
}

}  // namespace
}  // namespace xgrammar::ebnf
