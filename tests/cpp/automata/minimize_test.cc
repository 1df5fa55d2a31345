// MinimizeSymbolDfa and Minimize: sizes of known machines, dead states that count as missing edges,
// and chains of many states, where refinement that splits one state a round would not end in time.
//
// That the language stays is checked on random machines in operations_test.cc, and the partition
// itself in equivalent_rows_test.cc.
#include <gtest/gtest.h>

#include <random>

#include "automata/symbol_dfa.h"

namespace xgrammar {
namespace {

TEST(MinimizeTest, MergesEquivalentStates) {
  // Multiples of three in binary, with every state doubled.
  SymbolDfa dfa;
  dfa.accept = {1, 0, 0, 1, 0, 0};
  for (int32_t state = 0; state < 6; ++state) {
    for (int32_t bit = 0; bit < 2; ++bit) {
      const int32_t target = (2 * (state % 3) + bit) % 3;
      dfa.transitions.push_back({state, bit, bit == 0 ? target : target + 3});
    }
  }
  const SymbolDfa minimal = MinimizeSymbolDfa(dfa);
  EXPECT_EQ(minimal.accept.size(), 3u);
  EXPECT_EQ(minimal.transitions.size(), 6u);
  EXPECT_EQ(minimal.accept[0], 1);
}

TEST(MinimizeTest, DeadAndMissingTransitionsAreTheSame) {
  SymbolDfa dfa;
  dfa.accept = {0, 1, 1, 0};
  // State 1 has a transition into the dead state 3, state 2 has none.
  dfa.transitions = {{0, 0, 1}, {0, 1, 2}, {1, 0, 3}, {3, 0, 3}};
  const SymbolDfa minimal = MinimizeSymbolDfa(dfa);
  EXPECT_EQ(minimal.accept.size(), 2u);
  EXPECT_EQ(minimal.transitions.size(), 2u);
  dfa.accept = {0, 0, 0, 0};
  EXPECT_EQ(MinimizeSymbolDfa(dfa).accept.size(), 1u);
  EXPECT_TRUE(MinimizeSymbolDfa(dfa).transitions.empty());
}

TEST(MinimizeTest, LongChainsAreFast) {
  // Refinement that splits one state a round would take this many rounds.
  const CodePointDfa chain = Minimize(LengthRange(90000, 90000, 100000));
  EXPECT_EQ(chain.states().size(), 90001u);
  const CodePointDfa folded =
      Minimize(Intersect(LengthRange(0, 50000, 60000), LengthRange(0, -1, 1), 60000));
  EXPECT_EQ(folded.states().size(), 50001u);
}

}  // namespace
}  // namespace xgrammar
