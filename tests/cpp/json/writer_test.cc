// Writing JSON: separators as given, and the canonical spelling of strings, in which only what must
// be escaped is.
//
// The spelling is the one that generated strings have, so other stages compare with it. Reading
// back is parser_test.cc.
#include "json/writer.h"

#include <gtest/gtest.h>

#include "json/parser.h"

namespace xgrammar {
namespace {

TEST(WriteJson, UsesTheSeparators) {
  const JsonDocument document = ParseJson(R"({"a":[1,2],"b":{}})");
  EXPECT_EQ(WriteJson(document, document.root(), {", ", ": "}), R"({"a": [1, 2], "b": {}})");
}

TEST(AppendJsonString, EscapesOnlyWhatMustBe) {
  std::string out;
  AppendJsonString(std::string_view("a\"\\/\b\t\n\f\r\x01\x1f\x7f\xC3\xA9\0", 15), &out);
  EXPECT_EQ(out, "\"a\\\"\\\\/\\b\\t\\n\\f\\r\\u0001\\u001f\x7f\xC3\xA9\\u0000\"");
}

}  // namespace
}  // namespace xgrammar
