// FieldReader: whole numbers in every spelling, budgets, tokens by id and by text, and lists of
// them.
//
// Each kind of field with values just inside and just outside of what it takes, and the words of
// the refusal.

#include "frontend/structural_tag/field_reader.h"

#include <gtest/gtest.h>

#include <limits>

#include "frontend/structural_tag/expectations.h"
#include "json/parser.h"

namespace xgrammar::structural_tag {
namespace {

std::optional<int64_t> Whole(const char* text) {
  const JsonDocument document = ParseJson(text);
  return WholeNumber(document, document.root());
}

TEST(WholeNumber, HoweverItIsWritten) {
  EXPECT_EQ(Whole("7"), 7);
  EXPECT_EQ(Whole("7.0"), 7);
  EXPECT_EQ(Whole("-0.7e1"), -7);
  EXPECT_EQ(Whole("1e99"), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(Whole("-1e99"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(Whole("1.5"), std::nullopt);
  EXPECT_EQ(Whole("\"7\""), std::nullopt);
  EXPECT_EQ(Whole("true"), std::nullopt);
}

TEST(FieldReader, Budgets) {
  const auto with = [](const std::string& value) {
    return R"({"type":"any_text","max_chars":)" + value + "}";
  };
  for (const char* good : {"null", "0", "1.0", "2147483647"})
    EXPECT_NO_THROW(GrammarOf(with(good)));
  for (const char* bad : {"-1", "1.5", "\"1\"", "true", "2147483648", "[]"}) {
    ExpectFormatRefused(with(bad), "max_chars must be a non-negative 32-bit integer");
  }
}

TEST(FieldReader, Tokens) {
  const auto with = [](const std::string& value) {
    return R"({"type":"token","token":)" + value + "}";
  };
  EXPECT_NO_THROW(GrammarOf(with("2147483647")));
  ExpectFormatRefused(R"({"type":"token"})", "must have a token field");
  ExpectFormatRefused(with("null"), "must be an integer or string");
  ExpectFormatRefused(with("1.5"), "Token ID must be an integer");
  ExpectFormatRefused(with("2147483648"), "Token ID must be an integer");
  ExpectFormatRefused(with("-1"), "must be non-negative");
  ExpectFormatRefused(with("\"\""), "Token string must be non-empty");
  ExpectFormatRefused(with("\"a\""), "requires tokenizer_info");
}

TEST(FieldReader, TokenLists) {
  const auto with = [](const std::string& value) {
    return R"({"type":"any_tokens","exclude_tokens":)" + value + "}";
  };
  EXPECT_NO_THROW(GrammarOf(with("[1,2.0]")));
  ExpectFormatRefused(with("1"), "must be an array");
  ExpectFormatRefused(with("[1.5]"), "must be integers, not floats");
  ExpectFormatRefused(with("[true]"), "must be integers or strings");
  ExpectFormatRefused(with("[null]"), "must be integers or strings");
  ExpectFormatRefused(with("[-1]"), "must be non-negative integers or strings");
}

}  // namespace
}  // namespace xgrammar::structural_tag
