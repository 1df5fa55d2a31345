// ForkGate, ForkSafeMutex, ForkSafeOnce: a fork waits for the sections that run, and a child finds
// every lock free and everything whole; children fork again.
//
// Real processes are forked while threads work; a child that hangs is ended by an alarm. Forks of
// whole compilers are tests/integration/test_fork_process.py.
#include "support/fork_safety.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "child_process.h"

namespace xgrammar {
namespace {

using Lock = std::lock_guard<ForkSafeMutex>;

TEST(ForkGate, SectionsNest) {
  EXPECT_FALSE(ForkGate::IsInside());
  ForkSafeMutex outer;
  ForkSafeMutex inner;
  {
    const Lock a(outer);
    {
      const Lock b(inner);
      EXPECT_TRUE(ForkGate::IsInside());
    }
    EXPECT_TRUE(ForkGate::IsInside());
  }
  EXPECT_FALSE(ForkGate::IsInside());
}

TEST(ForkSafeMutex, ExcludesOtherThreads) {
  ForkSafeMutex mutex;
  int64_t count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        const Lock lock(mutex);
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 8000);
}

TEST(ForkSafeOnce, RunsOnceAndAgainAfterAnError) {
  ForkSafeOnce once;
  int runs = 0;
  EXPECT_THROW(once.Call([&] {
    ++runs;
    throw std::runtime_error("no");
  }),
               std::runtime_error);
  for (int i = 0; i < 3; ++i) once.Call([&] { ++runs; });
  EXPECT_EQ(runs, 2);
  EXPECT_FALSE(ForkGate::IsInside());
}

#ifdef XGRAMMAR_CAN_FORK
// Without the gate the child hangs in its first lock or sees an odd count, within a few forks.
TEST(ForkGate, ChildrenFindLocksFreeAndDataWhole) {
  ForkSafeMutex mutex;
  int64_t half = 0;  // Twice half is the whole wherever no section runs.
  int64_t whole = 0;
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      while (!stop.load()) {
        const Lock lock(mutex);
        ++half;
        std::this_thread::yield();
        whole += 2;
      }
    });
  }
  const uint64_t parent = ForkGate::ProcessNumber();
  int num_well = 0;
  constexpr int kForks = 60;
  for (int i = 0; i < kForks; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);
      const Lock lock(mutex);
      _exit(2 * half == whole && ForkGate::ProcessNumber() != parent ? 0 : 1);
    }
    if (EndsWell(child)) ++num_well;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_well, kForks);
  EXPECT_EQ(ForkGate::ProcessNumber(), parent);
}

TEST(ForkGate, ChildrenOfChildrenFork) {
  ForkSafeMutex mutex;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    { const Lock lock(mutex); }
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      const Lock lock(mutex);
      _exit(0);
    }
    _exit(grandchild > 0 && EndsWell(grandchild) ? 0 : 1);
  }
  EXPECT_TRUE(EndsWell(child));
}
#endif

}  // namespace
}  // namespace xgrammar
