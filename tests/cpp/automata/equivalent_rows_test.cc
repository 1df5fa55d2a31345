// EquivalentRows against the definition: two states are equivalent if no text tells them apart,
// found here by marking distinguishable pairs until nothing changes (Moore, "Gedanken-experiments
// on sequential machines", 1956).
//
// Random machines of a few states, machines in which all or no states accept, and two copies of one
// chain. The machines that are made smaller by it are minimize_test.cc and byte_dfa_test.cc.
#include "automata/equivalent_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "automata/row_sources.h"

namespace xgrammar {
namespace {

struct Machine {
  uint32_t num_classes = 1;
  std::vector<uint32_t> targets;
  std::vector<uint8_t> accept;
  uint32_t Target(size_t state, uint32_t c) const { return targets[state * num_classes + c]; }
};

std::vector<std::vector<bool>> DistinguishablePairs(const Machine& m) {
  const size_t n = m.accept.size();
  std::vector<std::vector<bool>> differs(n, std::vector<bool>(n, false));
  const auto differ = [&](uint32_t a, uint32_t b) {
    if (a == kNoRow || b == kNoRow) return a != b;  // Every target accepts something.
    return static_cast<bool>(differs[a][b]);
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t a = 0; a < n; ++a) {
      for (size_t b = 0; b < n; ++b) {
        if (differs[a][b]) continue;
        bool now = m.accept[a] != m.accept[b];
        for (uint32_t c = 0; c < m.num_classes; ++c)
          now = now || differ(m.Target(a, c), m.Target(b, c));
        changed = changed || now;
        differs[a][b] = now;
      }
    }
  }
  return differs;
}

void ExpectBlocksByDefinition(const Machine& m) {
  const std::vector<uint32_t> block =
      EquivalentRows(m.targets, m.num_classes, m.accept, RowSources(m.targets, m.num_classes));
  const auto differs = DistinguishablePairs(m);
  ASSERT_EQ(block.size(), m.accept.size());
  for (size_t a = 0; a < block.size(); ++a) {
    for (size_t b = 0; b < block.size(); ++b) {
      ASSERT_EQ(block[a] == block[b], !differs[a][b]) << a << " and " << b;
    }
  }
  std::vector<uint32_t> ids = block;
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  if (!ids.empty()) {
    EXPECT_EQ(ids.back() + 1, ids.size()) << "no gaps";
  }
}

/// Drops transitions to states that accept nothing, as the precondition asks.
void DropDeadTargets(Machine* m) {
  std::vector<uint8_t> live = m->accept;
  for (size_t round = 0; round < live.size(); ++round) {
    for (size_t s = 0; s < live.size(); ++s) {
      for (uint32_t c = 0; c < m->num_classes; ++c) {
        if (m->Target(s, c) != kNoRow && live[m->Target(s, c)] != 0) live[s] = 1;
      }
    }
  }
  for (uint32_t& t : m->targets) {
    if (t != kNoRow && live[t] == 0) t = kNoRow;
  }
}

TEST(EquivalentRows, RandomMachines) {
  std::mt19937 engine(11);
  const auto random = [&engine] { return static_cast<uint32_t>(engine()); };
  for (int round = 0; round < 3000; ++round) {
    Machine m;
    const uint32_t n = 1 + random() % 12;
    m.num_classes = 1 + random() % 3;
    const uint32_t missing = random() % 4;
    for (uint32_t s = 0; s < n; ++s) m.accept.push_back(random() % 4 == 0 ? 1 : 0);
    for (uint32_t i = 0; i < n * m.num_classes; ++i) {
      m.targets.push_back(random() % 5 < missing ? kNoRow : random() % n);
    }
    DropDeadTargets(&m);
    ExpectBlocksByDefinition(m);
  }
}

TEST(EquivalentRows, AllOrNoneAccept) {
  ExpectBlocksByDefinition({1, {1, 0}, {1, 1}});
  ExpectBlocksByDefinition({1, {kNoRow}, {0}});
  ExpectBlocksByDefinition({2, {1, kNoRow, 2, kNoRow, kNoRow, kNoRow}, {1, 1, 1}});
}

TEST(EquivalentRows, TwoChainsOfOneLanguage) {
  // 0 leads to two chains of 40 states each, the second the copy of the first.
  constexpr uint32_t kLength = 40;
  Machine m;
  m.num_classes = 2;
  m.targets = {1, kLength + 1};
  m.accept.assign(2 * kLength + 1, 0);
  for (uint32_t chain = 0; chain < 2; ++chain) {
    for (uint32_t i = 1; i <= kLength; ++i) {
      const uint32_t next = i == kLength ? kNoRow : chain * kLength + i + 1;
      m.targets.insert(m.targets.end(), {next, kNoRow});
    }
    m.accept[(chain + 1) * kLength] = 1;
  }
  ExpectBlocksByDefinition(m);
  const std::vector<uint32_t> block =
      EquivalentRows(m.targets, m.num_classes, m.accept, RowSources(m.targets, m.num_classes));
  EXPECT_EQ(*std::max_element(block.begin(), block.end()), kLength);
}

}  // namespace
}  // namespace xgrammar
