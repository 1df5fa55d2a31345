// Reading structural tags: every kind of format with what it needs, what it refuses, and where.
//
// Also depth, the places of JSON errors, and types that no format has. Meaning beyond single fields
// is in check_test.cc.

#include "frontend/structural_tag/reader.h"

#include <gtest/gtest.h>

#include "frontend/structural_tag/expectations.h"

namespace xgrammar::structural_tag {
namespace {

TEST(Reader, Whole) {
  ExpectRefused("[", ErrorKind::kInvalidJson, "Invalid JSON error: Failed to parse JSON", "");
  ExpectRefused(R"({"format":{"value":"a"}} x)", ErrorKind::kInvalidJson, "Failed to parse JSON",
                "");
  ExpectRefused(R"({"format":{"value":"\ud800"}})", ErrorKind::kInvalidJson, "Invalid JSON error",
                "");
  ExpectRefused("[]", ErrorKind::kStructuralTag, "Structural tag must be an object", "");
  ExpectRefused(R"({"type":"tag"})", ErrorKind::kStructuralTag,
                "Structural tag's type must be a string \"structural_tag\"", "");
  ExpectRefused(R"({"type":"structural_tag"})", ErrorKind::kStructuralTag,
                "Structural tag must have a format field", "");
  EXPECT_NO_THROW(StructuralTagToGrammar(
      R"({"type":"structural_tag","format":{"value":"a"},"other":1})", nullptr));
}

TEST(Reader, JsonErrorsHaveAPlace) {
  try {
    ReadStructuralTag("{\n x", Limits());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.line(), 2);
    EXPECT_EQ(error.column(), 2);
  }
}

TEST(Reader, Types) {
  ExpectFormatRefused("3", "Format must be an object");
  ExpectFormatRefused(R"({"type":3})", "Format's type must be a string");
  ExpectFormatRefused(R"({"type":"x"})", "Format type not recognized: x");
  ExpectFormatRefused("{}", "Invalid format");
  ExpectFormatRefused(R"({"elements":[{"value":"a"},{"content":{"type":"x"}}]})",
                      "Format type not recognized", "/format/elements/1/content");
}

TEST(Reader, Depth) {
  const auto nested = [](int depth) {
    std::string text = R"({"value":"x"})";
    for (int i = 1; i < depth; ++i) text = R"({"elements":[)" + text + "]}";
    return text;
  };
  ExpectLanguage(nested(100), {"x"}, {""});
  EXPECT_THROW(GrammarOf(nested(101)), Error);
  ExpectFormatRefused(
      R"({"tags":[{"begin":"","content":)" + nested(99) + R"(,"end":""}],"separator":","})",
      "nested deeper than 100 levels", "/format/tags/0/content" + [] {
        std::string pointer;
        for (int i = 1; i < 99; ++i) pointer += "/elements/0";
        return pointer;
      }());
}

TEST(Reader, Primitives) {
  ExpectFormatRefused(R"({"type":"const_string"})",
                      "ConstString format must have a value field with a string");
  ExpectFormatRefused(R"({"type":"json_schema"})",
                      "must have a json_schema field with a object or boolean value");
  ExpectFormatRefused(R"({"json_schema":true,"style":"yaml"})", "style must be \"json\", ");
  ExpectFormatRefused(R"({"json_schema":true,"style":1})", "style must be \"json\", ");
  ExpectFormatRefused(R"({"json_schema":true,"any_order":1})", "any_order must be a boolean");
  ExpectFormatRefused(R"({"json_schema":true,"excludes":[""]})",
                      "excludes must be an array of non-empty strings");
  ExpectFormatRefused(R"({"json_schema":true,"max_whitespace_cnt":"1"})",
                      "max_whitespace_cnt must be an integer or null");
  ExpectFormatRefused(R"({"json_schema":true,"max_whitespace_cnt":0})",
                      "max_whitespace_cnt must be positive");
  ExpectFormatRefused(R"({"type":"any_text","excludes":1})", "must be an array");
  ExpectFormatRefused(R"({"type":"any_text","excludes":[1]})", "must contain strings");
  ExpectFormatRefused(R"({"type":"any_text","excludes":[""]})", "must contain strings");
  ExpectFormatRefused(R"({"type":"regex","pattern":""})", "non-empty string");
  ExpectFormatRefused(R"({"type":"grammar"})", "non-empty string");
  ExpectFormatRefused(R"({"type":"grammar","grammar":"a","syntax":"x"})",
                      "syntax must be \"ebnf\" or \"lark\"");
}

TEST(Reader, Composites) {
  ExpectFormatRefused(R"({"type":"or"})", "must have an elements field with an array");
  ExpectFormatRefused(R"({"elements":[]})", "at least one element");
  ExpectFormatRefused(R"({"type":"star"})", "must have a content field");
  const std::string content = R"("content":{"value":"x"}})";
  ExpectFormatRefused(R"({"type":"repeat","max":1,)" + content, "must have a min field");
  ExpectFormatRefused(R"({"type":"repeat","min":1,)" + content, "must have a max field");
  ExpectFormatRefused(R"({"type":"repeat","min":-1,"max":1,)" + content, "Repeat min must be >= 0");
  ExpectFormatRefused(R"({"type":"repeat","min":2,"max":1,)" + content,
                      "Repeat min must be <= max");
  ExpectFormatRefused(R"({"type":"repeat","min":0,"max":-2,)" + content,
                      "Repeat max must be -1 (unbounded) or >= 0");
  ExpectFormatRefused(R"({"type":"repeat","min":2147483648,"max":-1,)" + content,
                      "Repeat min is too large");
  ExpectFormatRefused(R"({"type":"repeat","min":1.5,"max":2,)" + content, "whole number");
  ExpectLanguage(R"({"type":"repeat","min":2.0,"max":1e30,)" + content, {"xx", "xxx"}, {"x"});
}

TEST(Reader, Tags) {
  const std::string content = R"("content":{"value":"x"})";
  ExpectFormatRefused(R"({"type":"tag","end":"",)" + content + "}", "begin field must be a string");
  ExpectFormatRefused(R"({"type":"tag","begin":"","end":""})", "must have a content field");
  ExpectFormatRefused(R"({"type":"tag","begin":"",)" + content + "}", "must have an end field");
  const std::string open = R"({"begin":"",)" + content + R"(,"end":)";
  ExpectFormatRefused(open + "1}", "end field must be a string or array of strings");
  ExpectFormatRefused(open + "[]}", "end array cannot be empty");
  ExpectFormatRefused(open + R"([{"type":"token","token":1}]})",
                      "end array must contain only strings");
  ExpectFormatRefused(open + R"({"type":"any_text"}})", "TokenFormat must have a token field",
                      "/format/end");
  ExpectFormatRefused(R"({"tags":[1],"separator":""})", "Tag format must be an object",
                      "/format/tags/0");
  ExpectFormatRefused(R"({"tags":[{"type":"regex"}],"separator":""})",
                      "type must be a string \"tag\"", "/format/tags/0");
}

TEST(Reader, FreeText) {
  const std::string tags = R"("tags":[{"begin":"a","content":{"value":"x"},"end":""}])";
  const auto triggered = [&](const std::string& rest) {
    return R"({"type":"triggered_tags",)" + tags + rest + "}";
  };
  ExpectFormatRefused(triggered(""), "must have a triggers field with an array");
  ExpectFormatRefused(triggered(R"(,"triggers":[])"), "triggers must be non-empty");
  ExpectFormatRefused(triggered(R"(,"triggers":[""])"), "must be non-empty strings");
  ExpectFormatRefused(R"({"triggers":["a"],"tags":1})", "must have a tags field with an array");
  ExpectFormatRefused(R"({"triggers":["a"],"tags":[]})", "tags must be non-empty");
  ExpectFormatRefused(triggered(R"(,"triggers":["a"],"excludes":1)"),
                      "excludes field with an array");
  ExpectFormatRefused(triggered(R"(,"triggers":["a"],"excludes":[""])"),
                      "must be non-empty strings");
  ExpectFormatRefused(triggered(R"(,"triggers":["a"],"at_least_one":null)"),
                      "at_least_one must be a boolean");
  ExpectFormatRefused(R"({"type":"tags_with_separator",)" + tags + "}",
                      "separator field must be a string");
  ExpectFormatRefused(R"({"type":"dispatch"})", "must have a rules field with an array");
  ExpectFormatRefused(R"({"rules":[]})", "rules must be non-empty");
  ExpectFormatRefused(R"({"rules":[["a"]]})", "2-element array");
  ExpectFormatRefused(R"({"rules":[["",{"value":"x"}]]})", "first element must be");
  ExpectFormatRefused(R"({"type":"token_dispatch","rules":[[null,{"value":"x"}]]})",
                      "first element must be");
  const std::string rule = R"({"rules":[["a",{"value":"x"}]],)";
  ExpectFormatRefused(rule + R"("loop":0})", "loop must be a boolean");
  ExpectFormatRefused(rule + R"("excludes":1})", "excludes must be an array");
  ExpectFormatRefused(rule + R"("excludes":[""]})", "must contain non-empty strings");
  ExpectFormatRefused(R"({"type":"token_triggered_tags","trigger_tokens":[],)" + tags + "}",
                      "trigger_tokens must be non-empty");
}

}  // namespace
}  // namespace xgrammar::structural_tag
