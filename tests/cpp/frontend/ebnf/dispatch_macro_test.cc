// TagDispatch and TokenTagDispatch in EBNF: the languages of free text with tags, of overlapping
// and recursive ones, the plain choices of tokens that the second stands for, the printed forms,
// and each error with its place.
//
// What free text with patterns means in every case is tests/cpp/automata/free_run_test.cc; here the
// macro's arguments are the matter.
#include "frontend/ebnf/dispatch_macro.h"

#include "grammar/printer.h"
#include "grammar/reference_recognizer.h"
#include "syntax_error_expectation.h"

namespace xgrammar::ebnf {
namespace {

void ExpectLanguage(const std::string& source, const std::vector<std::string>& accepted,
                    const std::vector<std::string>& rejected) {
  const GrammarPtr grammar = ParseEbnf(source);
  const std::string printed = GrammarToString(*grammar);
  const GrammarPtr again = ParseEbnf(printed);
  EXPECT_EQ(GrammarToString(*again), printed);
  for (const GrammarPtr& candidate : {grammar, again}) {
    for (const std::string& text : accepted) EXPECT_TRUE(Accepts(*candidate, text)) << text;
    for (const std::string& text : rejected) EXPECT_FALSE(Accepts(*candidate, text)) << text;
  }
}

TEST(TagDispatch, FreeTextAndRules) {
  ExpectLanguage("root ::= TagDispatch((\"t\", a))\na ::= \"x\"", {"", "tx", "hi", "txtx", "atxb"},
                 {"hit", "ttx", "t"});
  ExpectLanguage("root ::= TagDispatch((\"<t>\", a), loop_after_dispatch=false)\na ::= \"x\"",
                 {"", "hi", "hi<t>x", "<t"}, {"<t>x!", "<t>x<t>x"});
  ExpectLanguage("root ::= TagDispatch()", {"", "any"}, {});
  ExpectLanguage("root ::= TagDispatch(excludes=(\"no\", \"n\"))", {"", "away", "o"}, {"no", "xn"});
}

TEST(TagDispatch, OverlappingTags) {
  ExpectLanguage("root ::= TagDispatch((\"ab\",a),(\"abc\",b))\na ::= \"x\"\nb ::= \"y\"",
                 {"abx", "abcy", "zabx"}, {"ab", "abc", "abcx"});
  ExpectLanguage("root ::= TagDispatch((\"t\",a),(\"t\",b))\na ::= \"x\"\nb ::= \"y\"",
                 {"tx", "ty", "atyb"}, {"t", "ta"});
  ExpectLanguage("root ::= TagDispatch((\"t\",a))\na ::= \"1\"?", {"t", "t1", "tx"}, {});
}

TEST(TagDispatch, MayCallItself) {
  ExpectLanguage("root ::= TagDispatch((\"[\", a), excludes=(\"]\",))\na ::= root \"]\"",
                 {"", "a[b]c", "[[x]y]"}, {"[", "]", "[[x]"});
}

TEST(TagDispatch, ManyTagsShareTheirFreeText) {
  std::string source = "root ::= TagDispatch(";
  std::string rules;
  for (int i = 0; i < 40; ++i) {
    const std::string n = std::to_string(i + 10);
    source += (i > 0 ? ", (\"<" : "(\"<") + n + ">\", r" + n + ")";
    rules += "\nr" + n + " ::= \"" + n + "\"";
  }
  ExpectLanguage(source + ")" + rules, {"", "a<b", "x<12>12y<49>49", "<11>11<"},
                 {"<12>13", "<12>", "a<12>x"});
}

TEST(TagDispatch, Errors) {
  const auto expect = [](const std::string& arguments, const std::string& message) {
    ExpectSyntaxError("root ::= TagDispatch(" + arguments + ")\na ::= \"x\"", 1, 22, message);
  };
  expect("\"t\", a", "Each tag dispatch element must be a tuple");
  expect("(\"t\",)", "Each tag dispatch element must be a pair (tag, rule)");
  expect("(\"\", a)", "Tag must be a non-empty string literal");
  expect("(1, a)", "Tag must be a non-empty string literal");
  expect("(\"t\", \"a\")", "Rule reference must be an identifier");
  expect("(\"t\", r)", "Rule \"r\" is not defined");
  expect("loop_after_dispatch=1", "loop_after_dispatch must be a boolean literal");
  expect("excludes=\"a\"", "excludes must be a tuple");
  expect("excludes=(\"\",)", "Exclude must be a non-empty string literal");
  expect("(\"tag1\", a), excludes=(\"tag\",)",
         "Exclude string must not be a prefix of trigger string: tag");
  expect("(\"t\", a), stop=true", "Unknown named argument for TagDispatch: stop");
}

TEST(TokenTagDispatch, IsPlainChoicesOfTokens) {
  EXPECT_EQ(
      GrammarToString(*ParseEbnf("root ::= TokenTagDispatch((2, x), excludes=(3,))\nx ::= \"b\"")),
      "root ::= (Token(2) x | ExcludeToken(2, 3))*\nx ::= \"b\"\n");
  EXPECT_EQ(GrammarToString(*ParseEbnf("root ::= TokenTagDispatch((2, x), (2, y), "
                                       "loop_after_dispatch=false)\nx ::= \"b\"\ny ::= \"c\"")),
            "root ::= ExcludeToken(2)* (Token(2) (x | y))?\nx ::= \"b\"\ny ::= \"c\"\n");
}

TEST(TokenTagDispatch, Errors) {
  const auto expect = [](const std::string& arguments, const std::string& message) {
    ExpectSyntaxError("root ::= TokenTagDispatch(" + arguments + ")\na ::= \"x\"", 1, 27, message);
  };
  expect("1", "Each TokenTagDispatch element must be a tuple");
  expect("(1,)", "Each TokenTagDispatch element must be a pair (token_id, rule)");
  expect("(-1, a)", "Token trigger ID must be a non-negative integer");
  expect("(2147483648, a)", "Token id 2147483648 is above 2147483647");
  expect("excludes=(\"a\",)", "Exclude token ID must be a non-negative integer");
  expect("(1, a), excludes=(1,)", "Token trigger ID 1 must not overlap with exclude token ID");
  expect("loop_after_dispatch=1", "loop_after_dispatch must be a boolean");
  expect("x=1", "Unknown named argument for TokenTagDispatch: x");
}

}  // namespace
}  // namespace xgrammar::ebnf
