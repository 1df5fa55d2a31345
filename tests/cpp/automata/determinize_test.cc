// Determinize: on random machines with anchors at any place it has the language of a direct
// simulation of the NFA, and the result is minimal in the sense of its own normal form.
//
// Also: nothing is read behind an end of text, the budget of states is an error that names its
// limit, and a class of scattered characters costs one symbol.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>

#include "automata/code_point_automaton.h"
#include "support/error.h"

namespace xgrammar {
namespace {

using EdgeKind = CodePointNfa::EdgeKind;

/// Whether the NFA accepts ASCII text, by walking sets of (state, text ended) pairs.
bool Simulate(const CodePointNfa& nfa, const std::string& text) {
  const size_t n = nfa.states().size();
  std::vector<bool> current(n, false);
  current[0] = true;
  for (size_t position = 0; position <= text.size(); ++position) {
    bool changed = true;
    while (changed) {
      changed = false;
      for (size_t s = 0; s < n; ++s) {
        if (!current[s]) continue;
        for (const auto& edge : nfa.states()[s].silent_edges) {
          if (edge.kind == EdgeKind::kTextStart && position > 0) continue;
          if (edge.kind == EdgeKind::kTextEnd && position < text.size()) continue;
          if (current[static_cast<size_t>(edge.target)]) continue;
          current[static_cast<size_t>(edge.target)] = true;
          changed = true;
        }
      }
    }
    if (position == text.size()) break;
    std::vector<bool> next(n, false);
    for (size_t s = 0; s < n; ++s) {
      if (!current[s]) continue;
      for (const auto& edge : nfa.states()[s].class_edges) {
        if (edge.set.Contains(static_cast<unsigned char>(text[position]))) {
          next[static_cast<size_t>(edge.target)] = true;
        }
      }
    }
    current = next;
  }
  for (size_t s = 0; s < n; ++s) {
    if (current[s] && nfa.states()[s].accept) return true;
  }
  return false;
}

void ForEachText(const std::string& alphabet, size_t max_length,
                 const std::function<void(const std::string&)>& visit) {
  std::vector<std::string> level = {""};
  for (size_t length = 0; length <= max_length; ++length) {
    std::vector<std::string> next;
    for (const std::string& text : level) {
      visit(text);
      for (char c : alphabet) next.push_back(text + c);
    }
    level = std::move(next);
  }
}

CodePointNfa RandomNfa(std::mt19937* random) {
  CodePointNfa nfa;
  const auto n = static_cast<int32_t>(1 + (*random)() % 6);
  for (int32_t i = 0; i < n; ++i) nfa.AddState();
  const auto any_state = [&] {
    return static_cast<int32_t>((*random)() % static_cast<uint32_t>(n));
  };
  for (auto i = (*random)() % 10; i > 0; --i) {
    const auto lo = static_cast<uint32_t>('a' + (*random)() % 3);
    CodePointSet set({{lo, lo + static_cast<uint32_t>((*random)() % 2)}});
    if ((*random)() % 4 == 0) set = set.Complement();
    if ((*random)() % 8 == 0) set = CodePointSet::All();
    nfa.AddEdge(any_state(), set, any_state());
  }
  for (auto i = (*random)() % 6; i > 0; --i) {
    nfa.AddSilentEdge(any_state(), static_cast<EdgeKind>((*random)() % 3), any_state());
  }
  nfa.SetAccept(any_state());
  return nfa;
}

TEST(DeterminizeTest, AgreesWithSimulationOnRandomMachines) {
  std::mt19937 random(11);
  for (int round = 0; round < 3000; ++round) {
    const CodePointNfa nfa = RandomNfa(&random);
    const CodePointDfa dfa = Determinize(nfa, 1000);
    ForEachText("abcd", 4, [&](const std::string& text) {
      ASSERT_EQ(dfa.Accepts(text), Simulate(nfa, text)) << "round " << round << " text " << text;
    });
    ASSERT_EQ(Minimize(dfa).states().size(), dfa.states().size());
  }
}

TEST(DeterminizeTest, DifferenceIsThatOfTheLanguages) {
  std::mt19937 random(12);
  for (int round = 0; round < 3000; ++round) {
    const CodePointNfa a = RandomNfa(&random);
    const CodePointNfa b = RandomNfa(&random);
    const CodePointDfa expected = Subtract(Determinize(a, 1000), Determinize(b, 1000), 1000);
    EXPECT_EQ(DeterminizeDifference(a, b, 1000).states(), expected.states()) << "round " << round;
  }
}

TEST(DeterminizeTest, DifferenceFollowsTheFirstMachineAlone) {
  CodePointNfa a;  // One text.
  for (int i = 0; i < 30; ++i) a.AddState();
  for (int i = 0; i < 29; ++i) a.AddEdge(i, CodePointSet::Single('a'), i + 1);
  a.SetAccept(29);
  CodePointNfa b;  // The k-th character from the end is a b: some million states of its own.
  for (int i = 0; i < 22; ++i) b.AddState();
  b.AddEdge(0, CodePointSet::All(), 0);
  b.AddEdge(0, CodePointSet::Single('b'), 1);
  for (int i = 1; i < 21; ++i) b.AddEdge(i, CodePointSet::All(), i + 1);
  b.SetAccept(21);
  EXPECT_EQ(DeterminizeDifference(a, b, 100).states(), Determinize(a, 100).states());
}

TEST(DeterminizeTest, WeakerStatesOfAFamilyAreDropped) {
  // .*ab{0,18}c with the b in families: the last a decides, and all of them would be 2^18 subsets.
  CodePointNfa nfa;
  nfa.AddState();
  nfa.AddEdge(0, CodePointSet::All(), 0);
  const int32_t family = nfa.AddFamily();
  int32_t last = nfa.AddState();
  const int32_t end = nfa.AddState();
  nfa.AddEdge(0, CodePointSet::Single('a'), last);
  for (int32_t i = 0; i < 18; ++i) {
    nfa.SetRank(last, family, i);
    nfa.AddEdge(last, CodePointSet::Single('c'), end);
    const int32_t next = nfa.AddState();
    nfa.AddEdge(last, CodePointSet({{'a', 'b'}}), next);
    last = next;
  }
  nfa.SetAccept(end);
  EXPECT_LT(Determinize(nfa, 1000).states().size(), 30u);
}

TEST(DeterminizeTest, NothingIsReadAfterTextEnd) {
  CodePointNfa nfa;  // a $ b
  for (int i = 0; i < 4; ++i) nfa.AddState();
  nfa.AddEdge(0, CodePointSet::Single('a'), 1);
  nfa.AddSilentEdge(1, EdgeKind::kTextEnd, 2);
  nfa.AddEdge(2, CodePointSet::Single('b'), 3);
  nfa.SetAccept(3);
  EXPECT_TRUE(Determinize(nfa, 100).IsEmpty());
}

TEST(DeterminizeTest, BothAnchorsOnTheEmptyText) {
  CodePointNfa nfa;  // .* $ ^ : only the empty text is at its start and at its end.
  for (int i = 0; i < 3; ++i) nfa.AddState();
  nfa.AddEdge(0, CodePointSet::All(), 0);
  nfa.AddSilentEdge(0, EdgeKind::kTextEnd, 1);
  nfa.AddSilentEdge(1, EdgeKind::kTextStart, 2);
  nfa.SetAccept(2);
  const CodePointDfa dfa = Determinize(nfa, 100);
  EXPECT_EQ(dfa.states().size(), 1u);
  EXPECT_TRUE(dfa.Accepts(""));
  EXPECT_FALSE(dfa.Accepts("a"));
}

TEST(DeterminizeTest, BudgetIsNamed) {
  CodePointNfa nfa;  // The classic blow-up: the k-th character from the end is an a.
  nfa.AddState();
  nfa.AddEdge(0, CodePointSet::All(), 0);
  int32_t last = nfa.AddState();
  nfa.AddEdge(0, CodePointSet::Single('a'), last);
  for (int i = 0; i < 20; ++i) {
    const int32_t next = nfa.AddState();
    nfa.AddEdge(last, CodePointSet::All(), next);
    last = next;
  }
  nfa.SetAccept(last);
  try {
    Determinize(nfa, 5000);
    FAIL() << "expected a limit error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kLimit);
    EXPECT_EQ(error.limit_name(), "max_dfa_states");
  }
}

TEST(DeterminizeTest, ScatteredClassesCostOneSymbol) {
  std::vector<CodePointRange> ranges;
  for (uint32_t i = 0; i < 8000; ++i) ranges.push_back({0x20000 + 3 * i, 0x20000 + 3 * i});
  const CodePointSet set(ranges);
  CodePointNfa nfa;
  int32_t last = nfa.AddState();
  for (int i = 1; i <= 50; ++i) {
    const int32_t next = nfa.AddState();
    nfa.AddEdge(last, set, next);
    if (i >= 3) nfa.SetAccept(next);
    last = next;
  }
  const CodePointDfa dfa = Determinize(nfa, 1000);
  EXPECT_EQ(dfa.states().size(), 51u);
  EXPECT_EQ(dfa.MinLength(), 3);
  EXPECT_EQ(dfa.MaxLength(), 50);
}

}  // namespace
}  // namespace xgrammar
