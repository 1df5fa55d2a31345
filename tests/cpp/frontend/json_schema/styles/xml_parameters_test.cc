// Parameter lists: places, padding, attributes that agree with their values.
//
// What is common to the families is tried with one of them; what differs between them is data and
// has its cases in tests/data/styles.
#include "frontend/json_schema/styles/xml_parameters.h"

#include <gtest/gtest.h>

#include "frontend/json_schema/styles/styled.h"
#include "frontend/json_schema/styles/xml_formats.h"

namespace xgrammar::json_schema {
namespace {

std::string Kimi(const std::string& type, const std::string& value) {
  return "<|open|>argument key=\"a\" type=\"" + type + "\"<|sep|>" + value +
         "<|close|>argument<|sep|>";
}

TEST(XmlParameterStyle, ParametersAtTheTopAndJsonInside) {
  const Styled object("qwen_xml", R"({"type":"object","properties":{
      "a":{"$ref":"#"},"n":{"type":"string"}},"required":["n"]})");
  EXPECT_TRUE(object.Accepts("<parameter=n>x</parameter>"));
  EXPECT_TRUE(
      object.Accepts("<parameter=a>\n{\"a\": {\"n\":\"x\"}, \"n\":\"y\"}\n</parameter>\n"
                     "<parameter=n>x</parameter>"));
  EXPECT_FALSE(
      object.Accepts("<parameter=a><parameter=n>x</parameter></parameter>"
                     "<parameter=n>x</parameter>"));
  EXPECT_FALSE(object.Accepts(R"({"n":"x"})"));
}

TEST(XmlParameterStyle, PadsAllButFreeStrings) {
  const std::string schema = ObjectOfA(R"({"type":"string","pattern":"^x$"})");
  EXPECT_TRUE(
      Styled("glm_xml", schema).Accepts("<arg_key>a</arg_key>\n<arg_value>\nx\n</arg_value>"));
  const std::string open = "<｜DSML｜parameter name=\"a\" string=\"true\">";
  EXPECT_TRUE(Styled("deepseek_xml", schema).Accepts(open + "x</｜DSML｜parameter>"));
  EXPECT_FALSE(Styled("deepseek_xml", schema).Accepts(open + " x</｜DSML｜parameter>"));
}

TEST(XmlParameterStyle, TheAttributeAgreesWithTheValue) {
  const Styled any("kimi_k3_xml", ObjectOfA("{}"));
  EXPECT_TRUE(any.Accepts(Kimi("string", "5")));
  EXPECT_TRUE(any.Accepts(Kimi("number", "5")));
  EXPECT_TRUE(any.Accepts(Kimi("array", "[\"x\"]")));
  EXPECT_FALSE(any.Accepts(Kimi("number", "x")));
  EXPECT_FALSE(any.Accepts(Kimi("integer", "5")));
  EXPECT_FALSE(any.Accepts(Kimi("boolean", "null")));
  const Styled values("kimi_k3_xml", ObjectOfA(R"({"enum":["x",1,null,["y"]]})"));
  EXPECT_TRUE(values.Accepts(Kimi("string", "x")));
  EXPECT_TRUE(values.Accepts(Kimi("array", "[\"y\"]")));
  EXPECT_FALSE(values.Accepts(Kimi("array", "[ \"y\"]")));
  EXPECT_FALSE(values.Accepts(Kimi("string", "1")));
  EXPECT_FALSE(values.Accepts(Kimi("string", "null")));
}

TEST(XmlParameterStyle, ExcludesReachIntoNestedJson) {
  const Styled object("kimi_k3_xml", ObjectOfA(R"({"type":"object"})"), {"<|close|>"});
  EXPECT_TRUE(object.Accepts(Kimi("object", R"({"k":"<|close"})")));
  EXPECT_FALSE(object.Accepts(Kimi("object", R"({"k":"<|close|>"})")));
  EXPECT_FALSE(object.Accepts(Kimi("object", R"({"<|close|>":1})")));
}

TEST(XmlParameterStyle, RootsOfOtherTypes) {
  EXPECT_TRUE(Styled("qwen_xml", R"({"type":"string"})").Accepts("any text"));
  EXPECT_FALSE(Styled("qwen_xml", R"({"type":"string"})").Accepts("x</parameter>"));
  EXPECT_TRUE(Styled("kimi_k3_xml", R"({"type":"array"})").Accepts(R"([1, {"a":"x"}])"));
  EXPECT_FALSE(Styled("qwen_xml", "true").Accepts("text"));
}

// The markers are literals of kAuto rules, which tokens with their text may stand for; JSON inside
// a parameter is not.
TEST(XmlParameterStyle, KindsOfRules) {
  const Styled object("kimi_k3_xml", ObjectOfA(R"({"type":["object","null"],"required":["k"]})"));
  const Grammar& grammar = object.grammar();
  EXPECT_EQ(grammar.rule(grammar.root()).kind, RuleKind::kAuto);
  bool has_json = false;
  for (RuleId rule = 0; rule < grammar.num_rules(); ++rule)
    has_json = has_json || grammar.rule(rule).kind == RuleKind::kStructure;
  EXPECT_TRUE(has_json);
}

}  // namespace
}  // namespace xgrammar::json_schema
