// Utf8Class: for random and for awkward sets (around the surrogates, at the borders of 1 to 4
// bytes), exactly the members' UTF-8 forms are read, over all code points; and what is no UTF-8 is
// never read.
//
// The second follows by counting: a set has as many paths as members. Sharing of equal blocks is
// checked by node counts. Sets themselves are code_point_set_test.cc.
#include "automata/utf8_class.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/utf8.h"

namespace xgrammar {
namespace {

/// Walks the nodes; false unless the last byte is the one that ends a character.
bool Reads(const Utf8Class& utf8, const std::string& bytes) {
  int32_t node = utf8.start();
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (node == Utf8Class::kEnd) return false;
    const auto byte = static_cast<uint8_t>(bytes[i]);
    const Utf8Class::Edge* found = nullptr;
    for (const Utf8Class::Edge& e : utf8.edges(node)) {
      if (e.lo <= byte && byte <= e.hi) {
        EXPECT_EQ(found, nullptr) << "edges overlap";
        found = &e;
      }
    }
    if (found == nullptr) return false;
    node = found->target;
  }
  return node == Utf8Class::kEnd;
}

void ExpectExact(const CodePointSet& set) {
  const Utf8Class utf8(set.ranges());
  size_t range = 0;
  const auto ranges = set.ranges();
  for (uint32_t c = 0; c <= kMaxCodePoint; ++c) {
    if (c >= kSurrogateFirst && c <= kSurrogateLast) continue;
    while (range < ranges.size() && ranges[range].hi < c) ++range;
    const bool member = range < ranges.size() && ranges[range].lo <= c;
    std::string bytes;
    AppendUtf8(c, &bytes);
    ASSERT_EQ(Reads(utf8, bytes), member) << c;
  }
}

/// Every path of the automaton spells well-formed UTF-8; returns their number.
int64_t CountPaths(const Utf8Class& utf8) {
  std::vector<int64_t> count(static_cast<size_t>(utf8.num_nodes()), 0);
  // Children are interned before their parents, and the start comes last.
  for (int32_t node = 0; node < utf8.num_nodes(); ++node) {
    for (const Utf8Class::Edge& e : utf8.edges(node)) {
      EXPECT_LT(e.target, node) << "parents come after their children";
      const int64_t below = e.target == Utf8Class::kEnd ? 1 : count[static_cast<size_t>(e.target)];
      count[static_cast<size_t>(node)] += (e.hi - e.lo + 1) * below;
    }
  }
  return count[static_cast<size_t>(utf8.start())];
}

TEST(Utf8Class, KnownSetsAreExact) {
  ExpectExact(CodePointSet());
  ExpectExact(CodePointSet::All());
  ExpectExact(CodePointSet::Single('"').Complement());
  ExpectExact(
      CodePointSet({{0x7F, 0x80}, {0x7FF, 0x800}, {0xFFFF, 0x10000}, {0x10FFFF, 0x10FFFF}}));
  ExpectExact(CodePointSet({{0xD7FF, 0xE000}}));  // Around the surrogates.
}

TEST(Utf8Class, RandomSetsAreExact) {
  std::mt19937 random(11);
  for (int round = 0; round < 12; ++round) {
    std::vector<CodePointRange> ranges;
    const uint32_t limit = std::min(kMaxCodePoint, 0x80u << (random() % 4 * 4));
    for (uint32_t i = 0; i < 1 + random() % 40; ++i) {
      const auto lo = static_cast<uint32_t>(random() % limit);
      ranges.push_back({lo, std::min(kMaxCodePoint, lo + static_cast<uint32_t>(random() % 300))});
    }
    ExpectExact(CodePointSet(ranges));
  }
}

TEST(Utf8Class, HasOnePathForEachMember) {
  std::mt19937 random(12);
  EXPECT_EQ(CountPaths(Utf8Class(CodePointSet::All().ranges())), 0x110000 - 0x800);
  for (int round = 0; round < 200; ++round) {
    std::vector<CodePointRange> ranges;
    for (uint32_t i = 0; i < 1 + random() % 60; ++i) {
      const auto lo = static_cast<uint32_t>(random() % kMaxCodePoint);
      ranges.push_back({lo, std::min(kMaxCodePoint, lo + static_cast<uint32_t>(random() % 5000))});
    }
    const CodePointSet set(ranges);
    // With exactness over members above, as many paths as members leave none for anything else.
    EXPECT_EQ(CountPaths(Utf8Class(set.ranges())), set.size());
  }
}

TEST(Utf8Class, SharesBlocks) {
  EXPECT_LE(Utf8Class(CodePointSet::Single('"').Complement().ranges()).num_nodes(), 8);
  EXPECT_EQ(Utf8Class(CodePointSet({{'a', 'z'}}).ranges()).num_nodes(), 1);
}

}  // namespace
}  // namespace xgrammar
