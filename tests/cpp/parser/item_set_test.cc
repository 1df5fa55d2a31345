// SeenItems: a set that forgets all its members in constant time, and only what it should: compared
// with a std::set over many rounds, and while it grows.
//
// It is used while one Earley set is closed; what the closure contains is random_grammars_test.cc.
#include "parser/item_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace xgrammar {
namespace {

TEST(SeenItems, EqualsASet) {
  SeenItems seen;
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    seen.Clear();
    std::set<Item> expected;
    for (uint32_t i = 0; i < random() % 500; ++i) {
      const Item item{static_cast<uint32_t>(random() % 20), static_cast<uint32_t>(random() % 5),
                      static_cast<uint32_t>(random() % 5)};
      ASSERT_EQ(seen.Add(item), expected.insert(item).second);
      ASSERT_EQ(seen.size(), expected.size());
    }
  }
}

TEST(SeenItems, GrowingKeepsMembers) {
  SeenItems seen;
  for (uint32_t i = 0; i < 5000; ++i) ASSERT_TRUE(seen.Add({i, 0, i}));
  for (uint32_t i = 0; i < 5000; ++i) ASSERT_FALSE(seen.Add({i, 0, i}));
  seen.Clear();
  EXPECT_EQ(seen.size(), 0u);
  EXPECT_TRUE(seen.Add({1, 0, 1}));
}

}  // namespace
}  // namespace xgrammar
