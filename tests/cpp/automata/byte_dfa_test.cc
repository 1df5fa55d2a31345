// ByteDfa: determinised machines against a simulation of the machine they came from, and the facts
// (first bytes, final states, prefix freedom) against their definitions.
//
// Machines are random and small, a chain is past the size up to which states are merged, and one
// needs 2^n states and has to be given up. Which NFA stands for which expression is
// byte_nfa_test.cc and tests/cpp/lowering.
#include "automata/byte_dfa.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>

#include "automata/byte_nfa_simulation.h"

namespace xgrammar {
namespace {

constexpr int32_t kStart = 0;
constexpr int32_t kAccept = 1;

ByteNfa RandomNfa(std::mt19937* random) {
  ByteNfa nfa;
  const auto num_states = static_cast<int32_t>(2 + (*random)() % 7);
  for (int32_t s = 0; s < num_states; ++s) nfa.AddState();
  const auto any = [&] {
    return static_cast<int32_t>((*random)() % static_cast<uint32_t>(num_states));
  };
  for (uint32_t i = 0; i < (*random)() % 16; ++i) {
    const uint32_t lo = std::array{0x61u, 0x62u, 0x63u, 0x00u, 0xFFu, 0x80u}[(*random)() % 6];
    const uint32_t hi = std::min(255u, lo + static_cast<uint32_t>((*random)() % 3));
    nfa.AddEdge(any(), static_cast<uint8_t>(lo), static_cast<uint8_t>(hi), any());
  }
  for (uint32_t i = 0; i < (*random)() % 6; ++i) nfa.AddEpsilon(any(), any());
  return nfa;
}

/// Walks both machines in step through every pair that can be reached.
void ExpectSameLanguage(const ByteNfa& nfa, const ByteDfa& dfa) {
  const ByteNfaSimulation simulation(nfa, kStart, kAccept);
  using Pair = std::pair<ByteNfaSimulation::States, uint32_t>;
  std::set<Pair> seen{{simulation.Start(), 0u}};
  std::vector<Pair> work(seen.begin(), seen.end());
  std::set<uint32_t> reached;
  while (!work.empty()) {
    const Pair pair = work.back();
    work.pop_back();
    const auto& [states, state] = pair;
    reached.insert(state);
    ASSERT_EQ(simulation.IsAccept(states), dfa.IsAccept(state));
    bool has_edge = false;
    for (int b = 0; b < 256; ++b) {
      const auto byte = static_cast<uint8_t>(b);
      const auto next_states = simulation.Next(states, byte);
      const uint32_t next = dfa.Next(state, byte);
      const bool alive = simulation.CanFinish(next_states);
      ASSERT_EQ(next != ByteDfa::kDead, alive) << "dead ends are trimmed";
      ASSERT_EQ(dfa.first_bytes(state).Contains(byte), alive);
      has_edge = has_edge || alive;
      if (!alive) continue;
      if (seen.insert({next_states, next}).second) work.push_back({next_states, next});
    }
    ASSERT_EQ(dfa.IsFinal(state), !has_edge);
  }
  EXPECT_EQ(reached.size(), dfa.num_states()) << "every state is reachable";
}

/// By definition, over the reachable states: no accepting state has a way on, and the start does
/// not accept.
bool IsPrefixFree(const ByteDfa& dfa) {
  if (dfa.IsAccept(0)) return false;
  for (uint32_t s = 0; s < dfa.num_states(); ++s) {
    if (dfa.IsAccept(s) && !dfa.first_bytes(s).empty()) return false;
  }
  return true;
}

/// Whether two states accept the same texts, by walking pairs.
bool Equivalent(const ByteDfa& dfa, uint32_t a, uint32_t b) {
  std::set<std::pair<uint32_t, uint32_t>> seen{{a, b}};
  std::vector<std::pair<uint32_t, uint32_t>> work(seen.begin(), seen.end());
  while (!work.empty()) {
    const auto [x, y] = work.back();
    work.pop_back();
    if ((x == ByteDfa::kDead) != (y == ByteDfa::kDead)) return false;
    if (x == ByteDfa::kDead) continue;
    if (dfa.IsAccept(x) != dfa.IsAccept(y)) return false;
    for (int byte = 0; byte < 256; ++byte) {
      const std::pair<uint32_t, uint32_t> next{dfa.Next(x, static_cast<uint8_t>(byte)),
                                               dfa.Next(y, static_cast<uint8_t>(byte))};
      if (seen.insert(next).second) work.push_back(next);
    }
  }
  return true;
}

TEST(ByteDfa, EqualsSimulationOfRandomMachines) {
  std::mt19937 random(3);
  for (int round = 0; round < 1500; ++round) {
    const ByteNfa nfa = RandomNfa(&random);
    const auto dfa = DeterminizeBytes(nfa, kStart, kAccept, 10000);
    ASSERT_TRUE(dfa.has_value());
    ExpectSameLanguage(nfa, *dfa);
    EXPECT_EQ(dfa->is_prefix_free(), IsPrefixFree(*dfa));
    const ByteNfaSimulation simulation(nfa, kStart, kAccept);
    EXPECT_EQ(dfa->is_empty(), !simulation.CanFinish(simulation.Start()));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(ByteDfa, IsMinimal) {
  std::mt19937 random(4);
  for (int round = 0; round < 200; ++round) {
    const auto dfa = DeterminizeBytes(RandomNfa(&random), kStart, kAccept, 10000);
    for (uint32_t a = 0; a < dfa->num_states(); ++a) {
      for (uint32_t b = a + 1; b < dfa->num_states(); ++b) ASSERT_FALSE(Equivalent(*dfa, a, b));
    }
  }
}

TEST(ByteDfa, LargeMachinesKeepTheirLanguage) {
  // A chain past the size up to which states are merged.
  ByteNfa nfa;
  nfa.AddState();
  nfa.AddState();
  std::string text(3000, 'x');
  nfa.AddLiteral(kStart, text, kAccept);
  const auto dfa = DeterminizeBytes(nfa, kStart, kAccept, 5000);
  ASSERT_TRUE(dfa.has_value());
  EXPECT_EQ(dfa->num_states(), 3001u);
  EXPECT_TRUE(dfa->Accepts(text));
  EXPECT_FALSE(dfa->Accepts(text + "x"));
  EXPECT_FALSE(dfa->Accepts(text.substr(1)));
}

TEST(ByteDfa, GivesUpPastTheStateBudget) {
  // (a|b)*a(a|b){n} needs 2^(n+1) states.
  ByteNfa nfa;
  for (int i = 0; i < 12; ++i) nfa.AddState();
  nfa.AddEdge(kStart, 'a', 'b', kStart);
  nfa.AddEdge(kStart, 'a', 'a', 2);
  for (int32_t s = 2; s < 11; ++s) nfa.AddEdge(s, 'a', 'b', s + 1);
  nfa.AddEdge(11, 'a', 'b', kAccept);
  EXPECT_FALSE(DeterminizeBytes(nfa, kStart, kAccept, 2047).has_value());
  const auto dfa = DeterminizeBytes(nfa, kStart, kAccept, 2048);
  ASSERT_TRUE(dfa.has_value());
  EXPECT_EQ(dfa->num_states(), 2048u);
  EXPECT_GT(dfa->MemorySizeBytes(), 2048 * 4);
}

TEST(ByteSet, HoldsBytes) {
  ByteSet set;
  EXPECT_TRUE(set.empty());
  set.Add(255);
  set.AddRange(60, 70);
  EXPECT_EQ(set.size(), 12);
  EXPECT_EQ(set.First(), 60);
  EXPECT_TRUE(set.Contains(255));
  EXPECT_FALSE(set.Contains(254));
  ByteSet other;
  other.AddRange(0, 255);
  set.Merge(other);
  EXPECT_EQ(set.size(), 256);
  EXPECT_EQ(set.First(), 0);
}

}  // namespace
}  // namespace xgrammar
