// Alphabet: sets are unions of symbols, and symbols are as coarse as the sets allow: on random
// sets, two characters share one exactly if no set tells them apart.
//
// Scattered characters stay one symbol, which is what keeps tables of large classes small. What
// automata do with symbols is determinize_test.cc.
#include "automata/alphabet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace xgrammar {
namespace {

TEST(AlphabetTest, EqualSetsShareAnIndex) {
  Alphabet alphabet;
  const CodePointSet set({{'a', 'z'}});
  EXPECT_EQ(alphabet.AddSet(set.ranges()), 0);
  EXPECT_EQ(alphabet.AddSet(CodePointSet::Single('a').ranges()), 1);
  EXPECT_EQ(alphabet.AddSet(set.ranges()), 0);
  alphabet.Partition();
  EXPECT_EQ(alphabet.num_symbols(), 2);
}

TEST(AlphabetTest, ScatteredCharactersAreOneSymbol) {
  std::vector<CodePointRange> ranges;
  for (uint32_t i = 0; i < 5000; ++i) ranges.push_back({0x3000 + 2 * i, 0x3000 + 2 * i});
  Alphabet alphabet;
  alphabet.AddSet(ranges);
  alphabet.Partition();
  ASSERT_EQ(alphabet.num_symbols(), 1);
  EXPECT_EQ(alphabet.RangesOf(0).size(), 5000u);
}

TEST(AlphabetTest, CharactersShareASymbolExactlyIfNoSetTellsThemApart) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<CodePointSet> sets;
    for (int i = 0; i < 5; ++i) {
      const auto lo = static_cast<uint32_t>(random() % 40);
      CodePointSet set({{lo, lo + static_cast<uint32_t>(random() % 10)}, {lo + 15, lo + 17}});
      sets.push_back(random() % 4 == 0 ? set.Complement() : set);
    }
    Alphabet alphabet;
    std::vector<int32_t> ids;
    for (const CodePointSet& set : sets) ids.push_back(alphabet.AddSet(set.ranges()));
    alphabet.Partition();
    std::map<uint32_t, int32_t> symbol_of;
    for (int32_t symbol = 0; symbol < alphabet.num_symbols(); ++symbol) {
      for (const CodePointRange& range : alphabet.RangesOf(symbol)) {
        for (uint32_t c = range.lo; c <= range.hi && c < 80; ++c) {
          ASSERT_TRUE(symbol_of.emplace(c, symbol).second) << "symbols overlap at " << c;
        }
      }
    }
    std::map<std::vector<bool>, int32_t> symbol_of_signature;
    for (uint32_t c = 0; c < 80; ++c) {
      std::vector<bool> signature;
      for (const CodePointSet& set : sets) signature.push_back(set.Contains(c));
      if (signature == std::vector<bool>(sets.size(), false)) {
        ASSERT_FALSE(symbol_of.contains(c));
        continue;
      }
      ASSERT_EQ(symbol_of_signature.emplace(signature, symbol_of.at(c)).first->second,
                symbol_of.at(c));
      for (size_t i = 0; i < sets.size(); ++i) {
        const auto symbols = alphabet.SymbolsOf(ids[i]);
        ASSERT_EQ(std::count(symbols.begin(), symbols.end(), symbol_of.at(c)),
                  signature[i] ? 1 : 0);
      }
    }
  }
}

}  // namespace
}  // namespace xgrammar
