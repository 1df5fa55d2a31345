// From schema text to the accepted JSON texts, by the reference recogniser: objects in order and in
// any order, arrays, values, composition, strict mode, the kinds and pointers of errors, lenient
// mode and its report.
//
// The size of the grammar must stay linear for long schemas. A few cases a construct: the bulk of
// them is data, in tests/data/json_schema, and runs through every route from Python.
#include "frontend/json_schema/json_schema.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "grammar/reference_recognizer.h"
#include "support/error.h"

namespace xgrammar {
namespace {

struct Case {
  const char* schema;
  std::vector<const char*> accept;
  std::vector<const char*> reject;
};

void Check(const std::vector<Case>& cases, const JsonSchemaOptions& options = {}) {
  for (const Case& test : cases) {
    const GrammarPtr grammar = JsonSchemaToGrammar(test.schema, options).grammar;
    for (const char* text : test.accept)
      EXPECT_TRUE(Accepts(*grammar, text)) << test.schema << " " << text;
    for (const char* text : test.reject)
      EXPECT_FALSE(Accepts(*grammar, text)) << test.schema << " " << text;
  }
}

ErrorKind KindOf(std::string_view schema, const JsonSchemaOptions& options = {}) {
  try {
    JsonSchemaToGrammar(schema, options);
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::kInternal;
}

JsonSchemaOptions Open() {
  JsonSchemaOptions options;
  options.strict_mode = false;
  return options;
}

TEST(JsonSchema, Scalars) {
  Check({
      {R"({"type":"integer"})", {"0", "-1", "12"}, {"-0", "1.0", "01", "\"1\"", " 1"}},
      {R"({"type":"number"})", {"-0", "1e400", "1.50E+3"}, {"+1", "1.", ".5", "NaN"}},
      {R"({"type":["string","null"]})", {"null", R"("\u00e9\/")"}, {"true", "\"\n\""}},
      {R"({"enum":["a",1.50,null]})", {"\"a\"", "1.50", "1.5", "null"}, {"\"b\"", "1", "true"}},
      {R"({"const":18446744073709551616})", {"18446744073709551616"}, {"18446744073709551615"}},
      {R"({"type":"string","minLength":1,"maxLength":2})",
       {R"("a")", R"("\n\"")"},
       {R"("")", R"("abc")", R"("\u0041")"}},
      {R"({"type":"string","pattern":"b","maxLength":2})",
       {R"("ab")", R"("b")"},
       {R"("a")", R"("aab")"}},
  });
}

TEST(JsonSchema, OrderedObjects) {
  const char* schema =
      R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"},
      "c":{"type":"integer"}},"required":["b"]})";
  Check({{schema,
          {R"({"b":1})", R"({"a":1,"b":2,"c":3})"},
          {R"({"a":1})", R"({"c":1,"b":1})", R"({"b":1,"x":1})"}}});
  Check({{schema, {R"({"b":1,"x":[]})"}, {R"({"x":1,"b":1})", R"({"b":1,"\u0062":1})"}}}, Open());
  Check({
      {R"({"properties":{"a":{},"b":{}}})",
       {"{}", R"({"a":1})", R"({"b":1})", R"({"a":1,"b":2})"},
       {R"({"b":1,"a":2})", "1"}},
      {R"({"type":"object","properties":{"a":{},"b":{},"c":{}},"minProperties":2,"maxProperties":2})",
       {R"({"a":1,"c":1})", R"({"b":1,"c":1})"},
       {R"({"a":1})", R"({"a":1,"b":1,"c":1})", "{}"}},
      {R"({"type":"object","patternProperties":{"^a":{"type":"integer"}},"additionalProperties":{"type":"null"}})",
       {R"({"ab":1,"x":null})"},
       {R"({"ab":null})", R"({"x":1})"}},
  });
}

TEST(JsonSchema, AnyOrder) {
  JsonSchemaOptions options;
  options.any_order = true;
  Check({{R"({"type":"object","properties":{"a":{},"b":{},"c":{}},"required":["b"]})",
          {R"({"c":1,"b":1})", R"({"b":1,"a":1,"c":1})"},
          {R"({"a":1})", R"({"b":1,"b":1})", "{}"}}},
        options);
}

TEST(JsonSchema, Arrays) {
  Check({
      {R"({"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}],"items":{"type":"null"},"minItems":1})",
       {"[1]", "[1,\"a\"]", "[1,\"a\",null,null]"},
       {"[]", "[\"a\"]", "[1,\"a\",1]"}},
      {R"({"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":3})",
       {"[1,2]", "[1,2,3]"},
       {"[1]", "[1,2,3,4]"}},
      {R"({"type":"array","items":{"enum":[1,2]},"contains":{"const":2},"maxContains":1})",
       {"[2]", "[1,2,1]"},
       {"[1]", "[2,2]", "[]"}},
      {R"({"type":"array","items":{"enum":[1,2,null]},"uniqueItems":true})",
       {"[]", "[2,null,1]"},
       {"[1,1]"}},
      {R"({"type":"array","items":{"$ref":"#"}})", {"[[],[[]]]"}, {"[1]"}},
  });
}

TEST(JsonSchema, Composition) {
  Check({
      {R"({"oneOf":[{"type":"integer"},{"type":"number","minimum":5}]})",
       {"1", "5.5"},
       {"5", "7", "1.5", "5.0"}},
      {R"({"type":"integer","anyOf":[{"minimum":10},{"const":1}]})", {"1", "10"}, {"2"}},
      {R"({"allOf":[{"type":"string"},{"enum":["a",1]}]})", {"\"a\""}, {"1"}},
      {R"({"type":"string","not":{"pattern":"^a"}})", {"\"b\"", "\"\""}, {"\"a\"", "\"ab\""}},
      {R"({"type":"object","properties":{"k":{"enum":["a","b"]},"v":{}},"required":["k"],
           "if":{"properties":{"k":{"const":"a"}}},"then":{"required":["v"]}})",
       {R"({"k":"a","v":1})", R"({"k":"b"})"},
       {R"({"k":"a"})"}},
      {R"({"type":"object","properties":{"a":{},"b":{}},"dependentRequired":{"a":["b"]}})",
       {"{}", R"({"b":1})", R"({"a":1,"b":1})"},
       {R"({"a":1})"}},
  });
  Check(
      {{R"({"allOf":[{"properties":{"a":{}}}],"properties":{"b":{}},"unevaluatedProperties":false,"type":"object"})",
        {R"({"a":1,"b":2})", "{}"},
        {R"({"c":1})"}}},
      Open());
}

TEST(JsonSchema, StrictModeDoesNotReachConditions) {
  Check(
      {{R"({"type":"object","properties":{"a":{}},"not":{"properties":{"a":{"type":"integer"}},"required":["a"]}})",
        {R"({"a":"x"})", "{}"},
        {R"({"a":1})", R"({"b":1})"}}});
}

TEST(JsonSchema, Errors) {
  EXPECT_EQ(KindOf("{"), ErrorKind::kInvalidJson);
  EXPECT_EQ(KindOf("{} x"), ErrorKind::kInvalidJson);
  for (const char* schema :
       {"3", "[]", R"({"minLength":"3"})", R"({"minLength":-1})", R"({"type":[]})",
        R"({"type":"any"})", R"({"pattern":"("})", R"({"required":[1]})", R"({"multipleOf":0})",
        R"({"$ref":"#/nope"})", R"({"$ref":"#"})", R"({"properties":{"a":3}})",
        R"({"$ref":"https://example.com/x"})"}) {
    EXPECT_EQ(KindOf(schema), ErrorKind::kJsonSchema) << schema;
  }
  for (const char* schema :
       {"false", R"({"enum":[]})", R"({"type":"integer","minimum":3,"maximum":2})",
        R"({"type":"string","enum":[1]})", R"({"type":"array","minItems":2,"maxItems":1})",
        R"({"allOf":[{"type":"string"},{"type":"null"}]})",
        R"({"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]})",
        R"({"type":"integer","exclusiveMinimum":1,"exclusiveMaximum":2})"}) {
    EXPECT_EQ(KindOf(schema), ErrorKind::kUnsatisfiable) << schema;
  }
  EXPECT_EQ(KindOf(R"({"type":"array","not":{"uniqueItems":true}})"), ErrorKind::kUnsupported);
}

TEST(JsonSchema, ErrorsCarryThePointer) {
  try {
    JsonSchemaToGrammar(R"({"properties":{"a/b":{"items":{"minLength":-1}}}})");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.pointer(), "/properties/a~1b/items");
    EXPECT_EQ(error.feature(), "minLength");
  }
}

TEST(JsonSchema, LenientDropsAndReports) {
  JsonSchemaOptions options;
  options.lenient = true;
  const JsonSchemaResult result = JsonSchemaToGrammar(
      R"({"properties":{"a":{"type":"array","not":{"uniqueItems":true}},"b":{"type":"string","format":"x"}}})",
      options);
  ASSERT_EQ(result.report.size(), 2u);
  EXPECT_EQ(result.report[0].keyword, "uniqueItems");
  EXPECT_EQ(result.report[0].pointer, "/properties/a/not");
  EXPECT_EQ(result.report[0].effect, "ignored");
  EXPECT_EQ(result.report[1].effect, "annotation");
  EXPECT_TRUE(Accepts(*result.grammar, R"({"a":[1,1]})"));
}

TEST(JsonSchema, SizesStayLinear) {
  std::string deep = R"({"type":"integer"})";
  for (int i = 0; i < 400; ++i)
    deep = R"({"type":"object","properties":{"a":)" + deep + R"(},"required":["a"]})";
  EXPECT_LT(JsonSchemaToGrammar(deep).grammar->num_rules(), 500);
  const GrammarPtr counted =
      JsonSchemaToGrammar(R"({"type":"string","minLength":1000,"maxLength":100000})").grammar;
  EXPECT_LT(counted->num_exprs(), 40);
}

TEST(JsonSchema, LongTextsAreExact) {
  // Long enough to be cut into rules, with characters of several bytes at the cuts.
  std::string text;
  while (text.size() < 30000) text += "a\xC3\xA9\xF0\x9F\x98\x80";
  const GrammarPtr grammar = JsonSchemaToGrammar(R"({"const":")" + text + R"("})").grammar;
  EXPECT_GT(grammar->num_rules(), 5);
  EXPECT_TRUE(Accepts(*grammar, '"' + text + '"'));
  EXPECT_FALSE(Accepts(*grammar, '"' + text.substr(0, 28000) + '"'));
  EXPECT_FALSE(Accepts(*grammar, '"' + text + "a\""));
  text[7 * 600] = 'b';
  EXPECT_FALSE(Accepts(*grammar, '"' + text + '"'));
}

TEST(JsonSchema, AlternativesThatDifferInAMemberNeedNoComplements) {
  std::string alternatives;
  for (int i = 0; i < 60; ++i) {
    alternatives += std::string(i > 0 ? "," : "") + R"({"type":"object","required":["k"],)" +
                    R"("properties":{"k":{"const":)" + std::to_string(i) +
                    R"(},"v":{"type":"null"}}})";
  }
  const GrammarPtr grammar = JsonSchemaToGrammar(R"({"oneOf":[)" + alternatives + "]}").grammar;
  EXPECT_TRUE(Accepts(*grammar, R"({"k":59,"v":null})"));
  EXPECT_FALSE(Accepts(*grammar, R"({"k":60,"v":null})"));
  EXPECT_FALSE(Accepts(*grammar, R"({"v":null})"));
  // Only a required member tells objects apart.
  const GrammarPtr optional =
      JsonSchemaToGrammar(R"({"oneOf":[{"type":"object","properties":{"k":{"const":1}}},)"
                          R"({"type":"object","properties":{"k":{"const":2}}}]})")
          .grammar;
  EXPECT_FALSE(Accepts(*optional, "{}"));
  EXPECT_TRUE(Accepts(*optional, R"({"k":2})"));
}

TEST(JsonSchema, BuiltinGrammar) {
  const GrammarPtr grammar = BuiltinJsonGrammar();
  EXPECT_TRUE(Accepts(*grammar, "{ \"a\" : [ 1 , { } ] }"));
  EXPECT_TRUE(Accepts(*grammar, "[]"));
  EXPECT_FALSE(Accepts(*grammar, "1"));
  EXPECT_FALSE(Accepts(*grammar, " []"));
}

}  // namespace
}  // namespace xgrammar
