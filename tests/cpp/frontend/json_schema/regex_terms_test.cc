// Flat terms of the format `regex`, with classes and without them.
//
// Whole patterns are regex_format_test.cc.
#include "frontend/json_schema/regex_terms.h"

#include <gtest/gtest.h>

namespace xgrammar::json_schema {
namespace {

TEST(RegexTerms, AcceptBetweenTerms) {
  const CodePointDfa all = RegexTerms(true);
  const CodePointDfa without_classes = RegexTerms(false);
  for (const char* text :
       {"", "a", "a*b+?", "^\\b|$", "\\d{2,3}\\.", ".\\u{1F600}?", "\\p{Lu}*", "a-b"}) {
    EXPECT_TRUE(all.Accepts(text)) << text;
    EXPECT_TRUE(without_classes.Accepts(text)) << text;
  }
  for (const char* text : {"[a-z]", "a[^b]*c", "[\\d-]{2}"}) {
    EXPECT_TRUE(all.Accepts(text)) << text;
    EXPECT_FALSE(without_classes.Accepts(text)) << text;
  }
  for (const char* text : {"(", "()", "*", "a**", "a{", "^*", "\\b+", "\\", "\\q", "]", "[a"}) {
    EXPECT_FALSE(all.Accepts(text)) << text;
    EXPECT_FALSE(without_classes.Accepts(text)) << text;
  }
}

}  // namespace
}  // namespace xgrammar::json_schema
