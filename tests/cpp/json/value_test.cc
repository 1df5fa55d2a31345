// A part of a document is what parsing the text of the part alone gives, and its content tells
// values apart.
//
// Parsing is parser_test.cc, writing writer_test.cc, which says what is in a part here.
#include "json/value.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <string_view>

#include "json/parser.h"
#include "json/writer.h"

namespace xgrammar {
namespace {

constexpr std::array<std::string_view, 14> kValues = {
    R"({"a":[1,{"b":[]},"x"],"c":null,"a b":{"d":true,"e":-1.50e3}})",
    R"([[],{},[[2]],""])",
    R"("text \u0000")",
    "1.0",
    "1",
    "true",
    "false",
    "null",
    "[]",
    "{}",
    R"({"a":"b","c":"d"})",
    R"({"ab":"","c":"d"})",
    R"({"a":"bc","d":""})",
    R"([{"k":["a"]},"b"])",
};

std::string ContentOf(const JsonDocument& document) {
  std::string content;
  document.AppendContent(&content);
  return content;
}

TEST(JsonDocumentPart, IsTheValueAlone) {
  for (std::string_view value : kValues) {
    const std::string text = "[1,{\"x\": " + std::string(value) + "},\"after\"]";
    const JsonDocument whole = ParseJson(text);
    const JsonDocument part = whole.Part(whole.Find(whole.items(whole.root())[1], "x"));
    EXPECT_EQ(WriteJson(part, part.root()), WriteJson(ParseJson(value), 0)) << value;
    // Numbered as by the parser: containers before what is in them, and nothing else.
    const JsonDocument alone = ParseJson(value);
    ASSERT_EQ(part.size(), alone.size()) << value;
    for (JsonId id = 0; id < part.size(); ++id) EXPECT_EQ(part.kind(id), alone.kind(id)) << value;
  }
}

TEST(JsonDocumentPart, LeavesOutValuesThatALaterKeyReplaced) {
  const JsonDocument whole = ParseJson(R"([{"a":[1,2],"b":3,"a":4}])");
  const JsonDocument part = whole.Part(whole.items(whole.root())[0]);
  EXPECT_EQ(WriteJson(part, part.root()), R"({"a":4,"b":3})");
  EXPECT_EQ(part.size(), 3);
}

TEST(JsonDocumentPart, HasNoBoundOfDepth) {
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  Limits limits;
  limits.max_nesting = 1000000;
  const JsonDocument whole = ParseJson(deep, limits);
  EXPECT_EQ(whole.Part(whole.items(whole.root())[0]).size(), 199999);
}

TEST(JsonDocumentContent, IsEqualForEqualValuesOnly) {
  std::set<std::string> contents;
  for (std::string_view value : kValues) {
    const JsonDocument whole =
        ParseJson("[" + std::string(value) + ", " + std::string(value) + "]");
    const auto items = whole.items(whole.root());
    const std::string content = ContentOf(whole.Part(items[0]));
    EXPECT_EQ(content, ContentOf(whole.Part(items[1]))) << value;
    EXPECT_TRUE(contents.insert(content).second) << value;
  }
}

}  // namespace
}  // namespace xgrammar
