// The style of MiniMax-M3: elements for members and items, literals without space, strings without
// the namespace marker.
//
// Schemas that would need element names nobody knows are refused: undeclared properties, values
// without a type.
#include "frontend/json_schema/styles/minimax_m3_xml.h"

#include <gtest/gtest.h>

#include "frontend/json_schema/styles/styled.h"
#include "support/error.h"

namespace xgrammar::json_schema {
namespace {

const std::string kN = "]<]minimax[>[";

std::string Element(const std::string& name, const std::string& value) {
  return kN + "<" + name + ">" + value + kN + "</" + name + ">";
}

ErrorKind KindOfError(std::string_view schema) {
  try {
    Styled("minimax_m3_xml", schema);
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::kInternal;
}

TEST(MinimaxM3XmlStyle, MembersAndItemsAreElements) {
  const Styled object("minimax_m3_xml", ObjectOfA(R"({"type":"array","items":{"type":"string"}})"));
  EXPECT_TRUE(object.Accepts(Element("a", "")));
  EXPECT_TRUE(object.Accepts("\n" + Element("a", Element("item", "x</a>") + "\n")));
  EXPECT_FALSE(object.Accepts(Element("a", "\n")));
  EXPECT_FALSE(object.Accepts(Element("a", Element("it", "x"))));
  EXPECT_FALSE(object.Accepts(Element("a", Element("item", kN))));
}

TEST(MinimaxM3XmlStyle, LiteralsHaveNoSpace) {
  const Styled object("minimax_m3_xml", ObjectOfA(R"({"const":{"k":[1,["v"]]}})"));
  const std::string list = Element("item", "1") + Element("item", Element("item", "v"));
  EXPECT_TRUE(object.Accepts(Element("a", Element("k", list))));
  EXPECT_FALSE(object.Accepts(Element("a", Element("k", list + " "))));
}

TEST(MinimaxM3XmlStyle, ConstrainedStringsLackTheMarker) {
  const Styled object("minimax_m3_xml", ObjectOfA(R"({"type":"string","minLength":2})"));
  EXPECT_TRUE(object.Accepts(Element("a", "xy")));
  EXPECT_FALSE(object.Accepts(Element("a", "x")));
  EXPECT_FALSE(object.Accepts(Element("a", "x" + kN + "y")));
}

TEST(MinimaxM3XmlStyle, ObjectsThatSayNothingAreEmpty) {
  const Styled object("minimax_m3_xml", R"({"type":"object"})");
  EXPECT_TRUE(object.Accepts(""));
  EXPECT_FALSE(object.Accepts(Element("a", "1")));
}

TEST(MinimaxM3XmlStyle, RefusesWhatHasNoElementName) {
  for (const char* schema :
       {"true", R"({"type":"object","additionalProperties":true})",
        R"({"type":"object","patternProperties":{"a":{"type":"integer"}}})",
        R"({"type":"object","properties":{"a>b":{"type":"integer"}}})",
        R"({"type":"object","properties":{"a":{}}})", R"({"const":"]<]minimax[>["})",
        R"({"minimum":3})", R"({"anyOf":[{},{"type":"integer"}]})",
        R"({"type":"array","items":{}})"}) {
    EXPECT_EQ(KindOfError(schema), ErrorKind::kUnsupported) << schema;
  }
}

}  // namespace
}  // namespace xgrammar::json_schema
