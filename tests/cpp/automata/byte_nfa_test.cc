// ByteNfa: the fragments that literals, classes and code point automata become, read by the
// simulation of byte_nfa_simulation.h.
//
// Guards that a class reads whole characters, over all code points up to U+20000, and that a cut
// character is never accepted. Random machines and determinisation are byte_dfa_test.cc.
#include "automata/byte_nfa.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "automata/byte_nfa_simulation.h"
#include "support/utf8.h"

namespace xgrammar {
namespace {

TEST(ByteNfa, LiteralsSpellTheirBytes) {
  ByteNfa nfa;
  const int32_t start = nfa.AddState();
  const int32_t end = nfa.AddState();
  nfa.AddLiteral(start, std::string("a\0\xFF", 3), end);
  nfa.AddLiteral(start, "ab", end);
  const ByteNfaSimulation simulation(nfa, start, end);
  EXPECT_TRUE(simulation.Accepts(std::string("a\0\xFF", 3)));
  EXPECT_TRUE(simulation.Accepts("ab"));
  for (const char* text : {"", "a", "b", "abb"}) EXPECT_FALSE(simulation.Accepts(text));
}

TEST(ByteNfa, TheEmptyLiteralIsAnEpsilon) {
  ByteNfa nfa;
  const int32_t start = nfa.AddState();
  const int32_t end = nfa.AddState();
  nfa.AddLiteral(start, "", end);
  EXPECT_EQ(nfa.states().size(), 2u);
  EXPECT_TRUE(ByteNfaSimulation(nfa, start, end).Accepts(""));
}

TEST(ByteNfa, ClassesReadWholeCharacters) {
  const CodePointSet set({{'a', 'c'}, {0xE9, 0xEA}, {0x20AC, 0x20AC}, {0x1F600, 0x1F603}});
  ByteNfa nfa;
  const int32_t start = nfa.AddState();
  const int32_t end = nfa.AddState();
  nfa.AddClass(start, set.ranges(), end);
  const ByteNfaSimulation simulation(nfa, start, end);
  for (uint32_t c = 0; c <= 0x20000; ++c) {
    if (c >= kSurrogateFirst && c <= kSurrogateLast) continue;
    std::string bytes;
    AppendUtf8(c, &bytes);
    ASSERT_EQ(simulation.Accepts(bytes), set.Contains(c)) << c;
  }
  EXPECT_FALSE(simulation.Accepts("\xE2\x82"));
}

TEST(ByteNfa, AutomataKeepTheirLanguage) {
  CodePointNfa source;
  for (int i = 0; i < 3; ++i) source.AddState();
  source.AddEdge(0, CodePointSet({{'a', 'b'}, {0xE9, 0xE9}}), 1);
  source.AddEdge(1, CodePointSet::Single('a'), 0);
  source.AddEdge(1, CodePointSet::Single(0x20AC), 2);
  source.SetAccept(1);
  source.SetAccept(2);
  const CodePointDfa dfa = Determinize(source, 100);
  ByteNfa nfa;
  const int32_t start = nfa.AddState();
  const int32_t end = nfa.AddState();
  nfa.AddAutomaton(start, dfa, end);
  const ByteNfaSimulation simulation(nfa, start, end);
  for (const char* text : {"a", "b", "\xC3\xA9", "aab", "b\xE2\x82\xAC",
                           "\xC3\xA9"
                           "aa\xE2\x82\xAC"}) {
    EXPECT_TRUE(dfa.Accepts(text));
    EXPECT_TRUE(simulation.Accepts(text)) << text;
  }
  for (const char* text : {"", "aa", "ab", "\xE2\x82\xAC", "\xC3", "a\xE2\x82"}) {
    EXPECT_FALSE(simulation.Accepts(text)) << text;
  }
}

}  // namespace
}  // namespace xgrammar
