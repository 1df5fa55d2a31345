// Exact decimals: equal values have one normal form whatever their spelling, the order is exact at
// any scale, rounding to integers, neighbouring integers, and the plain form.
//
// Values are known ones, chosen at carries, signs and far exponents. Bounds of schemas made of them
// are tests/cpp/frontend/json_schema/numeric_range_test.cc.
#include "json/decimal.h"

#include <gtest/gtest.h>

#include <limits>

namespace xgrammar {
namespace {

Decimal D(std::string_view text) { return Decimal::FromJsonNumber(text); }

TEST(Decimal, EqualValuesAreEqual) {
  EXPECT_EQ(D("1.0"), D("1"));
  EXPECT_EQ(D("100"), D("1e2"));
  EXPECT_EQ(D("-0"), D("0.000"));
  EXPECT_EQ(D("1.50e-1"), D("0.15"));
  EXPECT_NE(D("9007199254740993"), D("9007199254740992"));
}

TEST(Decimal, ComparesExactly) {
  const char* ordered[] = {"-1e400", "-10",  "-9.5", "-9.49", "-0.1", "0",    "1e-400",
                           "0.1",    "0.11", "1",    "9",     "10",   "1e400"};
  for (size_t i = 0; i < std::size(ordered); ++i) {
    for (size_t j = 0; j < std::size(ordered); ++j) {
      const int order = D(ordered[i]).Compare(D(ordered[j]));
      EXPECT_EQ(order < 0, i < j) << ordered[i] << " " << ordered[j];
      EXPECT_EQ(order == 0, i == j);
    }
  }
}

TEST(Decimal, RoundsToIntegers) {
  EXPECT_EQ(D("1.5").Floor(), D("1"));
  EXPECT_EQ(D("1.5").Ceil(), D("2"));
  EXPECT_EQ(D("-1.5").Floor(), D("-2"));
  EXPECT_EQ(D("-1.5").Ceil(), D("-1"));
  EXPECT_EQ(D("0.001").Floor(), D("0"));
  EXPECT_EQ(D("-0.001").Ceil(), D("0"));
  EXPECT_EQ(D("7").Floor(), D("7"));
}

TEST(Decimal, Neighbours) {
  EXPECT_EQ(D("99").Successor(), D("100"));
  EXPECT_EQ(D("100").Predecessor(), D("99"));
  EXPECT_EQ(D("0").Predecessor(), D("-1"));
  EXPECT_EQ(D("-1").Successor(), D("0"));
  EXPECT_EQ(D("-100").Successor(), D("-99"));
}

TEST(Decimal, PlainForm) {
  EXPECT_EQ(D("1e5").ToPlain(), "100000");
  EXPECT_EQ(D("1.50").ToPlain(), "1.5");
  EXPECT_EQ(D("-12e-3").ToPlain(), "-0.012");
  for (const char* text : {"1e5", "-12e-3", "0", "123.456"}) {
    EXPECT_EQ(D(text).PlainSize(), static_cast<int64_t>(D(text).ToPlain().size())) << text;
  }
  EXPECT_EQ(D("-9223372036854775808").ToInt64(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(D("9223372036854775808").ToInt64(), std::nullopt);
  EXPECT_EQ(D("1.5").ToInt64(), std::nullopt);
  EXPECT_EQ(D("1e99999999999999999999").exponent(), 1000000000000000);
}

}  // namespace
}  // namespace xgrammar
