// Styles by name: every listed style converts a schema, an unknown name lists the known ones, and
// options that a style cannot keep (layout, exclusions) are refused.
//
// Exclusions of the style `json` act on the spelling, and literals that contain one vanish. The
// language of each style is tests/cpp/frontend/json_schema/styles and tests/data/styles.
#include "frontend/json_schema/style_registry.h"

#include <gtest/gtest.h>

#include "frontend/json_schema/styles/styled.h"
#include "support/error.h"

namespace xgrammar::json_schema {
namespace {

ErrorKind KindOfError(const JsonSchemaOptions& options, std::string* message = nullptr) {
  try {
    JsonSchemaToGrammar(R"({"type":"object","properties":{"a":{"type":"integer"}}})", options);
  } catch (const Error& error) {
    if (message != nullptr) *message = error.message();
    return error.kind();
  }
  return ErrorKind::kInternal;
}

TEST(StyleRegistry, EveryStyleConverts) {
  EXPECT_EQ(StyleNames().size(), 12U);
  for (const std::string_view name : StyleNames()) {
    JsonSchemaOptions options;
    options.style = name;
    EXPECT_EQ(KindOfError(options), ErrorKind::kInternal) << name;  // That is: none.
  }
}

TEST(StyleRegistry, UnknownNamesListTheKnownOnes) {
  JsonSchemaOptions options;
  options.style = "xml";
  std::string message;
  EXPECT_EQ(KindOfError(options, &message), ErrorKind::kValue);
  for (const std::string_view name : StyleNames()) {
    EXPECT_NE(message.find(name), std::string::npos) << name;
  }
}

TEST(StyleRegistry, ExcludesAreChecked) {
  JsonSchemaOptions options;
  options.excludes = {""};
  EXPECT_EQ(KindOfError(options), ErrorKind::kValue);
  options.excludes = {" x"};
  EXPECT_EQ(KindOfError(options), ErrorKind::kInternal);
  options.style = "qwen_xml";
  EXPECT_EQ(KindOfError(options), ErrorKind::kUsage);
  options.excludes = {"x"};
  options.style = "cohere_xml";
  EXPECT_EQ(KindOfError(options), ErrorKind::kUnsupported);
}

TEST(StyleRegistry, OnlyJsonTakesALayout) {
  JsonSchemaOptions options;
  options.any_whitespace = false;
  options.indent = 2;
  EXPECT_EQ(KindOfError(options), ErrorKind::kInternal);
  options.style = "gemma";
  EXPECT_EQ(KindOfError(options), ErrorKind::kUsage);
}

TEST(StyleRegistry, JsonExcludesActOnTheSpelling) {
  const Styled string("json", R"({"type":"string"})", {"AB", "\\u0061"});
  EXPECT_TRUE(string.Accepts(R"("A\u0042")"));
  EXPECT_FALSE(string.Accepts(R"("xABx")"));
  EXPECT_FALSE(string.Accepts(R"("\u0061")"));
  const Styled bounded("json", R"({"type":"string","minLength":2,"maxLength":3})", {"AB"});
  EXPECT_TRUE(bounded.Accepts(R"("\n\n\n")"));
  EXPECT_FALSE(bounded.Accepts(R"("\n")"));
  EXPECT_FALSE(bounded.Accepts(R"("AB")"));
  EXPECT_FALSE(bounded.Accepts(R"("wxyz")"));
}

TEST(StyleRegistry, ExcludedLiteralsVanishWithoutAnError) {
  EXPECT_FALSE(Styled("json", R"({"enum":["AB","x"]})", {"AB"}).Accepts(R"("AB")"));
  EXPECT_TRUE(Styled("json", R"({"enum":["AB","x"]})", {"AB"}).Accepts(R"("x")"));
  EXPECT_FALSE(Styled("json", R"({"const":"AB"})", {"AB"}).Accepts(R"("AB")"));
}

}  // namespace
}  // namespace xgrammar::json_schema
