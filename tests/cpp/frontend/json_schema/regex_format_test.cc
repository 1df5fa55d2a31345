// The format `regex`: a sound subset for generation (all that it accepts is a pattern, groups nest
// three deep), and the whole dialect for values that a schema lists.
//
// The same lists of patterns and of other texts are asked of both. Patterns are judged for their
// syntax, not for what they match: that is tests/cpp/frontend/regex.
#include "frontend/json_schema/regex_format.h"

#include <gtest/gtest.h>

#include "frontend/json_schema/string_spelling.h"

namespace xgrammar::json_schema {
namespace {

constexpr const char* kPatterns[] = {
    "",
    "|",
    "()",
    ".*?",
    "a/b",
    "^a|b$",
    "a{2,5}?",
    "a{10,100}",
    "a{123,4567}",
    "a{3}b{4,}",
    "[]",
    "[^]",
    "[--]",
    "[a-z-]",
    "[^\\]]",
    "[\\d\\w-]",
    "[\xD0\xB0-\xD1\x8F]",
    "[\\x00-\\x1f]",
    "[\\u0041-\\u0101]",
    "\\p{Lu}\\u{1F600}\\x41\\cA",
    "\\bfoo\\B",
    "(?:a|b)*",
    "(((a)))",
    "(?=a)b(?<!c)",
    "(?<name>x)",
    "(?<n>a)\\k<n>",
    "a(?<z>b*c+?|\\.\"\\\\)?x\\k<z>|\\k<z>{2}",
    "(?<n>a\\k<n>)\\k<n>*",
    "(?=a)(?<n>[a-z]{1,2})\\u0041(c)",
    "(?<$_\xC3\xA9\xE2\x80\x8D\xF0\x90\x8A\x80>)",
    "^\\s*(it|describe)\\(\\s*['\"]([^'\"]+)['\"]",
};

constexpr const char* kOthers[] = {
    "(?P<n>a)",  "(?P<n>a)(?P=n)",
    "(?i)a",     "(?ims)a",
    "(?#a)b",    "(?",
    "[",         "(",
    "a)",        "*",
    "a**",       "a{2,1}",
    "a{9,10",    "a{100,20}",
    "[z-a]",     "\\",
    "\\a",       "\\Z",
    "a{",        "(?=a)*",
    "^*",        "\\u{110000}",
    "(?a)",      "[\\x20-\\x1f]",
    "\\p{Foo}",  "{1}",
    "(?<n>a",    "(?<n>a)(?<n>b)",
    "(?<>a)",    "(?<1n>a)",
    "(?<n",      "(?<n m>a)",
    "(?<n-m>a)", "(?<n>*)",
    "[a-\\d]",   "[\\u0101-\\u0041]",
};

TEST(RegexFormat, TakesPatternsOnly) {
  const CodePointDfa dfa = RegexFormatToDfa();
  for (const char* text : kPatterns) EXPECT_TRUE(dfa.Accepts(text)) << text;
  for (const char* text : kOthers) EXPECT_FALSE(dfa.Accepts(text)) << text;
  EXPECT_FALSE(dfa.Accepts("((((a))))")) << "nested too deep for the subset";
}

TEST(RegexFormat, SpellingIsCanonical) {
  const CodePointDfa spelled = Minimize(SpellCanonically(RegexFormatToDfa()));
  EXPECT_EQ(Minimize(SpelledRegexFormatToDfa()).states(), spelled.states());
}

TEST(RegexFormat, ValuesAreJudgedWithoutBound) {
  for (const char* text : kPatterns) EXPECT_TRUE(IsRegularExpression(text)) << text;
  for (const char* text : kOthers) EXPECT_FALSE(IsRegularExpression(text)) << text;
  for (const char* text :
       {"((((((a))))))", "(?i:a)", "[(?P<n>a)]", "\\(?\\)", "(?<n>a)\\k<n>", "(a)\\1", "(?<=a)b"})
    EXPECT_TRUE(IsRegularExpression(text)) << text;
}

}  // namespace
}  // namespace xgrammar::json_schema
