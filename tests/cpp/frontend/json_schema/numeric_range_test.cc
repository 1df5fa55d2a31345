// Number automata against exact decimals: every text of a grid of spellings is judged by the
// automaton and by arithmetic, for combinations of bounds, for divisors and for excluded values.
//
// Texts have a plain form (no exponent), as constrained numbers do. The arithmetic is
// tests/cpp/json/decimal_test.cc.
#include "frontend/json_schema/numeric_range.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontend/json_schema/evaluate.h"

namespace xgrammar::json_schema {
namespace {

Decimal D(std::string_view text) { return Decimal::FromJsonNumber(text); }

std::vector<std::string> Grid() {
  std::vector<std::string> out;
  for (const char* sign : {"", "-"}) {
    for (int integer = 0; integer <= 120; ++integer) {
      for (const char* fraction : {"", ".0", ".5", ".25", ".05", ".500", ".49", ".51", ".125"}) {
        out.push_back(sign + std::to_string(integer) + fraction);
      }
    }
  }
  return out;
}

bool IsPlainInteger(const std::string& text) {
  return text.find('.') == std::string::npos && text != "-0";
}

TEST(NumberToDfa, ComparesWithBounds) {
  const std::vector<std::string> grid = Grid();
  for (const char* lower : {"", "-100.5", "-7", "-0.5", "0", "0.25", "9", "10", "99.05"}) {
    for (const char* upper : {"", "-7.25", "-1", "0", "0.5", "9.5", "10", "100", "119.49"}) {
      for (const bool exclusive : {false, true}) {
        for (const bool integer : {false, true}) {
          NumberConstraint constraint;
          constraint.integer = integer;
          if (*lower) constraint.lower = NumberBound{D(lower), exclusive};
          if (*upper) constraint.upper = NumberBound{D(upper), exclusive};
          const CodePointDfa dfa = NumberToDfa(constraint, {});
          for (const std::string& text : grid) {
            bool expected = !integer || IsPlainInteger(text);
            if (*lower) expected = expected && D(text).Compare(D(lower)) >= (exclusive ? 1 : 0);
            if (*upper) expected = expected && D(text).Compare(D(upper)) <= (exclusive ? -1 : 0);
            ASSERT_EQ(dfa.Accepts(text), expected)
                << text << " in " << lower << ".." << upper << exclusive << integer;
          }
        }
      }
    }
  }
}

TEST(NumberToDfa, Multiples) {
  const std::vector<std::string> grid = Grid();
  for (const char* divisor : {"1", "3", "0.5", "1.5", "0.125", "10", "2.5", "100"}) {
    for (const bool negated : {false, true}) {
      NumberConstraint constraint;
      (negated ? constraint.not_multiples : constraint.multiples).push_back(D(divisor));
      const CodePointDfa dfa = NumberToDfa(constraint, {});
      for (const std::string& text : grid) {
        ASSERT_EQ(dfa.Accepts(text), IsMultipleOf(D(text).Absolute(), D(divisor)) != negated)
            << text << " / " << divisor;
      }
    }
  }
}

// 10,000 remainders and 19 digits on either side of zero.
TEST(NumberToDfa, LargeDivisorsWithinLargeBounds) {
  NumberConstraint constraint;
  constraint.integer = true;
  constraint.multiples.push_back(D("9999"));
  constraint.RaiseLower({D("-9223372036854775808"), false});
  constraint.LowerUpper({D("9223372036854775807"), false});
  const CodePointDfa dfa = NumberToDfa(constraint, {});
  for (const char* text : {"0", "9999", "-99990000", "9223372036854770022", "-9223372036854770022"})
    EXPECT_EQ(dfa.Accepts(text), IsMultipleOf(D(text).Absolute(), D("9999"))) << text;
  EXPECT_TRUE(dfa.Accepts("-99990000"));
  EXPECT_FALSE(dfa.Accepts("9998"));
  EXPECT_FALSE(dfa.Accepts("99990000000000000000")) << "a multiple, but too large";
}

TEST(NumberToDfa, ExcludedValuesAndIntegrality) {
  NumberConstraint constraint;
  constraint.non_integer = true;
  constraint.excluded.push_back(D("2.5"));
  const CodePointDfa dfa = NumberToDfa(constraint, {});
  EXPECT_TRUE(dfa.Accepts("1.5"));
  EXPECT_FALSE(dfa.Accepts("2.50"));
  EXPECT_FALSE(dfa.Accepts("2.0"));
  EXPECT_FALSE(dfa.Accepts("2"));
}

}  // namespace
}  // namespace xgrammar::json_schema
