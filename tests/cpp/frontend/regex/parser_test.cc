// ParseRegex: groups, flags, quantifiers and the dot by their languages, and what is refused
// (constructs of other dialects, bad quantifiers, text that is no UTF-8), with kind and position.
//
// Deep nesting uses no native stack, and a pattern past the source limit names it. Classes, escapes
// and assertions have files of their own.
#include "frontend/regex/parser.h"

#include <string>

#include "expectations.h"

namespace xgrammar {
namespace {

constexpr ErrorKind kSyntax = ErrorKind::kGrammarSyntax;
constexpr ErrorKind kUnsupported = ErrorKind::kUnsupported;

TEST(RegexParserTest, Basics) {
  ExpectLanguage("", {""}, {"a"});
  ExpectLanguage("abc", {"abc"}, {"ab", "abcd", "xabc"});
  ExpectLanguage("(a|)b|", {"ab", "b", ""}, {"a"});
  ExpectLanguage("()", {""}, {"a"});
  ExpectLanguage("a?b+c*", {"b", "abbcc"}, {"", "ac"});
  ExpectLanguage("a{2}b{1,2}c{1,}", {"aabc", "aabbccc"}, {"abc", "aabbbc"});
  ExpectLanguage("a{0}b{0,0}", {""}, {"a", "b"});
  ExpectLanguage("a+?b*?c??d{1,2}?", {"ad", "aabbcdd"}, {"c", "addd"});
  ExpectLanguage("é{2}[😀-😂]+", {"éé😁"}, {"é😁"});
  ExpectLanguage("]}", {"]}"}, {""});
}

TEST(RegexParserTest, Groups) {
  ExpectLanguage("(a)(?:b)(?<year1>c)(?<$_é>d)(?P<x>e)", {"abcde"}, {"ab"});
  ExpectLanguage("(?<n>a)|(?<n>b)", {"a", "b"}, {"ab"});
  ExpectError("(?<n>a)(?<n>b)", kSyntax, 8);
  ExpectError("((?<n>a)|b)(?<n>b)", kSyntax, 12);
  ExpectError("(?<n>(?<n>b))", kSyntax, 1);
  ExpectError("(?<>a)", kSyntax, 1);
  ExpectError("(?<1a>a)", kSyntax, 1);
  ExpectError("(?<a", kSyntax, 1);
  ExpectError("x(a", kSyntax, 2);
  ExpectError("a)", kSyntax, 2);
  ExpectError("(?", kSyntax, 1);
  ExpectError("(?)", kSyntax, 1);
}

TEST(RegexParserTest, Flags) {
  ExpectLanguage("(?i)[^k]a", {"xA", "xa"}, {"ka", "Ka"});
  ExpectLanguage("(?i:a)b", {"ab", "Ab"}, {"aB"});
  ExpectLanguage("(?i)a(?-i:b)c", {"AbC"}, {"ABC"});
  ExpectLanguage("(?:(?i)a)b", {"Ab"}, {"AB"});
  ExpectLanguage("(?i)é", {"é"}, {"É"});
  ExpectLanguage("(?i)\\x41\\u0042", {"ab", "AB"}, {});
  ExpectLanguage("(?i)[x-z\\p{Lu}]", {"a", "A", "Z", "É"}, {"é"});
  ExpectLanguage("(?s:.)(?-s:.)", {"\na", "aa"}, {"a\n"});
  ExpectLanguage("(?is)a.", {"A\n"}, {});
  RegexOptions folding;
  folding.ignore_case = true;
  ExpectLanguage("ab[c-d]", {"AbD"}, {"abe"}, folding);
  ExpectError("(?m)a", kUnsupported, 1);
  ExpectError("a(?x:b)", kUnsupported, 2);
  ExpectError("(?q)a", kSyntax, 1);
  ExpectError("(?i)*", kSyntax, 5);
}

TEST(RegexParserTest, Dot) {
  RegexOptions options;
  ExpectLanguage(".", {"a", "\n", "\r", "\u2028", "\U0001F600"}, {""}, options);
  options.dot = RegexOptions::Dot::kNotLineEnd;
  ExpectLanguage(".", {"a", "\v"}, {"\n", "\r", "\u2028", "\u2029"}, options);
  ExpectLanguage("(?s).", {"\n"}, {}, options);
  options.dot = RegexOptions::Dot::kNotNewline;
  ExpectLanguage(".", {"a", "\r", "\u2028"}, {"\n"}, options);
  ExpectLanguage("(?-s).", {"\r"}, {"\n"}, options);
}

TEST(RegexParserTest, QuantifierErrors) {
  ExpectError("*a", kSyntax, 1);
  ExpectError("a|*b", kSyntax, 3);
  ExpectError("(*a)", kSyntax, 2);
  ExpectError("^*a", kSyntax, 2);
  ExpectError("{2}", kSyntax, 1);
  ExpectError("a**", kSyntax, 3);
  ExpectError("a{2}{3}", kSyntax, 5);
  ExpectError("a+?{1,3}", kSyntax, 4);
  ExpectError("a++", kUnsupported, 3);
  ExpectError("a*+", kUnsupported, 3);
  ExpectError("é{", kSyntax, 2);
  for (const char* braces : {"a{}", "a{x}", "a{,3}", "a{ 2}", "a{2, 3}", "a{2", "a{2,"}) {
    ExpectError(braces, kSyntax, 2);
  }
  ExpectError("a{3,2}", kSyntax, 2);
  ExpectError("a{99999999999999999999}", ErrorKind::kLimit);
  for (const char* pattern : {"(?<=a)*", "(?<!a){2}"}) ExpectError(pattern, kSyntax, 7);
  for (const char* pattern : {"^+", "$?"}) ExpectError(pattern, kSyntax, 2);
  for (const char* pattern : {"\\b*", "\\B{1}"}) ExpectError(pattern, kSyntax, 3);
}

TEST(RegexParserTest, RepeatedLookahead) {
  ExpectLanguage("(?!b)+.", {"a"}, {"b"});
  ExpectLanguage("(?=a){2,3}?.", {"a"}, {"b"});
  ExpectLanguage("(?=a)*.", {"a", "b"}, {});
  ExpectLanguage("(?!b)?.", {"a", "b"}, {});
  ExpectLanguage("(?!b){0,99999999999}.", {"a", "b"}, {});
  ExpectError("(?=a){3,2}", kSyntax, 6);
  ExpectError("(?=a)**", kSyntax, 7);
  RegexOptions strict;
  strict.repeats_lookahead = false;
  EXPECT_THROW(RegexToDfa("(?=a)*", strict), Error);
}

TEST(RegexParserTest, ForeignConstructs) {
  for (const char* pattern : {"(?>a)", "(?#x)a", "(?|a)", "(?(1)a)", "(?R)", "(?1)", "(?&n)",
                              "(?P=n)", "(?P>n)", "\\k<n>"}) {
    ExpectError(pattern, kUnsupported, 1);
  }
  ExpectError("(a)\\1", kUnsupported, 4);
}

TEST(RegexParserTest, IllFormedTextIsRefused) { ExpectError("a\xFF", kSyntax, 2); }

TEST(RegexParserTest, DeepNesting) {
  const auto nested = [](size_t depth) {
    std::string out(depth, '(');
    out += 'a';
    out.append(depth, ')');
    return out;
  };
  ExpectLanguage(nested(2000), {"a"}, {""});
  ExpectError(nested(2001), ErrorKind::kLimit);
}

TEST(RegexParserTest, SourceLimit) {
  Limits limits;
  limits.max_source_bytes = 3;
  EXPECT_NO_THROW(RegexToDfa("abc", {}, limits));
  EXPECT_THROW(RegexToDfa("abcd", {}, limits), Error);
}

}  // namespace
}  // namespace xgrammar
