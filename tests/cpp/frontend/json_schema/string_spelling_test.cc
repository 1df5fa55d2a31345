// Spelling decoded texts as JSON: canonical escapes, one for each character, and automata of keys
// in any spelling that do not decode to a declared name.
//
// The second is what keeps a free key from repeating a property by an escape. Which spelling a
// string gets is decided in convert_string.cc, tested by json_schema_test.cc.
#include "frontend/json_schema/string_spelling.h"

#include <gtest/gtest.h>

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

TEST(SpellingsExcept, FollowsEverySpelling) {
  const CodePointDfa dfa = SpellingsExcept({"ab", "\xC3\xA9", "\xF0\x9F\x98\x80", "/"});
  for (const char* text :
       {"ab", "\\u0061b", "a\\u0062", "\\u0061\\u0062", "\xC3\xA9", "\\u00E9", "\\u00e9",
        "\xF0\x9F\x98\x80", "\\ud83d\\uDE00", "/", "\\/", "\\u002f"}) {
    EXPECT_FALSE(dfa.Accepts(text)) << text;
  }
  for (const char* text : {"", "a", "b", "abc", "\\u0061", "\\ud83d", "\\ud83d\\ude01", "\\ud83dx",
                           "\\n", "\\u00e8", "//"}) {
    EXPECT_TRUE(dfa.Accepts(text)) << text;
  }
  for (const char* text : {"\\", "\\x", "\\u00", "\"", "\n"})
    EXPECT_FALSE(dfa.Accepts(text)) << text;
}

}  // namespace
}  // namespace xgrammar::json_schema
