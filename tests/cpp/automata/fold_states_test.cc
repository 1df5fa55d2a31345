// FoldStates: the language stays and no two states are equivalent, on random machines whose only
// cycles are loops; cycles of several states are refused, and nothing is left of an empty language.
//
// Minimize, which chooses between folding and partition refinement, is minimize_test.cc.
#include "automata/fold_states.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace xgrammar {
namespace {

constexpr uint32_t kFirst = 'a';
constexpr uint32_t kLast = 'c';

/// States lead to themselves and to later ones.
DfaTable RandomTable(std::mt19937* random) {
  DfaTable table;
  const auto num_states = static_cast<int32_t>(1 + (*random)() % 9);
  for (int32_t state = 0; state < num_states; ++state) {
    for (uint32_t c = kFirst; c <= kLast; ++c) {
      const auto width = static_cast<uint32_t>((*random)() % 3);
      const uint32_t hi = std::min(c + width, kLast);
      const auto target =
          state + static_cast<int32_t>((*random)() % static_cast<uint32_t>(num_states - state));
      if ((*random)() % 3 != 0) table.AddEdge(c, hi, target);
      c = hi;
    }
    table.EndState((*random)() % 3 == 0);
  }
  return table;
}

int32_t Next(const DfaTable& table, int32_t state, uint32_t c) {
  if (state < 0) return -1;
  for (const CodePointEdge& edge : table.edges(state)) {
    if (edge.lo <= c && c <= edge.hi) return edge.target;
  }
  return -1;
}

/// Whether two states of two tables accept the same texts of up to `length` characters.
bool Agree(const DfaTable& a, int32_t in_a, const DfaTable& b, int32_t in_b, int length) {
  if ((in_a >= 0 && a.accepts(in_a)) != (in_b >= 0 && b.accepts(in_b))) return false;
  if (length == 0) return true;
  for (uint32_t c = kFirst; c <= kLast; ++c) {
    if (!Agree(a, Next(a, in_a, c), b, Next(b, in_b, c), length - 1)) return false;
  }
  return true;
}

TEST(FoldStatesTest, IsMinimalAndExact) {
  std::mt19937 random(11);
  int num_folded = 0;
  for (int round = 0; round < 400; ++round) {
    const DfaTable table = RandomTable(&random);
    const auto folded = FoldStates(table);
    ASSERT_TRUE(folded);
    ASSERT_TRUE(Agree(table, 0, folded->table, folded->start, 9)) << round;
    if (folded->start < 0) continue;
    num_folded += folded->table.num_states() < table.num_states() ? 1 : 0;
    // Texts of as many characters as there are states tell all of them apart.
    const int length = folded->table.num_states();
    for (int32_t s = 0; s < folded->table.num_states(); ++s) {
      ASSERT_FALSE(Agree(folded->table, s, folded->table, -1, length)) << round;
      for (int32_t t = s + 1; t < folded->table.num_states(); ++t)
        ASSERT_FALSE(Agree(folded->table, s, folded->table, t, length)) << round;
    }
  }
  EXPECT_GT(num_folded, 100);
}

TEST(FoldStatesTest, StateOutsideALoopMayBelongToIt) {
  // a+ with the first `a` apart, which is the loop's state; b leads to an equal loop.
  DfaTable table;
  table.AddEdge('a', 'a', 1);
  table.AddEdge('b', 'b', 2);
  table.EndState(true);
  table.AddEdge('a', 'a', 1);
  table.AddEdge('b', 'b', 2);
  table.EndState(true);
  table.AddEdge('a', 'b', 2);
  table.EndState(true);
  const auto folded = FoldStates(table);
  ASSERT_TRUE(folded);
  EXPECT_EQ(folded->table.num_states(), 1);
  EXPECT_EQ(folded->table.num_edges(), 1u);
}

TEST(FoldStatesTest, CyclesOfSeveralStatesAreRefused) {
  DfaTable table;
  table.AddEdge('a', 'a', 1);
  table.EndState(true);
  table.AddEdge('a', 'a', 0);
  table.EndState(true);
  EXPECT_FALSE(FoldStates(table));
}

TEST(FoldStatesTest, NothingIsLeftOfTheEmptyLanguage) {
  DfaTable table;
  table.AddEdge('a', 'a', 0);
  table.AddEdge('b', 'b', 1);
  table.EndState(false);
  table.EndState(false);
  const auto folded = FoldStates(table);
  ASSERT_TRUE(folded);
  EXPECT_EQ(folded->start, -1);
  EXPECT_EQ(folded->table.num_states(), 0);
}

}  // namespace
}  // namespace xgrammar
