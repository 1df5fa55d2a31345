// Spelling decoded texts as JSON: canonical escapes, one for each character, and automata that need
// none.
//
// Keys in any spelling are spellings_except_test.cc. Which spelling a string gets is decided in
// convert_string.cc, tested by json_schema_test.cc.
#include "frontend/json_schema/string_spelling.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

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

TEST(SpellCanonically, LaterIsTheSame) {
  std::vector<std::string> texts;
  for (int i = 0; i < 40; ++i) texts.push_back(std::to_string(i * i * i) + "\"\n\x01");
  const auto listed =
      std::make_shared<const CodePointDfa>(FromStrings({texts.begin(), texts.end()}));
  const auto others = std::make_shared<const CodePointDfa>(Complement(*listed));
  for (const CodePointDfaPtr& decoded : {listed, others}) {
    const LateAutomatonPtr later = SpellCanonicallyLater(decoded);
    ASSERT_NE(later, nullptr);
    EXPECT_EQ(later->accepts_empty(), decoded->Accepts(""));
    const CodePointDfa spelled = SpellCanonically(*decoded);
    EXPECT_EQ(later->Get()->states(), spelled.states());
    EXPECT_EQ(later->Get(), later->Get());
    EXPECT_GE(later->size(), static_cast<int64_t>(spelled.states().size()) + spelled.num_edges());
  }
  const auto plain = std::make_shared<const CodePointDfa>(FromStrings({std::string(300, 'a')}));
  EXPECT_EQ(SpellCanonicallyLater(plain), nullptr) << "nothing to spell";
}

}  // namespace
}  // namespace xgrammar::json_schema
