// InferType: the kind of a format without `type`, from the names of its fields.
//
// Values are of no matter, so most of them are 1; where the fields fit several kinds, the
// documented order settles it.

#include <gtest/gtest.h>

#include <string>

#include "frontend/structural_tag/reader.h"
#include "json/parser.h"

namespace xgrammar::structural_tag {
namespace {

std::string Inferred(const char* text) {
  const JsonDocument document = ParseJson(text);
  return std::string(InferType(document, document.root()));
}

TEST(InferType, EachKindByItsFields) {
  EXPECT_EQ(Inferred(R"({"begin":1,"content":1,"end":1})"), "tag");
  EXPECT_EQ(Inferred(R"({"value":1})"), "const_string");
  EXPECT_EQ(Inferred(R"({"json_schema":1,"style":"x","excludes":[]})"), "json_schema");
  EXPECT_EQ(Inferred(R"({"elements":1})"), "sequence");
  EXPECT_EQ(Inferred(R"({"triggers":1,"tags":1})"), "triggered_tags");
  EXPECT_EQ(Inferred(R"({"tags":1,"separator":1})"), "tags_with_separator");
  EXPECT_EQ(Inferred(R"({"excludes":1})"), "any_text");
  EXPECT_EQ(Inferred(R"({"content":1,"min":1,"max":1})"), "optional");
}

TEST(InferType, RulesByTheirFirstPattern) {
  EXPECT_EQ(Inferred(R"({"rules":[["a",1]],"excludes":[]})"), "dispatch");
  EXPECT_EQ(Inferred(R"({"rules":[[7,1]]})"), "token_dispatch");
  EXPECT_EQ(Inferred(R"({"rules":[]})"), "dispatch");
  EXPECT_EQ(Inferred(R"({"rules":[[]]})"), "dispatch");
}

TEST(InferType, OrderSettlesSeveral) {
  EXPECT_EQ(Inferred(R"({"value":1,"begin":1,"content":1,"end":1})"), "tag");
  EXPECT_EQ(Inferred(R"({"triggers":1,"tags":1,"separator":1,"excludes":1})"), "triggered_tags");
}

TEST(InferType, NothingFits) {
  for (const char* text :
       {R"({})", R"({"pattern":1})", R"({"grammar":1})", R"({"token":1})",
        R"({"exclude_tokens":1})", R"({"max_tokens":1})", R"({"trigger_tokens":1,"tags":1})"}) {
    EXPECT_EQ(Inferred(text), "") << text;
  }
}

}  // namespace
}  // namespace xgrammar::structural_tag
