// Spelling decoded texts as JSON: canonical escapes, one for each character, and automata that need
// none.
//
// Keys in any spelling are spellings_except_test.cc. Which spelling a string gets is decided in
// convert_string.cc, tested by json_schema_test.cc.
#include "frontend/json_schema/string_spelling.h"

#include <gtest/gtest.h>

#include <memory>

#include "automata/code_point_automaton.h"

namespace xgrammar::json_schema {
namespace {

TEST(SpellCanonically, OneSpellingPerCharacter) {
  const CodePointDfa dfa =
      SpellCanonically(FromStrings({"\"", "\\", "\n", "\x01", "\x1f", "/", "\xC3\xA9", "a\tb"}));
  for (const char* text : {"\\\"", "\\\\", "\\n", "\\u0001", "\\u001f", "/", "\xC3\xA9", "a\\tb"}) {
    EXPECT_TRUE(dfa.Accepts(text)) << text;
  }
  for (const char* text :
       {"\"", "\\", "\n", "\\u000a", "\\u001F", "\\/", "\\u00e9", "a\tb", "\\u0022"}) {
    EXPECT_FALSE(dfa.Accepts(text)) << text;
  }
}

TEST(SpellCanonically, AutomataWithoutEscapesStayThemselves) {
  const auto plain = std::make_shared<const CodePointDfa>(FromStrings({"ab", "\xC3\xA9"}));
  EXPECT_EQ(SpellCanonically(plain), plain);
  const auto quoted = std::make_shared<const CodePointDfa>(FromStrings({"a\"", "\n\x01"}));
  const CodePointDfaPtr spelled = SpellCanonically(quoted);
  for (const char* text : {"a\\\"", "\\n\\u0001"}) EXPECT_TRUE(spelled->Accepts(text)) << text;
  for (const char* text : {"a\"", "\\n\\u0002", "\\u000a\\u0001"})
    EXPECT_FALSE(spelled->Accepts(text)) << text;
}

}  // namespace
}  // namespace xgrammar::json_schema
