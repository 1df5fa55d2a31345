// EdgeMap: a map from (set, byte) to set that readers share with a writer while it grows: it equals
// a std::map, and a reader sees every edge that was published before it began.
//
// An edge under way is unknown or right, never wrong. The thread sanitizer runs it in CI.
#include "parser/edge_map.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <thread>
#include <vector>

namespace xgrammar {
namespace {

TEST(EdgeMap, EqualsAMap) {
  EdgeMap edges;
  std::map<std::pair<uint32_t, uint8_t>, uint32_t> expected;
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    const bool is_last = random() % 4 == 0;
    const uint32_t set = is_last ? EdgeMap::kMaxSetId - 1 : static_cast<uint32_t>(random() % 300);
    const auto byte = static_cast<uint8_t>(random());
    const auto target = static_cast<uint32_t>(random() % EdgeMap::kMaxSetId);
    const auto [it, is_new] = expected.try_emplace({set, byte}, target);
    ASSERT_EQ(edges.Find(set, byte), is_new ? EdgeMap::kUnknown : it->second);
    if (is_new) edges.Insert(set, byte, target);
  }
  EXPECT_EQ(edges.size(), static_cast<int64_t>(expected.size()));
  for (const auto& [key, target] : expected) EXPECT_EQ(edges.Find(key.first, key.second), target);
  EXPECT_EQ(edges.Find(1000, 0), EdgeMap::kUnknown);
  EXPECT_GE(edges.MemorySizeBytes(), 8 * edges.size());
}

TEST(EdgeMap, ReadersSeeAllThatWasPublished) {
  constexpr uint32_t kCount = 20000;
  EdgeMap edges;
  std::atomic<uint32_t> published{0};
  std::atomic<bool> wrong{false};
  std::vector<std::thread> readers;
  for (uint32_t r = 0; r < 3; ++r) {
    readers.emplace_back([&, r] {
      std::mt19937 random(r);
      for (;;) {
        const uint32_t seen = published.load(std::memory_order_acquire);
        if (seen == kCount) return;
        if (seen == 0) continue;
        const auto i = static_cast<uint32_t>(random() % seen);
        if (edges.Find(i / 256, static_cast<uint8_t>(i % 256)) != i) wrong = true;
        // One that may be under way: either unknown or right.
        const uint32_t next = edges.Find(seen / 256, static_cast<uint8_t>(seen % 256));
        if (next != EdgeMap::kUnknown && next != seen) wrong = true;
      }
    });
  }
  for (uint32_t i = 0; i < kCount; ++i) {
    edges.Insert(i / 256, static_cast<uint8_t>(i % 256), i);
    published.store(i + 1, std::memory_order_release);
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_FALSE(wrong);
}

}  // namespace
}  // namespace xgrammar
