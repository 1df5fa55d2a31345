// Entities in texts and in automata: both spell the same.
//
// Only the characters that a format names are escaped, and ranges around them stay as they are.
#include "frontend/json_schema/styles/xml_escapes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace xgrammar::json_schema {
namespace {

TEST(EscapeXml, SpellsOnlyWhatIsAskedFor) {
  EXPECT_EQ(EscapeXml("a&b<c>\"d\"", "&\""), "a&amp;b<c>&quot;d&quot;");
  EXPECT_EQ(EscapeXml("&&", "&<>\""), "&amp;&amp;");
  EXPECT_EQ(EscapeXml("<>", ""), "<>");
}

TEST(EscapeXml, AutomataSpellEachText) {
  const std::vector<std::string> texts = {"", "a", "&", "<a>", "\"&<", "&amp;", "日&"};
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const CodePointDfa spelled = EscapeXml(FromStrings(views), "&<>\"");
  for (const std::string& text : texts) {
    EXPECT_TRUE(spelled.Accepts(EscapeXml(text, "&<>\""))) << text;
  }
  EXPECT_FALSE(spelled.Accepts("&"));
  EXPECT_FALSE(spelled.Accepts("&amp"));
  EXPECT_FALSE(spelled.Accepts("<a>"));
}

TEST(EscapeXml, RangesAroundEscapedCharactersStay) {
  const CodePointDfa spelled = EscapeXml(LengthRange(1, 1, 10), "&<>\"");
  for (const char* text : {"%", "'", "=", "?", "!", "#", "&lt;", "&gt;", "&amp;", "&quot;", "日"}) {
    EXPECT_TRUE(spelled.Accepts(text)) << text;
  }
  for (const char* text : {"&", "<", ">", "\"", "&l;", "&ltt;"})
    EXPECT_FALSE(spelled.Accepts(text));
}

}  // namespace
}  // namespace xgrammar::json_schema
