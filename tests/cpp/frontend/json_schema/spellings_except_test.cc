// Automata of keys in any spelling that do not decode to a declared name: escapes in either case,
// surrogate pairs, names that begin alike, and the final form of the automaton.
//
// They keep a free key from repeating a property by an escape. Canonical spellings are
// string_spelling_test.cc.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "automata/code_point_automaton.h"
#include "frontend/json_schema/string_spelling.h"

namespace xgrammar::json_schema {
namespace {

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

TEST(SpellingsExcept, NamesBeginAlike) {
  const CodePointDfa dfa = SpellingsExcept({"", "a", "abc", "abc", "\xF0\x9F\x98\x80", "\n"});
  for (const char* text :
       {"", "a", "\\u0061", "abc", "a\\u0062c", "\\uD83D\\uDE00", "\\n", "\\u000A"})
    EXPECT_FALSE(dfa.Accepts(text)) << text;
  for (const char* text : {"ab", "abcd", "b", "\\ud83d", "\\ud83d\\ude01", "\\uD83D\\n", "\\r"})
    EXPECT_TRUE(dfa.Accepts(text)) << text;
}

TEST(SpellingsExcept, IsInFinalForm) {
  const CodePointDfa dfa =
      SpellingsExcept({"name", "number", "\xF0\x9F\x98\x80", "\xF0\x9F\x98\x81", "\"/\t"});
  EXPECT_EQ(CodePointDfa(dfa.ToTable()).states(), dfa.states());
  EXPECT_EQ(dfa.MinLength(), 0);
}

TEST(SpellingsExcept, LaterIsTheSame) {
  const std::vector<std::vector<std::string_view>> lists = {
      {"", "additional", "addition"},
      {"properties", "property", "proper"},
      {"\xF0\x9F\x98\x80\xF0\x9F\x98\x81\xF0\x9F\x98\x82\xF0\x9F\x98\x83"
       "abcdef"},
      {"\n\t\"\\/\b\f\r", "\xC3\xA9\xC3\xA8\xC3\xAA\xC3\xAB\xC3\xA0\xC3\xA2\xC3\xA4\xC3\xA7"},
  };
  for (std::vector<std::string_view> names : lists) {
    std::sort(names.begin(), names.end());
    const LateAutomatonPtr later = SpellingsExceptLater(names);
    ASSERT_NE(later, nullptr);
    const CodePointDfa dfa = SpellingsExcept(names);
    EXPECT_EQ(later->accepts_empty(), dfa.Accepts(""));
    EXPECT_EQ(later->Get()->states(), dfa.states());
    EXPECT_GE(later->size(), static_cast<int64_t>(dfa.states().size()) + dfa.num_edges());
  }
  EXPECT_EQ(SpellingsExceptLater({"id", "key"}), nullptr) << "small";
}

}  // namespace
}  // namespace xgrammar::json_schema
