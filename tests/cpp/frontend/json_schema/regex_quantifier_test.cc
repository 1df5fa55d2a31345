// Quantifiers of the format `regex`: every pair of bounds against the rule that the automaton
// stands for, and what is no quantifier.
//
// Terms with quantifiers are regex_terms_test.cc.
#include "frontend/json_schema/regex_quantifier.h"

#include <gtest/gtest.h>

#include <string>

namespace xgrammar::json_schema {
namespace {

/// Whether the bounds are seen to be in order: the first one has two digits at most, or fewer than
/// the second one and no more than nine.
bool IsSeenInOrder(int64_t least, int64_t most) {
  const size_t least_digits = std::to_string(least).size();
  const size_t most_digits = std::to_string(most).size();
  return least_digits <= 2 ? least <= most : least_digits <= 9 && least_digits < most_digits;
}

TEST(RegexQuantifier, BoundsAreInOrder) {
  const CodePointDfa whole = RegexQuantifier();
  const CodePointDfa rest = RegexQuantifierRest();
  int taken = 0;
  for (int64_t least = 0; least <= 1200; least = least < 130 ? least + 1 : least * 3) {
    for (int64_t most = 0; most <= 100000; most = most < 1100 ? most + 1 : most * 4) {
      const std::string bounds = std::to_string(least) + "," + std::to_string(most) + "}";
      const bool expected = IsSeenInOrder(least, most);
      taken += expected ? 1 : 0;
      ASSERT_EQ(rest.Accepts(bounds), expected) << bounds;
      ASSERT_EQ(whole.Accepts("{" + bounds + "?"), expected) << bounds;
    }
  }
  EXPECT_GT(taken, 10000);
  EXPECT_TRUE(rest.Accepts("999999999,1000000000}"));
  EXPECT_FALSE(rest.Accepts("1000000000,10000000000}"));
}

TEST(RegexQuantifier, Forms) {
  const CodePointDfa dfa = RegexQuantifier();
  for (const char* text :
       {"*", "+", "?", "*?", "+?",
        "?"
        "?",
        "{0}", "{12}?", "{007}", "{00,}", "{3,}", "{3,}?", "{0,0}", "{1234567890123,}"})
    EXPECT_TRUE(dfa.Accepts(text)) << text;
  for (const char* text : {"", "**", "*+", "{", "{}", "{,}", "{,3}", "{3", "{3,", "{2,1}", "{01,2}",
                           "{0,0}?"
                           "?",
                           "{1,02}", "a", "{a}", "{1 }"})
    EXPECT_FALSE(dfa.Accepts(text)) << text;
}

}  // namespace
}  // namespace xgrammar::json_schema
