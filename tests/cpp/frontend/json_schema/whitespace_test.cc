// White space, separators and indentation: free white space with and without a bound, fixed
// separators, lines indented by the depth of recursion, and options that are refused.
//
// Judged by the reference recogniser on one schema with an object and an array. That all structures
// keep to the layout is a matter of the data cases.
#include "frontend/json_schema/whitespace.h"

#include <gtest/gtest.h>

#include "frontend/json_schema/json_schema.h"
#include "grammar/reference_recognizer.h"
#include "support/error.h"

namespace xgrammar {
namespace {

constexpr const char* kSchema =
    R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"array","items":{"type":"integer"}}},"required":["a","b"]})";

bool Takes(const JsonSchemaOptions& options, std::string_view text, const char* schema = kSchema) {
  return Accepts(*JsonSchemaToGrammar(schema, options).grammar, text);
}

TEST(Layout, FreeWhitespace) {
  EXPECT_TRUE(Takes({}, "{ \"a\" :\t1 ,\r\n\"b\":[ 1 , 2 ] }"));
  EXPECT_FALSE(Takes({}, "{\"a\":1,\"b\":[]} "));
  JsonSchemaOptions bounded;
  bounded.max_whitespace_cnt = 1;
  EXPECT_TRUE(Takes(bounded, "{ \"a\" : 1 , \"b\" : [ ] }"));
  EXPECT_FALSE(Takes(bounded, "{\"a\":1,\"b\":[  ]}"));
}

TEST(Layout, FixedSeparators) {
  JsonSchemaOptions options;
  options.any_whitespace = false;
  EXPECT_TRUE(Takes(options, "{\"a\": 1, \"b\": [1, 2]}"));
  EXPECT_FALSE(Takes(options, "{\"a\":1,\"b\":[1,2]}"));
  options.separators = {",", ":"};
  EXPECT_TRUE(Takes(options, "{\"a\":1,\"b\":[1,2]}"));
}

TEST(Layout, IndentFollowsTheDepthOfRecursion) {
  JsonSchemaOptions options;
  options.any_whitespace = false;
  options.indent = 2;
  EXPECT_TRUE(Takes(options, "{\n  \"a\": 1,\n  \"b\": [\n    1,\n    2\n  ]\n}"));
  std::string text = "{}";
  for (int i = 0; i < 20; ++i) {
    std::string inner;
    for (const char c : text) inner += c == '\n' ? std::string("\n  ") : std::string(1, c);
    text = "{\n  \"c\": " + inner + "\n}";
  }
  EXPECT_TRUE(Takes(options, text, R"({"type":"object","properties":{"c":{"$ref":"#"}}})"));
}

TEST(Layout, RefusesBadOptions) {
  JsonSchemaOptions options;
  options.max_whitespace_cnt = 0;
  EXPECT_THROW(JsonSchemaToGrammar("{}", options), Error);
  JsonSchemaOptions negative;
  negative.indent = -1;
  EXPECT_THROW(JsonSchemaToGrammar("{}", negative), Error);
}

}  // namespace
}  // namespace xgrammar
