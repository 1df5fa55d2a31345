// Escapes of regular expressions: every form with its value, in and out of classes, surrogate
// pairs, properties by name, identity escapes of punctuation, and the ill-formed ones with their
// position.
//
// That tables of properties are right is tests/cpp/unicode. Folding of ASCII case stands here since
// escapes go through it.
#include "frontend/regex/escape.h"

#include "expectations.h"

namespace xgrammar {
namespace {

constexpr ErrorKind kSyntax = ErrorKind::kGrammarSyntax;

TEST(RegexEscapeTest, Controls) {
  ExpectLanguage("\\t\\n\\v\\f\\r", {"\t\n\v\f\r"}, {"tnvfr"});
  ExpectLanguage("\\a\\e", {"\x07\x1B"}, {"ae"});
  ExpectLanguage("\\0", {std::string_view("\0", 1)}, {"0"});
  ExpectLanguage("\\cA\\cz", {"\x01\x1A"}, {"Az"});
  ExpectLanguage("[\\b]", {"\b"}, {"b"});
}

TEST(RegexEscapeTest, CodePoints) {
  ExpectLanguage("\\x411", {"A1"}, {"\u0411"});
  ExpectLanguage("\\u0041\\u{1F600}\\U0001F600\\u{0}",
                 {std::string_view("A\U0001F600\U0001F600\0", 10)}, {"A"});
  ExpectLanguage("\\uD83D\\uDE00", {"\U0001F600"}, {""});
  ExpectLanguage("[\\uD83D\\uDE00-\\uD83D\\uDE02]", {"\U0001F601"}, {"\U0001F603"});
  // A lone surrogate is no character of any text.
  ExpectLanguage("\\uD83Da|b", {"b"}, {"a"});
  ExpectLanguage("[^\\uD800-\\uDFFF]", {"a", "\U0001F600"}, {""});
  ExpectLanguage("[\\u0020-\\uD7FF\\uE000-\\uFFFD]", {"a", "\uFFFD"}, {"\n", "\U0001F600"});
}

TEST(RegexEscapeTest, Shorthands) {
  ExpectLanguage("\\d\\w\\s\\D\\W\\S", {"1_ a-x"}, {"1_ 1-x"});
  ExpectLanguage("\\d", {"7"}, {"\u0661"});
  ExpectLanguage("\\w", {"Z", "_", "9"}, {"\u00E9", "-"});
  ExpectLanguage(
      "\\s", {" ", "\t", "\n", "\v", "\u00A0", "\u1680", "\u200A", "\u2028", "\u3000", "\uFEFF"},
      {"a", "\u200B", "\u180E", "\u0085"});
}

TEST(RegexEscapeTest, Properties) {
  ExpectLanguage("\\p{L}+", {"a\u00E9\u4E2D"}, {"1", ""});
  ExpectLanguage("\\P{L}", {"1"}, {"a"});
  ExpectLanguage("[\\p{Lu}\\d]+", {"A1\u00C9"}, {"a", "p", "{"});
  ExpectLanguage("[^\\P{Lu}]", {"A"}, {"a"});
  ExpectLanguage("\\p{Script=Greek}\\p{sc=Cyrl}\\p{scx=Hira}\\p{gc=Nd}", {"\u03B1\u0434\u30FC5"},
                 {});
  ExpectLanguage("\\p{Any}\\p{ASCII}\\p{Alphabetic}\\p{White_Space}", {"\naz "}, {});
  for (const char* pattern : {"\\p", "\\pL", "\\p{", "\\p{}", "\\p{Foo}", "\\p{Script=}",
                              "\\p{Script=Foo}", "\\p{lu}", "\\p{L=}", "\\p{^L}"}) {
    ExpectError(pattern, kSyntax, 1);
  }
}

TEST(RegexEscapeTest, IdentityOfPunctuation) {
  ExpectLanguage("\\^\\$\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/\\\\", {"^$.*+?()[]{}|/\\"}, {"a"});
  ExpectLanguage("\\-\\_\\@\\\"\\ \\~\\,\\:\\'", {"-_@\" ~,:'"}, {"a"});
}

TEST(RegexEscapeTest, Malformed) {
  for (const char* pattern : {"\\x4", "\\x4g", "\\u41", "\\u{}", "\\u{110000}", "\\u{1",
                              "\\U00110000", "\\U1", "\\c1", "\\c", "\\", "\\01", "\\00"}) {
    ExpectError(pattern, kSyntax, 1);
  }
  for (const char* letter : {"h", "Q", "E", "R", "X", "N", "G", "K", "y", "\u00E9"}) {
    ExpectError(std::string("ab\\") + letter, kSyntax, 3);
  }
  ExpectError("[\\1]", kSyntax, 2);
  ExpectError("[\\B]", kSyntax, 2);
}

TEST(RegexEscapeTest, FoldAsciiCase) {
  EXPECT_EQ(FoldAsciiCase(CodePointSet({{'Y', 'c'}})),
            CodePointSet({{'A', 'C'}, {'Y', 'c'}, {'y', 'z'}}));
  EXPECT_TRUE(FoldAsciiCase(CodePointSet()).empty());
}

}  // namespace
}  // namespace xgrammar
