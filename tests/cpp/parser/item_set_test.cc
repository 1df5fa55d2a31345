// SeenItems: a set that forgets all its members in constant time, and only what it should: compared
// with a std::set over many rounds, and while it grows.
//
// Lists of items: sorted ones are equal if and only if the sets are, and hashes follow.
//
// It is used while one Earley set is closed; what the closure contains is random_grammars_test.cc.
#include "parser/item_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "parser/item_list.h"

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

TEST(ItemList, SortedListsAreValues) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    std::vector<Item> a(random() % 6);
    for (Item& item : a) item = {static_cast<uint32_t>(random() % 3), 0, random() % 2 == 0};
    std::vector<Item> b = a;
    std::shuffle(b.begin(), b.end(), random);
    if (!b.empty()) b.push_back(b.front());
    const std::set<Item> expected(a.begin(), a.end());
    SortUnique(&a);
    SortUnique(&b);
    EXPECT_TRUE(SameItems(a, b));
    EXPECT_EQ(HashItems(a), HashItems(b));
    EXPECT_EQ(std::vector<Item>(expected.begin(), expected.end()), a);
    b.push_back({7, 7, 7});
    EXPECT_FALSE(SameItems(a, b));
    EXPECT_NE(HashItems(a), HashItems(b));
  }
}

}  // namespace
}  // namespace xgrammar
