// Why nothing satisfies a schema: the place and the keyword that the error names.
//
// Parts that are at fault by themselves are followed to the last one; keywords that contradict one
// another are named where they stand. Messages as a whole are data, in tests/data/json_schema.
#include <gtest/gtest.h>

#include <string>

#include "frontend/json_schema/json_schema.h"
#include "support/error.h"

namespace xgrammar {
namespace {

/// "pointer keyword" of the error, or what came instead.
std::string CauseOf(const std::string& schema) {
  try {
    JsonSchemaToGrammar(schema);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsatisfiable) return error.what();
    return error.pointer() + " " + error.feature();
  }
  return "a grammar";
}

TEST(UnsatisfiableTest, ASchemaThatSaysSo) {
  EXPECT_EQ(CauseOf("false"), " ");
  EXPECT_EQ(CauseOf(R"({"enum":[]})"), " enum");
  EXPECT_EQ(CauseOf(R"({"type":"string","minLength":2,"maxLength":1})"), " minLength");
  EXPECT_EQ(CauseOf(R"({"type":"array","minItems":2,"maxItems":1})"), " minItems");
  EXPECT_EQ(CauseOf(R"({"type":"object","required":["a","b"],"maxProperties":1})"), " required");
  EXPECT_EQ(CauseOf(R"({"type":"number","exclusiveMinimum":1,"maximum":1})"), " exclusiveMinimum");
}

TEST(UnsatisfiableTest, PartsAreFollowed) {
  EXPECT_EQ(CauseOf(R"({"type":"object","properties":{"a/b":{"$ref":"#/$defs/x"}},
                        "required":["a/b"],"$defs":{"x":{"allOf":[true,{"enum":[]}]}}})"),
            "/$defs/x/allOf/1 enum");
  EXPECT_EQ(CauseOf(R"({"type":"array","prefixItems":[{},false],"minItems":2})"),
            "/prefixItems/1 ");
  EXPECT_EQ(CauseOf(R"({"type":"array","items":false,"minItems":1})"), "/items ");
  EXPECT_EQ(CauseOf(R"({"type":"array","contains":{"enum":[]}})"), "/contains enum");
  EXPECT_EQ(CauseOf(R"({"type":"object","required":["x"],"additionalProperties":false})"),
            "/additionalProperties ");
}

TEST(UnsatisfiableTest, PartsThatContradictOneAnother) {
  EXPECT_EQ(CauseOf(R"({"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],
                        "allOf":[{"properties":{"a":{"type":"string"}}}]})"),
            " allOf");
  EXPECT_EQ(CauseOf(R"({"anyOf":[{"enum":[]},false]})"), " anyOf");
  EXPECT_EQ(CauseOf(R"({"type":"string","pattern":"^a{5}$","maxLength":3})"), " pattern");
}

TEST(UnsatisfiableTest, EndlessValues) {
  EXPECT_EQ(CauseOf(R"({"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]})"),
            "/properties/a ");
}

// A part that cannot be converted is none that the schema was refused for.
TEST(UnsatisfiableTest, PartsThatAreNotSupported) {
  EXPECT_EQ(CauseOf(R"({"type":"object","required":["a","b"],"maxProperties":1,
                        "properties":{"a":{"type":"string","format":"idn-hostname"}}})"),
            " required");
}

}  // namespace
}  // namespace xgrammar
