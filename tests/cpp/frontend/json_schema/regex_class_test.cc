// Character classes of the format `regex`: ranges in order between characters and escapes of one
// kind, a `-` that stands for itself, and what is left out.
//
// Whole patterns are regex_format_test.cc.
#include "frontend/json_schema/regex_class.h"

#include <gtest/gtest.h>

#include "frontend/json_schema/string_spelling.h"

namespace xgrammar::json_schema {
namespace {

TEST(RegexClass, RangesAreInOrder) {
  const CodePointDfa dfa = RegexClass();
  for (const char* text : {"[]",
                           "[^]",
                           "[-]",
                           "[^-]",
                           "[--]",
                           "[a]",
                           "[a-a]",
                           "[a-z-]",
                           "[-a-z]",
                           "[^^-a]",
                           "[!-~]",
                           "[a-\xD1\x8F]",
                           "[\xD0\xB0-\xD1\x8F]",
                           "[\\x00-\\x00]",
                           "[\\x0F-\\x1f]",
                           "[\\xfe-\\xFF]",
                           "[\\u0041-\\u0101]",
                           "[\\u30ff-\\uFFFF]",
                           "[\\ud800-\\ue000]",
                           "[\\d\\-\\]]",
                           "[\\u{1F600}x]",
                           "[\\p{Lu}\\cA\\b]",
                           "[\\x41]",
                           "[\\u0041-]"})
    EXPECT_TRUE(dfa.Accepts(text)) << text;
  for (const char* text :
       {"", "[", "a", "[[]]", "[z-a]", "[a-b-c", "[\\x01-\\x00]", "[\\x1f-\\x0f]",
        "[\\u0101-\\u0041]", "[\\ud800]", "[\\ud800-]", "[\\d-z]", "[a-\\d]", "[\\x41-z]", "[\\q]",
        "[a--]", "[\\uF000-\\uE000]"})
    EXPECT_FALSE(dfa.Accepts(text)) << text;
}

TEST(RegexClass, SpellingIsCanonical) {
  EXPECT_EQ(Minimize(SpelledRegexClass()).states(),
            Minimize(SpellCanonically(RegexClass())).states());
}

TEST(RegexPart, MatchesTheWholeText) {
  const CodePointDfa dfa = RegexPart("a.|b");
  EXPECT_TRUE(dfa.Accepts("a\n"));
  EXPECT_TRUE(dfa.Accepts("b"));
  EXPECT_FALSE(dfa.Accepts("ab "));
}

TEST(RegexEscapes, LeavesLettersOut) {
  const CodePointDfa dfa = RegexPart(RegexEscapes());
  for (const char* text : {"d", "cZ", "x4f", "u00e9", "u{10FFFF}", "p{L}", "/", "\\"})
    EXPECT_TRUE(dfa.Accepts(text)) << text;
  for (const char* text : {"q", "b", "0", "ud800", "u{110000}", "p{Foo}", "-"})
    EXPECT_FALSE(dfa.Accepts(text)) << text;
}

}  // namespace
}  // namespace xgrammar::json_schema
