// CodePointSet: any ranges come to one normal form, surrogates are never members, and union,
// intersection, difference and complement agree with membership on random sets.
//
// The complement is that of the scalar values, so it has no surrogates either. Unicode's named sets
// are tests/cpp/unicode.
#include "automata/code_point_set.h"

#include <gtest/gtest.h>

#include <random>

namespace xgrammar {
namespace {

std::vector<CodePointRange> Ranges(const CodePointSet& set) {
  return {set.ranges().begin(), set.ranges().end()};
}

TEST(CodePointSetTest, NormalisesAnyRanges) {
  const CodePointSet set({{'x', 'z'}, {'a', 'c'}, {'d', 'f'}, {'b', 'b'}});
  EXPECT_EQ(Ranges(set), (std::vector<CodePointRange>{{'a', 'f'}, {'x', 'z'}}));
  EXPECT_EQ(set.size(), 9);
}

TEST(CodePointSetTest, SurrogatesAreNeverMembers) {
  const CodePointSet set({{0xD000, 0xE000}});
  EXPECT_EQ(Ranges(set), (std::vector<CodePointRange>{{0xD000, 0xD7FF}, {0xE000, 0xE000}}));
  EXPECT_TRUE(CodePointSet({{0xD800, 0xDFFF}}).empty());
  EXPECT_EQ(CodePointSet::All().size(), 0x110000 - 0x800);
}

TEST(CodePointSetTest, ComplementIsRelativeToScalarValues) {
  EXPECT_EQ(CodePointSet().Complement(), CodePointSet::All());
  EXPECT_TRUE(CodePointSet::All().Complement().empty());
  const CodePointSet set({{0, 'a'}, {'c', 0x10FFFF}});
  EXPECT_EQ(set.Complement(), CodePointSet::Single('b'));
  EXPECT_EQ(set.Complement().Complement(), set);
}

TEST(CodePointSetTest, Contains) {
  const CodePointSet set({{'a', 'c'}, {0x4E00, 0x9FFF}});
  EXPECT_TRUE(set.Contains('a'));
  EXPECT_TRUE(set.Contains('c'));
  EXPECT_FALSE(set.Contains('d'));
  EXPECT_TRUE(set.Contains(0x9FFF));
  EXPECT_FALSE(set.Contains(0x10FFFF));
  EXPECT_FALSE(CodePointSet().Contains(0));
}

TEST(CodePointSetTest, AlgebraAgreesWithMembership) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<CodePointRange> parts[2];
    for (auto& part : parts) {
      for (auto i = random() % 6; i > 0; --i) {
        const auto lo = static_cast<uint32_t>(random() % 60);
        part.push_back({lo, lo + static_cast<uint32_t>(random() % 8)});
      }
    }
    const CodePointSet a(parts[0]);
    const CodePointSet b(parts[1]);
    for (uint32_t c = 0; c < 80; ++c) {
      EXPECT_EQ(a.Union(b).Contains(c), a.Contains(c) || b.Contains(c));
      EXPECT_EQ(a.Intersect(b).Contains(c), a.Contains(c) && b.Contains(c));
      EXPECT_EQ(a.Minus(b).Contains(c), a.Contains(c) && !b.Contains(c));
    }
    EXPECT_EQ(a.Union(b), b.Union(a));
    EXPECT_EQ(a.Intersect(b).Complement(), a.Complement().Union(b.Complement()));
  }
}

}  // namespace
}  // namespace xgrammar
