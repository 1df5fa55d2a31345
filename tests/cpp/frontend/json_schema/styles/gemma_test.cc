// The style of Gemma 4: strings between their markers at every level, whatever constrains them.
//
// Several cases try to get the marker into a string, by patterns, literals, lengths or keys; none
// may.
#include "frontend/json_schema/styles/gemma.h"

#include <gtest/gtest.h>

#include "frontend/json_schema/styles/styled.h"

namespace xgrammar::json_schema {
namespace {

TEST(GemmaStyle, StringsStandBetweenMarkersAtEveryLevel) {
  const Styled any("gemma", "true");
  EXPECT_TRUE(any.Accepts(R"({a:{b:[<|"|>x "y" \n<|"|>,1]}})"));
  EXPECT_TRUE(any.Accepts(R"(<|"|><|" < |><|"|>)"));
  EXPECT_FALSE(any.Accepts(R"({"a":1})"));
  EXPECT_FALSE(any.Accepts(R"({a:"x"})"));
  EXPECT_FALSE(any.Accepts(R"(<|"|>a<|"|>b<|"|>)"));
}

TEST(GemmaStyle, PatternsCannotCloseTheString) {
  const Styled pattern("gemma", R"({"type":"string","pattern":".*"})");
  EXPECT_TRUE(pattern.Accepts(R"(<|"|>a<|"<|"|>)"));
  EXPECT_FALSE(pattern.Accepts(R"(<|"|>a<|"|>b<|"|>)"));
}

TEST(GemmaStyle, LengthsCountCodePoints) {
  const Styled bounded("gemma", R"({"type":"string","minLength":2,"maxLength":3})", {"xyz"});
  EXPECT_TRUE(bounded.Accepts("<|\"|>日\n本<|\"|>"));
  EXPECT_FALSE(bounded.Accepts("<|\"|>日<|\"|>"));
  EXPECT_FALSE(bounded.Accepts("<|\"|>日本語文<|\"|>"));
  EXPECT_FALSE(bounded.Accepts("<|\"|>xyz<|\"|>"));
}

TEST(GemmaStyle, LiteralsAreCompactAndKeepTheirDigits) {
  const Styled literal("gemma", R"({"const":{"k":1.50,"b":["v",12345678901234567890123]}})");
  EXPECT_TRUE(literal.Accepts(R"({k:1.50,b:[<|"|>v<|"|>,12345678901234567890123]})"));
  EXPECT_TRUE(literal.Accepts(R"({k:1.5,b:[<|"|>v<|"|>,12345678901234567890123]})"));
  EXPECT_FALSE(literal.Accepts(R"({k: 1.5,b:[<|"|>v<|"|>,12345678901234567890123]})"));
}

TEST(GemmaStyle, WhatNeedsTheMarkerVanishes) {
  const Styled object("gemma", R"({"properties":{"k<|\"|>":{"type":"integer"},
                                                 "e":{"enum":["x<|\"|>","ok"]}},"type":"object"})");
  EXPECT_TRUE(object.Accepts(R"({e:<|"|>ok<|"|>})"));
  EXPECT_FALSE(object.Accepts(R"({k<|"|>:1})"));
  EXPECT_FALSE(object.Accepts(R"({e:<|"|>x<|"|><|"|>})"));
}

TEST(GemmaStyle, KeysHideNoFurtherMembers) {
  const Styled open("gemma", R"({"type":"object","patternProperties":{"^x":{"type":"integer"}},
                                 "additionalProperties":false})");
  EXPECT_TRUE(open.Accepts("{x:1,x2:2}"));
  EXPECT_TRUE(open.Accepts("{x:y:1}"));
  EXPECT_TRUE(open.Accepts("{x,y:1}"));
  EXPECT_FALSE(open.Accepts("{x:1,y:2}"));
  const Styled only("gemma",
                    R"({"type":"object","patternProperties":{"^x:1,y$":{"type":"integer"}},
                        "additionalProperties":false})");
  EXPECT_TRUE(only.Accepts("{x:1,y:2}"));
}

TEST(GemmaStyle, ExcludesActOnPatternsAndKeys) {
  const Styled object("gemma", R"({"type":"object","patternProperties":{"^A.$":{"type":"integer"}},
                                   "properties":{"s":{"type":"string","pattern":"^A"}}})",
                      {"AB"});
  EXPECT_TRUE(object.Accepts(R"({s:<|"|>A<|"|>,AC:1})"));
  EXPECT_FALSE(object.Accepts("{AB:1}"));
  EXPECT_FALSE(object.Accepts(R"({s:<|"|>AB<|"|>})"));
}

}  // namespace
}  // namespace xgrammar::json_schema
