// EBNF parser: languages of each construct by the reference recogniser, every syntax error with its
// line, column and text, limits that name their field, and grammars that are deep or large.
//
// Texts of errors are those of XGrammar where engines match on them. Escapes, macros and rule
// options have files of their own; printing back is round_trip_test.cc.
#include "frontend/ebnf/parser.h"

#include <gtest/gtest.h>

#include <string>

#include "grammar/printer.h"
#include "grammar/reference_recognizer.h"
#include "syntax_error_expectation.h"

namespace xgrammar::ebnf {
namespace {

bool Matches(std::string_view grammar, std::string_view text) {
  return Accepts(*ParseEbnf(grammar), text);
}

TEST(EbnfParser, Quantifiers) {
  const char* grammar = "root ::= \"ab\"* [0-9]{2,3} (\"x\" | \"y\")? \"!\"{0} \"z\"{1,}";
  EXPECT_TRUE(Matches(grammar, "ab12z"));
  EXPECT_TRUE(Matches(grammar, "abab123yzz"));
  EXPECT_FALSE(Matches(grammar, "aba12z"));
  EXPECT_FALSE(Matches(grammar, "1z"));
  EXPECT_FALSE(Matches(grammar, "12!z"));
  EXPECT_TRUE(Matches("root ::= \"a\" \n { 2 , -1 }", "aaa"));
  EXPECT_TRUE(Matches("root ::= (\"a\"?){3}", ""));
  EXPECT_TRUE(Matches("root ::= (\"\"){5} (\"a\"*){2,3}", "aaaa"));
  EXPECT_TRUE(Matches("root ::= [a-z]{0,2147483647}", "abc"));
}

TEST(EbnfParser, EmptyAlternatives) {
  EXPECT_TRUE(Matches("root ::= | \"a\"", ""));
  EXPECT_TRUE(Matches("root ::= \"a\" | | \"b\"", ""));
  EXPECT_TRUE(Matches("root ::= \"x\" (\"a\" |)", "x"));
  EXPECT_TRUE(Matches("root ::= \"x\" ( )", "x"));
}

TEST(EbnfParser, RecursionOfEveryKind) {
  EXPECT_TRUE(Matches("root ::= root \"a\" | \"a\"", "aaa"));
  EXPECT_TRUE(Matches("root ::= root root | \"a\" | \"\"", "aaaa"));
  EXPECT_TRUE(Matches("root ::= root? \"a\"", "aa"));
  EXPECT_TRUE(Matches("root ::= x\nx ::= y \"1\" | \"0\"\ny ::= x", "011"));
  EXPECT_TRUE(Matches("root ::= \"(\" root \")\" | \"\"", "(())"));
  EXPECT_FALSE(Matches("root ::= \"(\" root \")\" | \"\"", "(()"));
  EXPECT_FALSE(Matches("root ::= root", ""));
}

TEST(EbnfParser, AnyCharacterDot) {
  EXPECT_TRUE(Matches("root ::= \"<\" .* \">\"", "<\n\xF0\x9F\x98\x80>"));
  EXPECT_FALSE(Matches("root ::= .\n. ::= \"x\"", "y"));
}

TEST(EbnfParser, NamesMayBeginWithADigit) {
  EXPECT_TRUE(Matches("root ::= 1st .2 -x\n1st ::= \"a\"\n.2 ::= \"b\"\n-x ::= \"c\"", "abc"));
}

TEST(EbnfParser, SurrogatesNeverMatch) {
  EXPECT_FALSE(Matches("root ::= [^a]", "\xED\xA0\x80"));
  EXPECT_FALSE(Matches("root ::= .", "\xC0\x80"));
}

TEST(EbnfParser, LookaheadIsAHint) {
  EXPECT_TRUE(Matches("root ::= x \"c\"\nx ::= \"a\" (=\"b\")", "ac"));
  GrammarPtr grammar = ParseEbnf("root ::= \"a\" | \"b\" (= \"c\" root)");
  EXPECT_EQ(GrammarToString(*grammar), "root ::= \"a\" | \"b\" (=\"c\" root)\n");
}

TEST(EbnfParser, RootRuleName) {
  GrammarPtr grammar = ParseEbnf("root ::= \"b\"\nmain ::= root", "main");
  EXPECT_EQ(GrammarToString(*grammar), "root ::= root_0\nroot_0 ::= \"b\"\n");
}

TEST(EbnfParser, RuleErrors) {
  ExpectSyntaxError("", 1, 1, "The root rule with name \"root\" is not found");
  ExpectSyntaxError("# only a comment", 1, 1, "The root rule with name \"root\" is not found");
  ExpectSyntaxError("a ::= \"a\"", 1, 1, "The root rule with name \"root\" is not found");
  ExpectSyntaxError("root ::= \"a\"\n root ::= \"b\"", 2, 2,
                    "Rule \"root\" is defined multiple times");
  ExpectSyntaxError("root ::= a b", 1, 10, "Rule \"a\" is not defined");
  ExpectSyntaxError("root ::= \"a\"\nu ::= nope", 2, 7, "Rule \"nope\" is not defined");
  ExpectSyntaxError("::= \"a\"", 1, 1, "Assign should not be the first token");
  ExpectSyntaxError("\"a\" ::= \"a\"", 1, 5, "Assign should be preceded by an identifier");
  ExpectSyntaxError("true ::= \"a\"", 1, 6, "Assign should be preceded by an identifier");
  ExpectSyntaxError("root ::= \"a\" b ::= \"c\"", 1, 14,
                    "The rule name should be at the beginning of the line");
  ExpectSyntaxError("\"x\" root\nroot ::= \"a\"", 1, 1, "Expect rule name, but got \"x\"");
}

TEST(EbnfParser, ExpressionErrors) {
  ExpectSyntaxError("root ::=", 1, 9, "Expect element, but got end of input");
  ExpectSyntaxError("root ::=\na ::= \"x\"", 2, 1, "Expect element, but got a");
  ExpectSyntaxError("root ::= \"a\" |", 1, 15, "Expect element");
  ExpectSyntaxError("root ::= \"a\" |\nb ::= \"c\"", 2, 1, "Expect element, but got b");
  ExpectSyntaxError("root ::= * \"a\"", 1, 10, "Expect element, but got *");
  ExpectSyntaxError("root ::= \"a\"++", 1, 14, "Expect element, but got +");
  ExpectSyntaxError("root ::= \"a\"{1,3}{1,3}", 1, 18, "Expect element, but got {");
  ExpectSyntaxError("root ::= true", 1, 10, "Expect element, but got true");
  ExpectSyntaxError("root ::= 12", 1, 10, "Expect element, but got 12");
  ExpectSyntaxError("root ::= (\"a\"", 1, 14, "Expect )");
  ExpectSyntaxError("root ::= (\"a\"\nb ::= \"c\"", 2, 1, "Expect )");
  ExpectSyntaxError("root ::= \"a\")", 1, 13, "Expect rule name, but got )");
  ExpectSyntaxError("root ::= [\\]a]\"b\" []a]", 1, 22, "Unexpected character \"]\"");
}

TEST(EbnfParser, RepetitionErrors) {
  ExpectSyntaxError("root ::= \"a\"{,3}", 1, 14, "Expect integer, but got ,");
  ExpectSyntaxError("root ::= \"a\"{}", 1, 14, "Expect integer, but got }");
  ExpectSyntaxError("root ::= \"a\"{-1}", 1, 14, "Expect integer, but got -1");
  ExpectSyntaxError("root ::= \"a\"{3,2}", 1, 16, "Lower bound is larger than upper bound: 3 > 2");
  ExpectSyntaxError("root ::= \"a\"{1.5}", 1, 15, "Expect ',' or '}' in repetition range");
  ExpectSyntaxError("root ::= \"a\"{1,2,3}", 1, 17, "Expect ',' or '}' in repetition range");
  ExpectSyntaxError("root ::= \"a\"{1,x}", 1, 16, "Expect integer, but got x");
  ExpectSyntaxError("root ::= \"a\"{1,-2}", 1, 16, "Upper bound should not be negative: -2");
}

TEST(EbnfParser, LookaheadErrors) {
  ExpectSyntaxError("root ::= \"a\" (= \"b\" | \"c\")", 1, 21,
                    "Choices in lookahead assertion are not supported yet");
  ExpectSyntaxError("root ::= \"a\" (=\"\")", 1, 16,
                    "Empty string should not be in lookahead assertion");
  ExpectSyntaxError("root ::= \"a\" (=())", 1, 16,
                    "Empty string should not be in lookahead assertion");
  ExpectSyntaxError("root ::= \"a\" (=)", 1, 16, "Expect element, but got )");
  ExpectSyntaxError("root ::= \"a\" (=\"b\") (=\"c\")", 1, 21, "Expect rule name");
  ExpectSyntaxError("root ::= \"a\" (=\"b\") \"c\"", 1, 21, "Expect rule name");
  ExpectSyntaxError("root ::= (\"a\" (=\"b\"))", 1, 15, "Expect )");
  ExpectSyntaxError("root ::= (=\"b\")", 1, 10, "Expect element, but got (=");
  ExpectSyntaxError("root ::= \"a\" (=\"b\"", 1, 19, "Expect )");
  ExpectSyntaxError("root ::= \"a\" (=\"b\" (=\"c\"))", 1, 20, "Expect )");
  ExpectSyntaxError("root ::= \"a\" ( =\"b\")", 1, 16, "Expect element, but got =");
  for (const char* macro : {"Regex(\"a\")", "TagDispatch()", "Substring()"}) {
    ExpectSyntaxError(std::string("root ::= \"a\" (=") + macro + ")", 1, 16,
                      std::string(macro).substr(0, std::string(macro).find('(')) +
                          " should not be in lookahead assertion");
  }
}

TEST(EbnfParser, LimitsNameTheFieldAndThePlace) {
  Limits limits;
  limits.max_nesting = 10;
  limits.max_rules = 2;
  limits.max_source_bytes = 100;
  limits.max_repeat = 50;
  auto parse = [&](const std::string& text) {
    return [&, text] { ParseEbnf(text, "root", limits); };
  };
  std::string nested = "root ::= " + std::string(11, '(') + "\"a\"" + std::string(11, ')');
  ExpectError(parse(nested), {1, 20, "The limit max_nesting", ErrorKind::kLimit}, nested);
  ParseEbnf("root ::= " + std::string(10, '(') + "\"a\"" + std::string(10, ')'), "root", limits);
  ExpectError(parse("root ::= a b\na ::= \"a\"\nb ::= \"b\""),
              {3, 3, "The limit max_rules", ErrorKind::kLimit}, "rules");
  ExpectError(parse("root ::= \"a\"{51}"), {1, 16, "The limit max_repeat", ErrorKind::kLimit},
              "repeat");
  ExpectError(parse("root ::= \"" + std::string(100, 'a') + "\""),
              {0, 0, "The limit max_source_bytes", ErrorKind::kLimit}, "source");
}

TEST(EbnfParser, DeepNestingUsesNoNativeStack) {
  Limits limits;
  limits.max_nesting = 1000000;
  std::string text = "root ::= ";
  for (int i = 0; i < 200000; ++i) text += "(\"(\" ";
  text += "\"a\"";
  for (int i = 0; i < 200000; ++i) text += " \")\")?";
  GrammarPtr grammar = ParseEbnf(text, "root", limits);
  EXPECT_EQ(GrammarToString(*ParseEbnf(GrammarToString(*grammar), "root", limits)),
            GrammarToString(*grammar));
}

TEST(EbnfParser, LargeGrammars) {
  std::string rules = "root ::= r0\n";
  for (int i = 0; i < 100000; ++i) {
    rules += "r" + std::to_string(i) + " ::= \"a\" r" + std::to_string(i + 1) + "\n";
  }
  rules += "r100000 ::= \"z\"\n";
  EXPECT_EQ(ParseEbnf(rules)->num_rules(), 100002);
  std::string words = "root ::= \"w\"";
  for (int i = 0; i < 100000; ++i) words += " | \"w" + std::to_string(i) + "\"";
  EXPECT_TRUE(Matches(words, "w99999"));
  EXPECT_TRUE(
      Matches("root ::= \"" + std::string(10 << 20, 'x') + "\"", std::string(10 << 20, 'x')));
}

}  // namespace
}  // namespace xgrammar::ebnf
