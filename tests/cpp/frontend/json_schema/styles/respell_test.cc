// Spellings in texts and in automata: both spell the same.
//
// The texts have characters of every length in UTF-8, replaced and kept ones side by side, and
// ranges with replaced characters in the middle and at an end.
#include "frontend/json_schema/styles/respell.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace xgrammar::json_schema {
namespace {

const Spellings kSpellings = {
    {'\\', "\\\\"}, {'\n', "\\n"}, {0x2028, "\\u2028"}, {0x2029, "\\u2029"}};

TEST(Respell, AutomataSpellWhatTextsDo) {
  const std::vector<std::string> texts = {"", "a", "\\", "\n\n", "日\u2028", "\\n", "\u2029x"};
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const CodePointDfa spelled = Respell(FromStrings(views), kSpellings);
  for (const std::string& text : texts) EXPECT_TRUE(spelled.Accepts(Respell(text, kSpellings)));
  for (const char* text : {"\\", "\n", "\\u202", "\\u2028", "日\u2028"})
    EXPECT_FALSE(spelled.Accepts(text)) << text;
}

TEST(Respell, RangesAreSplit) {
  const CodePointDfa spelled = Respell(LengthRange(1, 1, 10), kSpellings);
  for (const char* text : {"[", "]", "\t", "\x0b", "\u2027", "\u202a", "\\u2028", "\\n", "\\\\"})
    EXPECT_TRUE(spelled.Accepts(text)) << text;
  for (const char* text : {"\n", "\\", "\u2028", "\\x"})
    EXPECT_FALSE(spelled.Accepts(text)) << text;
}

TEST(Respell, WithoutSpellingsNothingChanges) {
  EXPECT_EQ(Respell("a\\日", {}), "a\\日");
  EXPECT_TRUE(Respell(LengthRange(2, 2, 10), {}).Accepts("\\日"));
}

}  // namespace
}  // namespace xgrammar::json_schema
