// Text lengths: windows of lengths against counting by hand, place by place, for random automata
// with tails, cycles and several loops.
//
// How a parse uses them is tests/cpp/lowering/length_meter_test.cc.
#include "automata/text_lengths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "automata/escape_phase.h"

namespace xgrammar {
namespace {

CodePointDfa RandomDfa(std::mt19937* random) {
  const auto num_states = static_cast<uint32_t>(1 + (*random)() % 8);
  std::vector<CodePointDfa::State> states(num_states);
  for (auto& state : states) {
    state.accept = (*random)() % 3 == 0;
    const auto num_edges = static_cast<uint32_t>((*random)() % 3);
    for (uint32_t e = 0; e < num_edges; ++e) {
      const uint32_t letter = 'a' + e;
      state.edges.push_back({letter, letter, static_cast<int32_t>((*random)() % num_states)});
    }
  }
  return CodePointDfa(states);
}

/// By state: which numbers of characters up to `most` can follow.
std::vector<std::set<int64_t>> LengthsByHand(const CodePointDfa& dfa, int64_t most) {
  std::vector<std::set<int64_t>> lengths(dfa.states().size());
  for (int64_t length = 0; length <= most; ++length) {
    for (size_t s = 0; s < lengths.size(); ++s) {
      const auto& state = dfa.states()[s];
      bool can = length == 0 && state.accept;
      for (const auto& edge : state.edges)
        can = can || (length > 0 && lengths[static_cast<size_t>(edge.target)].contains(length - 1));
      if (can) lengths[s].insert(length);
    }
  }
  return lengths;
}

TEST(TextLengths, WindowsOfRandomAutomata) {
  constexpr int64_t kMost = 200;
  std::mt19937 random(7);
  int num_settled = 0;
  int num_fitting = 0;
  for (int round = 0; round < 400; ++round) {
    const CodePointDfa dfa = RandomDfa(&random);
    const LengthGraph graph = LengthsOf(dfa);
    const auto lengths = LengthsByHand(dfa, kMost);
    const std::vector<uint32_t> least = graph.LeastLengths();
    for (size_t s = 0; s < lengths.size(); ++s) {
      if (lengths[s].empty()) {
        EXPECT_EQ(least[s], LengthGraph::kNever);
      } else {
        EXPECT_EQ(least[s], *lengths[s].begin());
      }
    }
    for (const int64_t width : {int64_t{0}, int64_t{1}, int64_t{3}, LengthWindows::kAnyWidth}) {
      const int64_t max_low = static_cast<int64_t>(random() % 60);
      const auto windows = LengthWindows::Make(graph, max_low, width, 1 << 20);
      ASSERT_TRUE(windows);
      bool all_fit = true;
      for (uint32_t s = 0; s < lengths.size(); ++s) {
        for (int64_t low = 0; low <= max_low; ++low) {
          // Lengths repeat after at most 8 states, so what is not below the end is nowhere.
          const auto next = lengths[s].lower_bound(low);
          const bool fits = next != lengths[s].end() &&
                            (width == LengthWindows::kAnyWidth || *next <= low + width);
          ASSERT_EQ(windows->Fits(s, static_cast<uint64_t>(low)), fits)
              << "round " << round << " state " << s << " low " << low << " width " << width;
          all_fit = all_fit && (fits || lengths[s].empty());
          const uint64_t settled = windows->settled_from();
          if (static_cast<uint64_t>(low) > settled) {
            EXPECT_EQ(fits, windows->Fits(s, settled));
          }
        }
      }
      EXPECT_TRUE(all_fit || !windows->AllFit());
      num_settled += windows->settled_from() != LengthWindows::kNever ? 1 : 0;
      num_fitting += windows->AllFit() ? 1 : 0;
    }
  }
  EXPECT_GT(num_settled, 400);
  EXPECT_GT(num_fitting, 100);
}

TEST(TextLengths, MostNeededOfRandomAutomata) {
  std::mt19937 random(8);
  int num_less = 0;
  for (int round = 0; round < 400; ++round) {
    const CodePointDfa dfa = RandomDfa(&random);
    const LengthGraph graph = LengthsOf(dfa);
    const std::vector<uint32_t> least = graph.LeastLengths();
    const std::vector<uint32_t> most = graph.MostNeeded(least);
    for (uint32_t from = 0; from < graph.num_places(); ++from) {
      std::vector<uint32_t> reached{from};
      uint32_t expected = LengthGraph::kNever;
      for (size_t i = 0; i < reached.size(); ++i) {
        const uint32_t needed = least[reached[i]];
        if (needed != LengthGraph::kNever)
          expected = expected == LengthGraph::kNever ? needed : std::max(expected, needed);
        for (const auto& edge : dfa.states()[reached[i]].edges) {
          const auto to = static_cast<uint32_t>(edge.target);
          if (std::find(reached.begin(), reached.end(), to) == reached.end()) reached.push_back(to);
        }
      }
      EXPECT_EQ(most[from], expected) << "round " << round << " from " << from;
      num_less += most[from] != LengthGraph::kNever && most[from] < most[0] ? 1 : 0;
    }
  }
  EXPECT_GT(num_less, 20);
}

TEST(TextLengths, LoopsOfManyLengthsPassTheBudget) {
  // (a{7}|b{11}|c{13}|d{17})... each loop for itself: they meet again after 17,017 characters.
  std::vector<CodePointDfa::State> states(1);
  states[0].accept = true;
  uint32_t letter = 'a';
  for (const int32_t size : {7, 11, 13, 17}) {
    const auto first = static_cast<int32_t>(states.size());
    states[0].edges.push_back({letter, letter, first});
    for (int32_t i = 0; i < size; ++i) {
      CodePointDfa::State state;
      state.accept = i == size - 1;
      state.edges.push_back({letter, letter, first + (i + 1) % size});
      states.push_back(state);
    }
    ++letter;
  }
  const LengthGraph graph = LengthsOf(CodePointDfa(states));
  EXPECT_FALSE(LengthWindows::Make(graph, 1 << 20, LengthWindows::kAnyWidth, 100000));
  const auto windows = LengthWindows::Make(graph, 1 << 20, 0, 1 << 22);
  ASSERT_TRUE(windows);
  for (const uint64_t length : {1u, 7u, 20u, 22u, 26u, 34u, 17017u, 17018u, 1000000u}) {
    const bool divides =
        length % 7 == 0 || length % 11 == 0 || length % 13 == 0 || length % 17 == 0;
    EXPECT_EQ(windows->Fits(0, length), divides) << length;
  }
  EXPECT_EQ(windows->settled_from(), LengthWindows::kNever);
}

TEST(TextLengths, EscapesCountOnce) {
  // \u0000 and \n, any number of either.
  std::vector<CodePointDfa::State> states(6);
  states[0].accept = true;
  states[0].edges = {{'\\', '\\', 1}};
  states[1].edges = {{'n', 'n', 0}, {'u', 'u', 2}};
  for (int32_t i = 2; i < 6; ++i) states[static_cast<size_t>(i)].edges = {{'0', '0', (i + 1) % 6}};
  const LengthGraph graph = EscapedLengthsOf(CodePointDfa(states));
  const auto windows = LengthWindows::Make(graph, 100, 0, 1 << 20);
  ASSERT_TRUE(windows);
  for (uint64_t low = 0; low <= 100; ++low) EXPECT_TRUE(windows->Fits(0, low));
  EXPECT_EQ(graph.LeastLengths()[1 * kNumEscapePhases + 1], 0u) << "it has been counted before";
}

}  // namespace
}  // namespace xgrammar
