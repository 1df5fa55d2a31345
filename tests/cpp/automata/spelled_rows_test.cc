// SpellInBytes: code point automata between literals, small and large ones.
//
// Guards that the result says what a simulation of the nondeterministic machine for the same
// language says. Tables from the subset construction are left to byte_dfa_test.cc, threads that
// read the same rows to rows_on_demand_test.cc.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "automata/byte_dfa.h"
#include "automata/byte_nfa_simulation.h"

namespace xgrammar {
namespace {

constexpr uint32_t kNoBudget = 1u << 20;

/// A random automaton of edges at characters of all encoded lengths.
CodePointDfaPtr RandomAutomaton(std::mt19937* random, uint32_t num_states) {
  constexpr std::array<uint32_t, 12> kCuts = {0,     0x22,  'a',    'b',    0x7F,    0x80,
                                              0x7FF, 0x800, 0x4E2D, 0xFFFF, 0x10000, 0x10FFFF};
  std::vector<CodePointDfa::State> states(num_states);
  for (uint32_t s = 0; s < num_states; ++s) {
    states[s].accept = (*random)() % 4 == 0;
    for (size_t i = 0; i + 1 < kCuts.size(); ++i) {
      if ((*random)() % 3 == 0) continue;
      const bool goes_on = s + 1 < num_states && (*random)() % 2 == 0;
      const auto target = goes_on ? s + 1 : static_cast<uint32_t>((*random)() % num_states);
      uint32_t lo = kCuts[i];
      uint32_t hi = kCuts[i + 1] - 1;
      if ((*random)() % 2 == 0) lo += static_cast<uint32_t>((*random)() % (hi - lo + 1));
      if (lo <= 0xDFFF && hi >= 0xD800) hi = 0xD7FF;  // No surrogates.
      if (lo <= hi) states[s].edges.push_back({lo, hi, static_cast<int32_t>(target)});
    }
  }
  return std::make_shared<const CodePointDfa>(std::move(states));
}

struct Machine {
  ByteNfa nfa;
  int32_t start = 0;
  int32_t accept = 0;
};

Machine Reference(std::string_view prefix, const CodePointDfa& dfa, std::string_view suffix) {
  Machine machine;
  machine.start = machine.nfa.AddState();
  const int32_t before = machine.nfa.AddState();
  const int32_t after = machine.nfa.AddState();
  machine.accept = machine.nfa.AddState();
  machine.nfa.AddLiteral(machine.start, prefix, before);
  machine.nfa.AddAutomaton(before, dfa, after);
  machine.nfa.AddLiteral(after, suffix, machine.accept);
  return machine;
}

void ExpectSameLanguage(const Machine& machine, const ByteDfa& dfa) {
  const ByteNfaSimulation simulation(machine.nfa, machine.start, machine.accept);
  using Pair = std::pair<ByteNfaSimulation::States, uint32_t>;
  std::set<Pair> seen{{simulation.Start(), 0u}};
  std::vector<Pair> work(seen.begin(), seen.end());
  std::set<uint32_t> reached;
  bool is_prefix_free = !dfa.IsAccept(0);
  while (!work.empty()) {
    const Pair pair = work.back();
    work.pop_back();
    const auto& [states, state] = pair;
    reached.insert(state);
    ASSERT_EQ(simulation.IsAccept(states), dfa.IsAccept(state));
    bool has_edge = false;
    const ByteSet first = dfa.first_bytes(state);
    for (int b = 0; b < 256; ++b) {
      const auto byte = static_cast<uint8_t>(b);
      const auto next_states = simulation.Next(states, byte);
      const uint32_t next = dfa.Next(state, byte);
      ASSERT_EQ(next != ByteDfa::kDead, !next_states.empty()) << b;
      ASSERT_EQ(first.Contains(byte), !next_states.empty());
      if (next_states.empty()) continue;
      has_edge = true;
      if (seen.insert({next_states, next}).second) work.push_back({next_states, next});
    }
    ASSERT_EQ(dfa.IsFinal(state), !has_edge);
    if (dfa.IsAccept(state) && has_edge) is_prefix_free = false;
  }
  EXPECT_EQ(reached.size(), dfa.num_states()) << "every state is reachable";
  EXPECT_EQ(dfa.is_prefix_free(), is_prefix_free);
}

TEST(SpelledRows, EqualSimulationOfTheWhole) {
  std::mt19937 random(17);
  int num_made = 0;
  for (int round = 0; round < 600; ++round) {
    const bool is_large = round % 3 == 0;
    const CodePointDfaPtr automaton =
        RandomAutomaton(&random, is_large ? 40u : static_cast<uint32_t>(1 + random() % 6));
    const std::string prefix(random() % 3, '"');
    const std::string suffix = std::array{"", "\"", "\":", "a", "\xC3\xA9"}[random() % 5];
    const auto dfa = SpellInBytes(prefix, automaton, suffix, kNoBudget);
    if (!dfa) continue;
    ++num_made;
    ExpectSameLanguage(Reference(prefix, *automaton, suffix), *dfa);
    EXPECT_FALSE(SpellInBytes(prefix, automaton, suffix, 0).has_value());
  }
  EXPECT_GT(num_made, 100);
}

TEST(SpelledRows, AreRefusedWhereTheSuffixIsAmbiguous) {
  // After an "a" the automaton may go on or end.
  std::vector<CodePointDfa::State> states(1);
  states[0].accept = true;
  states[0].edges = {{'a', 'a', 0}};
  const auto loop = std::make_shared<const CodePointDfa>(states);
  EXPECT_FALSE(SpellInBytes("", loop, "ab", kNoBudget).has_value());
  EXPECT_TRUE(SpellInBytes("", loop, "b", kNoBudget).has_value());
  EXPECT_TRUE(SpellInBytes("a", loop, "", kNoBudget).has_value());
  const auto empty = std::make_shared<const CodePointDfa>(std::vector<CodePointDfa::State>(1));
  EXPECT_FALSE(SpellInBytes("a", empty, "b", kNoBudget).has_value());
}

TEST(SpelledRows, SmallOnesAreMinimal) {
  // Two states that say the same: "x" or "y", and then any number of "z".
  std::vector<CodePointDfa::State> states(3);
  states[0].edges = {{'x', 'x', 1}, {'y', 'y', 2}};
  states[1] = {{{'z', 'z', 2}}, true};
  states[2] = {{{'z', 'z', 1}}, true};
  const auto dfa =
      SpellInBytes("\"", std::make_shared<const CodePointDfa>(std::move(states)), "\"", kNoBudget);
  ASSERT_TRUE(dfa.has_value());
  EXPECT_EQ(dfa->num_states(), 4u);
}

}  // namespace
}  // namespace xgrammar
