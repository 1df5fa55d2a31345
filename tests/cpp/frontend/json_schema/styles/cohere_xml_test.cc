// The style of Cohere's XML tool calls: attributes and values that agree, verbatim raw text,
// elements for members and items, empty containers.
//
// Texts are written out as the family's template would have them, and close misses beside them.
#include "frontend/json_schema/styles/cohere_xml.h"

#include <gtest/gtest.h>

#include "frontend/json_schema/styles/styled.h"

namespace xgrammar::json_schema {
namespace {

std::string Member(const std::string& key, const std::string& type, const std::string& value) {
  return "<cofl:value name=\"" + key + "\" type=\"" + type + "\">" + value + "</cofl:value>";
}

std::string Item(const std::string& type, const std::string& value) {
  return "<cofl:value type=\"" + type + "\">" + value + "</cofl:value>";
}

TEST(CohereXmlStyle, TheAttributeSaysHowAValueIsRead) {
  const Styled any("cohere_xml", ObjectOfA("{}"));
  EXPECT_TRUE(any.Accepts(Member("a", "raw", "1 \"<b>\"")));
  EXPECT_TRUE(any.Accepts(Member("a", "json", "null")));
  EXPECT_TRUE(any.Accepts(Member("a", "list", Item("raw", "x") + Item("dict", ""))));
  EXPECT_TRUE(any.Accepts(Member("a", "dict", Member("x &amp; y", "json", "1"))));
  EXPECT_FALSE(any.Accepts(Member("a", "json", "\"x\"")));
  EXPECT_FALSE(any.Accepts(Member("a", "json", "[1]")));
  EXPECT_FALSE(any.Accepts(Member("a", "dict", Member("x & y", "json", "1"))));
}

TEST(CohereXmlStyle, RawBodiesAreVerbatim) {
  const Styled object("cohere_xml", ObjectOfA(R"({"enum":["x",1]})"));
  EXPECT_TRUE(object.Accepts(Member("a", "raw", "x")));
  EXPECT_TRUE(object.Accepts(Member("a", "json", " 1 ")));
  EXPECT_FALSE(object.Accepts(Member("a", "raw", " x")));
  EXPECT_FALSE(object.Accepts(Member("a", "raw", "1")));
}

TEST(CohereXmlStyle, DeclaredNamesAreNotAdditionalOnes) {
  const Styled object("cohere_xml", R"({"type":"object","properties":{"a<b":{"type":"string"}},
                                        "additionalProperties":{"type":"integer"}})");
  EXPECT_TRUE(object.Accepts(Member("a&lt;b", "raw", "1") + "\n" + Member("a b", "json", "1")));
  EXPECT_FALSE(object.Accepts(Member("a&lt;b", "json", "1")));
}

TEST(CohereXmlStyle, EmptyContainersAreEmpty) {
  const Styled object("cohere_xml", ObjectOfA(R"({"type":"array","items":{"type":"integer"}})"));
  EXPECT_TRUE(object.Accepts(Member("a", "list", "")));
  EXPECT_TRUE(object.Accepts(Member("a", "list", "\n" + Item("json", "1") + "\n")));
  EXPECT_FALSE(object.Accepts(Member("a", "list", " ")));
}

}  // namespace
}  // namespace xgrammar::json_schema
