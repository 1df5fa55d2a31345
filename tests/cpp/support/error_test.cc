// Error: the text has message, place and hint, the fields that callers read are unset by default,
// and whatever a source holds, the text stays short, printable and well-formed UTF-8.
//
// Also QuoteForMessage and ThrowLimitError. Which Python class a kind becomes is
// tests/python/test_exception.py.
#include "support/error.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "support/utf8.h"

namespace xgrammar {
namespace {

TEST(Error, TextHasMessagePlaceAndHint) {
  Error error(ErrorKind::kGrammarSyntax, "Unexpected ')'");
  EXPECT_STREQ(error.what(), "Unexpected ')'");
  error.At(3, 14).Hint("remove it");
  EXPECT_STREQ(error.what(), "Unexpected ')' at line 3, column 14; remove it");
  EXPECT_EQ(error.kind(), ErrorKind::kGrammarSyntax);
  EXPECT_EQ(error.line(), 3);
  EXPECT_EQ(error.column(), 14);
  EXPECT_EQ(error.hint(), "remove it");
  EXPECT_EQ(error.message(), "Unexpected ')'");
}

TEST(Error, FieldsAreUnsetByDefault) {
  const Error error(ErrorKind::kValue, "wrong");
  EXPECT_EQ(error.line(), 0);
  EXPECT_EQ(error.position(), 0);
  EXPECT_FALSE(error.has_pointer());
  EXPECT_TRUE(error.limit_name().empty());
  EXPECT_TRUE(error.feature().empty());
}

TEST(Error, PointersNameTheRootAndEscapeControls) {
  Error root(ErrorKind::kJsonSchema, "bad");
  root.AtPointer("");
  EXPECT_STREQ(root.what(), "bad at the schema root");
  Error nested(ErrorKind::kJsonSchema, "bad");
  nested.AtPointer("/a\n/b");
  EXPECT_STREQ(nested.what(), "bad at /a\\x0a/b");
  EXPECT_EQ(nested.pointer(), "/a\n/b");
}

TEST(Error, TextStaysUnderOneKilobyteAndWellFormed) {
  std::string message;
  while (message.size() < 5000) message += "\xE2\x82\xAC";  // Three bytes each.
  for (size_t shift = 0; shift < 3; ++shift) {
    const Error error(ErrorKind::kValue, std::string(shift, 'x') + message);
    EXPECT_LE(std::strlen(error.what()), 1024u);
    EXPECT_TRUE(IsValidUtf8(error.what()));
    EXPECT_TRUE(std::string(error.what()).ends_with("..."));
  }
}

TEST(QuoteForMessage, MakesTextSafe) {
  EXPECT_EQ(QuoteForMessage("plain \xC3\xA9"), "plain \xC3\xA9");
  EXPECT_EQ(QuoteForMessage(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(QuoteForMessage("\x1B[31m\x7F"), "\\x1b[31m\\x7f");
  EXPECT_EQ(QuoteForMessage("\xC2\x85"), "\\x85");  // A C1 control.
  EXPECT_EQ(QuoteForMessage("\xED\xA0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(QuoteForMessage("abcdef", 3), "abc...");
  EXPECT_EQ(QuoteForMessage("abc", 3), "abc");
}

TEST(ThrowLimitError, NamesTheLimit) {
  try {
    ThrowLimitError("max_items", 11, 10, "the test");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kLimit);
    EXPECT_EQ(error.limit_name(), "max_items");
    EXPECT_EQ(error.limit_value(), 11);
    EXPECT_EQ(error.limit_maximum(), 10);
    const std::string text = error.what();
    EXPECT_NE(text.find("max_items was exceeded: 11 is larger than 10 in the test"),
              std::string::npos);
    EXPECT_FALSE(error.hint().empty());
  }
}

TEST(ThrowFixedLimitError, NamesNoFieldThatCouldBeRaised) {
  try {
    ThrowFixedLimitError("the test", 11, 10);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kLimit);
    EXPECT_EQ(error.limit_name(), "");
    EXPECT_EQ(error.limit_value(), 11);
    EXPECT_EQ(error.limit_maximum(), 10);
    const std::string text = error.what();
    EXPECT_NE(text.find("the test: 11 is larger than 10"), std::string::npos);
    EXPECT_EQ(error.hint().find("raise"), std::string::npos);
  }
}

}  // namespace
}  // namespace xgrammar
