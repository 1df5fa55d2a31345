// The Regex macro of EBNF: a match of the whole pattern, flags, `json_string`, which spells the
// matches as the inside of JSON strings, and errors placed inside the quoted pattern.
//
// What patterns mean is tests/cpp/frontend/regex; only the macro's own arguments are judged here.
#include "frontend/ebnf/regex_macro.h"

#include <gtest/gtest.h>

#include "grammar/reference_recognizer.h"
#include "syntax_error_expectation.h"

namespace xgrammar::ebnf {
namespace {

bool Matches(std::string_view grammar, std::string_view text) {
  return Accepts(*ParseEbnf(grammar), text);
}

TEST(RegexMacro, MatchesTheWholePattern) {
  EXPECT_TRUE(Matches(R"(root ::= "no." Regex("[A-F]\\d{3}"))", "no.B123"));
  EXPECT_FALSE(Matches(R"(root ::= "no." Regex("[A-F]\\d{3}"))", "no.B1234"));
  EXPECT_TRUE(Matches(R"(root ::= Regex("ab")+)", "abab"));
}

TEST(RegexMacro, Flags) {
  EXPECT_TRUE(Matches(R"(root ::= Regex("a.b"))", "a\nb"));
  EXPECT_FALSE(Matches(R"(root ::= Regex("a.b", flags=""))", "a\nb"));
  EXPECT_TRUE(Matches(R"(root ::= Regex("a.b", flags=""))", "a\rb"));
  EXPECT_TRUE(Matches(R"(root ::= Regex("a.b", flags="ssu"))", "a\nb"));
  EXPECT_TRUE(Matches(R"(root ::= Regex(flags="i", "ok"))", "oK"));
}

TEST(RegexMacro, JsonString) {
  const char* grammar = R"(root ::= Regex("[^a]+", json_string=true))";
  EXPECT_TRUE(Matches(grammar, "b c"));
  EXPECT_FALSE(Matches(grammar, "b\"c"));
  EXPECT_FALSE(Matches(grammar, "b\\c"));
  EXPECT_FALSE(Matches(grammar, "b\nc"));
  EXPECT_TRUE(Matches(R"(root ::= Regex("[^a]+", json_string=false))", "b\"c"));
}

TEST(RegexMacro, Errors) {
  ExpectSyntaxError("root ::= Regex()", 1, 16, "Regex expects exactly one string argument");
  ExpectSyntaxError("root ::= Regex(\"a\", \"b\")", 1, 16,
                    "Regex expects exactly one string argument");
  ExpectSyntaxError("root ::= Regex(1)", 1, 16, "Regex pattern must be a string literal");
  ExpectSyntaxError("root ::= Regex(\"a\", x=1)", 1, 16,
                    "Regex does not support the named argument x");
  ExpectSyntaxError("root ::= Regex(\"a\", json_string=1)", 1, 16, "json_string must be a boolean");
  ExpectSyntaxError("root ::= Regex(\"a\", flags=1)", 1, 16, "flags must be a string");
  ExpectSyntaxError("root ::= Regex(\"a\", flags=\"m\")", 1, 16,
                    "regular-expression flag 'm' is not supported");
  ExpectSyntaxError("root ::= \"b\"\nx ::= Regex(\"+a\")", 2, 13,
                    "Failed to build the automaton for rule x with regex +a: ");
  ExpectSyntaxError("root ::= Regex(\"\\\"\", json_string=true)", 1, 16,
                    "Failed to build the automaton for rule root with regex \"",
                    ErrorKind::kUnsatisfiable);
}

}  // namespace
}  // namespace xgrammar::ebnf
