// ByteAccount: a total is the sum of the accounts that count towards it, whatever grows meanwhile,
// and an account counts towards one total at a time.
//
// Threads grow and join accounts at once, and the sum is exact at the end. The cache that uses it
// is tests/cpp/compiler/compile_cache_test.cc.
#include "support/byte_account.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

namespace xgrammar {
namespace {

TEST(ByteAccount, CountsTowardsOneTotalAtATime) {
  const auto first = std::make_shared<ByteTotal>(0);
  const auto second = std::make_shared<ByteTotal>(100);
  ByteAccount account;
  account.Add(10);
  account.Join(first);
  EXPECT_EQ(first->load(), 10);
  account.Add(5);
  EXPECT_EQ(first->load(), 15);
  account.Join(second);
  EXPECT_EQ(first->load(), 0);
  EXPECT_EQ(second->load(), 115);
  account.Join(nullptr);
  account.Add(-3);
  EXPECT_EQ(second->load(), 100);
  EXPECT_EQ(account.bytes(), 12);
}

TEST(ByteAccount, IsExactWhileThreadsGrowAndJoin) {
  const auto total = std::make_shared<ByteTotal>(0);
  std::array<ByteAccount, 4> accounts;
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < 5000; ++i) {
        accounts[(t + i) % 4].Add(static_cast<int64_t>(i % 7));
        if (i % 50 == 0) accounts[(t * i) % 4].Join(i % 100 == 0 ? total : nullptr);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  int64_t sum = 0;
  for (ByteAccount& account : accounts) {
    account.Join(total);
    sum += account.bytes();
  }
  EXPECT_EQ(total->load(), sum);
  for (ByteAccount& account : accounts) account.Join(nullptr);
  EXPECT_EQ(total->load(), 0);
}

}  // namespace
}  // namespace xgrammar
