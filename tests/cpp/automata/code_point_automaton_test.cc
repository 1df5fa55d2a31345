// CodePointDfa: the normal form that its constructor makes (trimmed, numbered breadth first, edges
// merged), by which equal machines are equal data, and plain queries: emptiness, lengths,
// membership.
//
// Lengths are those of characters, not bytes. How machines are combined is operations_test.cc, how
// they get minimal minimize_test.cc.
#include "automata/code_point_automaton.h"

#include <gtest/gtest.h>

namespace xgrammar {
namespace {

using State = CodePointDfa::State;

TEST(CodePointDfaTest, EmptyLanguageIsOneState) {
  EXPECT_TRUE(CodePointDfa(DfaTable()).IsEmpty());
  // State 1 is a trap and state 2 cannot be reached.
  const CodePointDfa dfa(
      {State{{{'a', 'a', 1}}, false}, State{{{'a', 'a', 1}}, false}, State{{}, true}});
  EXPECT_TRUE(dfa.IsEmpty());
  EXPECT_EQ(dfa.states().size(), 1u);
  EXPECT_EQ(dfa.MinLength(), -1);
  EXPECT_EQ(dfa.MaxLength(), -1);
}

TEST(CodePointDfaTest, TrimsAndRenumbersBreadthFirst) {
  const CodePointDfa dfa({
      State{{{'b', 'b', 3}, {'a', 'a', 2}, {'c', 'c', 3}, {'x', 'x', 1}}, false},
      State{{}, false},
      State{{{'d', 'd', 3}}, false},
      State{{}, true},
  });
  ASSERT_EQ(dfa.states().size(), 3u);
  const std::vector<CodePointDfa::Edge> first = {{'a', 'a', 1}, {'b', 'c', 2}};
  EXPECT_TRUE(std::ranges::equal(dfa.states()[0].edges, first));
  EXPECT_EQ(dfa.Next(0, 'a'), 1);
  EXPECT_EQ(dfa.Next(0, 'x'), -1);
  EXPECT_EQ(dfa.Next(2, 'a'), -1);
  EXPECT_TRUE(dfa.Accepts("ad"));
  EXPECT_TRUE(dfa.Accepts("c"));
  EXPECT_FALSE(dfa.Accepts("a"));
  EXPECT_FALSE(dfa.Accepts("cc"));
}

TEST(CodePointDfaTest, Lengths) {
  const CodePointDfa finite({State{{{'a', 'a', 1}, {'b', 'b', 2}}, false},
                             State{{{'a', 'a', 2}}, false}, State{{}, true}});
  EXPECT_EQ(finite.MinLength(), 1);
  EXPECT_EQ(finite.MaxLength(), 2);
  const CodePointDfa start_loop({State{{{'a', 'a', 0}}, true}});
  EXPECT_EQ(start_loop.MinLength(), 0);
  EXPECT_EQ(start_loop.MaxLength(), -1);
  const CodePointDfa inner_loop({State{{{'a', 'a', 1}}, false},
                                 State{{{'b', 'b', 1}, {'c', 'c', 2}}, false}, State{{}, true}});
  EXPECT_EQ(inner_loop.MinLength(), 2);
  EXPECT_EQ(inner_loop.MaxLength(), -1);
}

TEST(CodePointDfaTest, AcceptsCountsCharactersNotBytes) {
  EXPECT_TRUE(LengthRange(1, 1, 10).Accepts("é"));
  EXPECT_TRUE(LengthRange(1, 1, 10).Accepts("\xF0\x9F\x98\x80"));
  EXPECT_FALSE(LengthRange(1, 1, 10).Accepts("ab"));
  EXPECT_FALSE(LengthRange(1, 1, 10).Accepts("\xED\xA0\x80"));  // A surrogate is not well-formed.
}

}  // namespace
}  // namespace xgrammar
