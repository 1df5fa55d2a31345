// Reading JSON: values with the text of their numbers, key order, duplicate keys (the last counts,
// at the first place), escapes and surrogates, strictness, line and column of errors, byte offsets.
//
// Nesting and size are bounded by limits. What a schema makes of a document is another stage.
#include "json/parser.h"

#include <gtest/gtest.h>

#include <string>

#include "json/writer.h"
#include "support/error.h"

namespace xgrammar {
namespace {

std::string RoundTrip(std::string_view text) {
  const JsonDocument document = ParseJson(text);
  return WriteJson(document, document.root());
}

ErrorKind KindOf(std::string_view text) {
  try {
    ParseJson(text);
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::kInternal;
}

TEST(ParseJson, KeepsValuesOrderAndNumberText) {
  EXPECT_EQ(RoundTrip(" {\"b\" : [1.50, -0, 1E+05],\n\"a\":{\"x\":null,\"y\":[true,false]}} "),
            R"({"b":[1.50,-0,1E+05],"a":{"x":null,"y":[true,false]}})");
  EXPECT_EQ(RoundTrip("3"), "3");
  EXPECT_EQ(RoundTrip("[]"), "[]");
  EXPECT_EQ(RoundTrip("{}"), "{}");
  EXPECT_EQ(RoundTrip("[[[],{}],{\"a\":[]}]"), "[[[],{}],{\"a\":[]}]");
}

TEST(ParseJson, LastDuplicateWinsAtTheFirstPlace) {
  EXPECT_EQ(RoundTrip(R"({"a":1,"b":2,"a":3})"), R"({"a":3,"b":2})");
  std::string many = "{";
  for (int i = 0; i < 50; ++i)
    many += "\"k" + std::to_string(i % 25) + "\":" + std::to_string(i) + ",";
  many.back() = '}';
  const JsonDocument document = ParseJson(many);
  ASSERT_EQ(document.members(document.root()).size(), 25u);
  EXPECT_EQ(document.text(document.Find(document.root(), "k3")), "28");
}

TEST(ParseJson, DecodesStrings) {
  const JsonDocument document = ParseJson(R"("a\u00e9\ud83d\ude00\n\/\"\\")");
  EXPECT_EQ(document.text(document.root()), "a\xC3\xA9\xF0\x9F\x98\x80\n/\"\\");
}

TEST(ParseJson, RefusesWhatIsNotJson) {
  for (const char* text : {"",
                           " ",
                           "{",
                           "[1,]",
                           "{\"a\":1,}",
                           "{a:1}",
                           "01",
                           "1.",
                           ".5",
                           "+1",
                           "1e",
                           "nul",
                           "tru",
                           "NaN",
                           "'a'",
                           "\"a",
                           "\"\n\"",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\ud800\"",
                           "\"\\udc00\"",
                           "\"\\ud800\\u0041\"",
                           "[1 2]",
                           "{\"a\" 1}",
                           "1 2",
                           "[]]",
                           "\"\xED\xA0\x80\"",
                           "\"\xC0\x80\"",
                           "\"\xE2\x82\"",
                           "-",
                           "[",
                           "{\"a\"",
                           "{\"a\":"}) {
    EXPECT_EQ(KindOf(text), ErrorKind::kInvalidJson) << text;
  }
}

TEST(ParseJson, ReportsLineAndColumn) {
  try {
    ParseJson("{\n  \"\xC3\xA9\": x}");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.line(), 2);
    EXPECT_EQ(error.column(), 8);
  }
}

TEST(ParseJson, BoundsNestingAndSize) {
  Limits limits;
  limits.max_nesting = 3;
  EXPECT_NO_THROW(ParseJson("[[[]]]", limits));
  EXPECT_THROW(ParseJson("[[[[]]]]", limits), Error);
  limits.max_source_bytes = 3;
  EXPECT_THROW(ParseJson("1234", limits), Error);
  EXPECT_EQ(KindOf(std::string(100000, '[')), ErrorKind::kLimit);
}

TEST(ParseJson, KeepsToTheDepthOfTheProcess) {
  SetMaxJsonDepth(2);
  EXPECT_NO_THROW(ParseJson("[[]]"));
  try {
    ParseJson("[[[]]]");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kLimit);
    EXPECT_EQ(error.limit_name(), "max_recursion_depth");
    EXPECT_EQ(error.limit_maximum(), 2);
  }
  SetMaxJsonDepth(int64_t{1} << 62);
  EXPECT_NO_THROW(ParseJson("[[[]]]"));
}

TEST(ParseJson, KeepsByteOffsets) {
  const JsonDocument document = ParseJson(" [1, \"a\"]");
  EXPECT_EQ(document.offset(document.root()), 1);
  EXPECT_EQ(document.offset(document.items(document.root())[1]), 5);
}

}  // namespace
}  // namespace xgrammar
