// Tokens of Lark: line ends, strings, numbers, patterns and what is no token.
//
// Each error is asked with its line and column, through the whole front end.
#include "frontend/lark/lexer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "expectations.h"

namespace xgrammar::lark {
namespace {

std::vector<TokenKind> KindsOf(std::string_view text) {
  const Source source(text, "", Limits());
  Lexer lexer(source);
  std::vector<TokenKind> kinds;
  Token token;
  for (lexer.Next(&token); token.kind != TokenKind::kEnd; lexer.Next(&token)) {
    kinds.push_back(token.kind);
  }
  return kinds;
}

Token FirstOf(std::string_view text) {
  const Source source(text, "", Limits());
  Lexer lexer(source);
  Token token;
  lexer.Next(&token);
  return token;
}

TEST(LarkLexer, LineEndsBeforeABarAreBlank) {
  using enum TokenKind;
  EXPECT_EQ(KindsOf("a\n\n # x\n | b\n// y\nc"),
            (std::vector<TokenKind>{kName, kBar, kName, kNewline, kName}));
}

TEST(LarkLexer, NumbersRangesAndArrows) {
  using enum TokenKind;
  EXPECT_EQ(KindsOf("1..2 -3 0.5e-1 a->b a-b ->"),
            (std::vector<TokenKind>{kNumber, kDotDot, kNumber, kNumber, kNumber, kName, kArrow,
                                    kName, kName, kArrow}));
}

TEST(LarkLexer, Strings) {
  EXPECT_EQ(FirstOf(R"("\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00\x41")").text, "\"\\/\b\f\n\r\té😀A");
  EXPECT_EQ(FirstOf("\"a\"i").flags, "i");
  EXPECT_EQ(FirstOf("\"a\"in").flags, "");
}

TEST(LarkLexer, PatternsKeepTheirEscapes) {
  const Token token = FirstOf("/a\\/b\nc\\\\/is");
  EXPECT_EQ(token.text, "a\\/b\nc\\\\");
  EXPECT_EQ(token.flags, "is");
}

TEST(LarkLexer, Errors) {
  const std::vector<ErrorCase> cases = {
      {"start: \"a", 1, 8, "unterminated string"},
      {"start: \"a\nb\"", 1, 8, "unterminated string"},
      {"start: \"\t\"", 1, 9, "control characters in a string must be escaped"},
      {R"(start: "\d")", 1, 9, "unknown escape"},
      {R"(start: "\u12g4")", 1, 9, "expected hexadecimal digits"},
      {R"(start: "\uD800")", 1, 9, "unpaired surrogate"},
      {R"(start: "\uD800\u0041")", 1, 9, "unpaired surrogate"},
      {"start: / \"x\"\n", 1, 8, "unterminated regular expression"},
      {"start: /a\\/", 1, 8, "unterminated regular expression"},
      {"start: 'a'", 1, 8, "strings are written with double quotes"},
      {"start: “a”", 1, 8, "unexpected character '“'"},
      {"start: \"a\";", 1, 11, "unexpected character ';'"},
      {"start: <a", 1, 8, "expected '>'"},
      {"start: <a b>", 1, 10, "blanks are not allowed"},
      {"start: @", 1, 8, "expected the name of a grammar"},
      {"% a", 1, 1, "expected the name of a directive"},
  };
  for (const ErrorCase& expected : cases) ExpectLarkError(expected);
}

}  // namespace
}  // namespace xgrammar::lark
