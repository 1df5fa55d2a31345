// Arena, ChunkedArray, IdTable and IdlePool: addresses that stay while the container grows, ids
// that are found again though hashes collide, readers that need no lock while a writer appends, and
// objects that one user at a time has.
//
// Sizes that the containers report are checked from below only. Races are found under the thread
// sanitizer, which runs this in CI.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "support/arena.h"
#include "support/chunked_array.h"
#include "support/id_table.h"
#include "support/idle_pool.h"

namespace xgrammar {
namespace {

TEST(Arena, CopiesStayWhereTheyAre) {
  Arena arena;
  std::mt19937 random(1);
  std::vector<std::pair<std::vector<uint64_t>, std::span<const uint64_t>>> copies;
  for (int i = 0; i < 400; ++i) {
    std::vector<uint64_t> values(random() % 200);
    for (uint64_t& v : values) v = random();
    const auto copy = arena.Copy(std::span<const uint64_t>(values));
    copies.emplace_back(std::move(values), copy);
  }
  for (const auto& [values, copy] : copies) {
    EXPECT_TRUE(std::equal(values.begin(), values.end(), copy.begin(), copy.end()));
  }
}

TEST(Arena, AlignsMixedTypes) {
  Arena arena;
  const std::vector<uint8_t> byte{7};
  const std::vector<uint64_t> word{8};
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(arena.Copy(std::span<const uint8_t>(byte))[0], 7);
    const auto copy = arena.Copy(std::span<const uint64_t>(word));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(copy.data()) % alignof(uint64_t), 0u);
    EXPECT_EQ(copy[0], 8u);
  }
}

TEST(Arena, CountsWhatItHolds) {
  Arena arena;
  EXPECT_EQ(arena.size_bytes(), 0);
  EXPECT_TRUE(arena.Copy(std::span<const int>()).empty());
  EXPECT_EQ(arena.size_bytes(), 0);
  const std::vector<char> large(1 << 20, 'x');  // Larger than a block.
  EXPECT_EQ(arena.Copy(std::span<const char>(large)).size(), large.size());
  EXPECT_GE(arena.size_bytes(), int64_t{1} << 20);
}

TEST(ChunkedArray, IndicesAndAddressesAreStable) {
  ChunkedArray<uint32_t> array;
  std::vector<const uint32_t*> places;
  for (uint32_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(array.Append(), i);
    array[i] = i * 3;
    places.push_back(&array[i]);
  }
  ASSERT_EQ(array.size(), 5000u);
  for (uint32_t i = 0; i < 5000; ++i) {
    EXPECT_EQ(&array[i], places[i]);
    EXPECT_EQ(array[i], i * 3);
  }
}

TEST(ChunkedArray, ReadersFollowAWriter) {
  ChunkedArray<uint32_t> array;
  std::atomic<uint32_t> published{0};
  std::atomic<bool> wrong{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      for (uint32_t seen = 0; seen < 3000; seen = published.load(std::memory_order_acquire)) {
        if (seen > 0 && array[seen - 1] != seen - 1) wrong = true;
      }
    });
  }
  for (uint32_t i = 0; i < 3000; ++i) {
    array[array.Append()] = i;
    published.store(i + 1, std::memory_order_release);
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_FALSE(wrong);
}

TEST(IdTable, FindsByHashAndValue) {
  IdTable table;
  EXPECT_EQ(table.Find(5, [](uint32_t) { return true; }), IdTable::kNotFound);
  std::vector<uint64_t> values;
  // Five hashes for all: nearly everything collides.
  for (uint64_t v = 0; v < 500; ++v) {
    const auto equals = [&](uint32_t id) { return values[id] == v; };
    ASSERT_EQ(table.Find(v % 5, equals), IdTable::kNotFound);
    table.Insert(v % 5, static_cast<uint32_t>(values.size()));
    values.push_back(v);
  }
  for (uint64_t v = 0; v < 500; ++v) {
    EXPECT_EQ(table.Find(v % 5, [&](uint32_t id) { return values[id] == v; }), v);
  }
  EXPECT_GT(table.MemorySizeBytes(), 0);
}

TEST(IdlePool, GivesWhatItWasGivenToOneUser) {
  IdlePool<std::atomic<int>> pool;
  EXPECT_EQ(pool.Take(), nullptr);
  std::vector<std::thread> threads;
  std::atomic<int> clashes{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        std::unique_ptr<std::atomic<int>> object = pool.Take();
        if (object == nullptr) object = std::make_unique<std::atomic<int>>(0);
        clashes += object->fetch_add(1);
        object->fetch_sub(1);
        pool.Give(std::move(object));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(clashes, 0);
  EXPECT_NE(pool.Take(), nullptr);
  // Many idle objects are not kept.
  for (int i = 0; i < 100; ++i) pool.Give(std::make_unique<std::atomic<int>>(i));
  int kept = 0;
  while (pool.Take() != nullptr) ++kept;
  EXPECT_LT(kept, 20);
}

}  // namespace
}  // namespace xgrammar
