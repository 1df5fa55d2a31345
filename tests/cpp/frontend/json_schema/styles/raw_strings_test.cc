// Raw strings: whatever constrains them, they end at their marker.
//
// The base class is tested through a style that uses it. Each constraint (pattern, length, excluded
// texts, keys) is tried with texts that would contain the marker.
#include "frontend/json_schema/styles/raw_strings.h"

#include <gtest/gtest.h>

#include <array>

#include "frontend/json_schema/styles/styled.h"

namespace xgrammar::json_schema {
namespace {

std::string Parameter(const std::string& value) { return "<parameter=a>" + value + "</parameter>"; }

constexpr std::array kConstraints = {
    R"({"type":"string"})",
    R"({"type":"string","minLength":1})",
    R"({"type":"string","maxLength":40})",
    R"({"type":"string","minLength":2,"maxLength":40})",
    R"({"type":"string","pattern":"^[^]*$"})",
    R"({"type":"string","pattern":"^[^]*$","minLength":2})",
    R"({"type":"string","not":{"const":"z"}})",
    R"({})",
    R"({"type":["string","integer"]})",
    R"({"anyOf":[{"type":"string","maxLength":40},{"type":"null"}]})",
};

TEST(RawStrings, NoConstraintLetsTheMarkerIn) {
  for (const char* schema : kConstraints) {
    const Styled object("qwen_xml", ObjectOfA(schema));
    EXPECT_TRUE(object.Accepts(Parameter("x</parameter"))) << schema;
    EXPECT_TRUE(object.Accepts(Parameter("<</parameter"))) << schema;
    EXPECT_FALSE(object.Accepts(Parameter("x</parameter>y"))) << schema;
    EXPECT_FALSE(object.Accepts(Parameter("</parameter><parameter=b>"))) << schema;
  }
}

TEST(RawStrings, ExcludesActUnlessThereIsAPattern) {
  const Styled bounded("qwen_xml", ObjectOfA(R"({"type":"string","maxLength":9})"), {"AB"});
  EXPECT_TRUE(bounded.Accepts(Parameter("A B")));
  EXPECT_FALSE(bounded.Accepts(Parameter("xABx")));
  const Styled written("qwen_xml", ObjectOfA(R"({"type":"string","maxLength":3})"), {"AB"});
  EXPECT_TRUE(written.Accepts(Parameter("A B")));
  EXPECT_FALSE(written.Accepts(Parameter("0123"))) << "larger lengths are counted beside it";
  const Styled pattern("qwen_xml", ObjectOfA(R"({"type":"string","pattern":"^A"})"), {"AB"});
  EXPECT_TRUE(pattern.Accepts(Parameter("AB")));
}

TEST(RawStrings, LargeLengthsAreCounted) {
  const Styled object("qwen_xml", ObjectOfA(R"({"type":"string","minLength":1,"maxLength":5000})"));
  const Grammar& grammar = object.grammar();
  int64_t max_length = kUnbounded;
  for (RuleId rule = 0; rule < grammar.num_rules(); ++rule)
    max_length = std::max(max_length, grammar.rule(rule).options.max_length);
  EXPECT_EQ(max_length, 5000);
}

TEST(RawStrings, AdditionalKeysAreNewIdentifiers) {
  const Styled object("qwen_xml", R"({"type":"object","properties":{"a":{"type":"integer"}},
                                      "additionalProperties":{"type":"string"}})",
                      {"no"});
  EXPECT_TRUE(object.Accepts(Parameter("1")));
  EXPECT_TRUE(object.Accepts("<parameter=aa>x</parameter>"));
  EXPECT_FALSE(object.Accepts(Parameter("x")));
  EXPECT_FALSE(object.Accepts("<parameter=a-b>x</parameter>"));
  EXPECT_FALSE(object.Accepts("<parameter=piano>x</parameter>"));
}

TEST(RawStrings, KeysOutsideOfPatternsAreIdentifiers) {
  const Styled object("qwen_xml",
                      R"({"type":"object","patternProperties":{"^x":{"type":"integer"}},
                          "additionalProperties":{"type":"boolean"}})");
  EXPECT_TRUE(object.Accepts("<parameter=x-1>1</parameter><parameter=b>true</parameter>"));
  EXPECT_FALSE(object.Accepts("<parameter=b-1>true</parameter>"));
  EXPECT_FALSE(object.Accepts("<parameter=x>true</parameter>"));
  EXPECT_FALSE(object.Accepts("<parameter=x>y>1</parameter>"));
}

}  // namespace
}  // namespace xgrammar::json_schema
