// ThreadPool: every task runs once, the error that is raised is that of the lowest task and not of
// the fastest, callers take turns, and the pool works in a child process after fork(), also one
// forked while it runs.
//
// How work is cut into tasks is the callers' matter: tests/cpp/matcher/batch_test.cc.
#include "support/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "child_process.h"

namespace xgrammar {
namespace {

TEST(ThreadPool, RunsEveryTaskOnce) {
  for (int32_t threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.num_threads(), threads);
    for (int64_t count : {0, 1, 2, 3, 100}) {
      std::vector<std::atomic<int>> runs(static_cast<size_t>(count));
      pool.ParallelFor(count, [&](int64_t i) { ++runs[static_cast<size_t>(i)]; });
      for (const auto& run : runs) EXPECT_EQ(run.load(), 1);
    }
  }
}

// Threads spin after fast calls, sleep after slow ones, and are woken for long work.
TEST(ThreadPool, RunsEveryTaskOnceWhetherThreadsSpinOrSleep) {
  for (int32_t threads : {2, 3}) {
    ThreadPool pool(threads);
    for (int64_t pause_us : {0, 20, 300}) {
      for (int call = 0; call < 100; ++call) {
        std::vector<std::atomic<int>> runs(40);
        const auto wake = call % 3 == 0 ? ThreadPool::Wake::kAtOnce : ThreadPool::Wake::kIfWorthIt;
        pool.ParallelFor(
            40,
            [&](int64_t i) {
              if (call % 10 == 9) std::this_thread::sleep_for(std::chrono::microseconds(20));
              ++runs[static_cast<size_t>(i)];
            },
            wake);
        for (const auto& run : runs) ASSERT_EQ(run.load(), 1);
        if (pause_us > 0) std::this_thread::sleep_for(std::chrono::microseconds(pause_us));
      }
    }
  }
}

// Each task waits for the other one: only two threads can do them.
TEST(ThreadPool, SleepingThreadsAreWokenForLongTasks) {
  ThreadPool pool(2);
  for (int64_t pause_ms : {0, 2, 2}) {
    std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
    std::atomic<int> begun{0};
    pool.ParallelFor(
        2,
        [&](int64_t) {
          ++begun;
          while (begun.load() < 2) std::this_thread::yield();
        },
        ThreadPool::Wake::kAtOnce);
    EXPECT_EQ(begun.load(), 2);
  }
}

// Short tasks are left to the thread that has begun with its share, but not for ever.
TEST(ThreadPool, AThreadThatIsLateIsHelped) {
  ThreadPool pool(2);
  const auto caller = std::this_thread::get_id();
  for (int call = 0; call < 50; ++call) {
    std::atomic<int> num_done{0};
    pool.ParallelFor(40, [&](int64_t i) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      if (i == 20 && std::this_thread::get_id() != caller) {
        while (num_done.load() < 39 && std::chrono::steady_clock::now() < end) {
          std::this_thread::yield();
        }
        EXPECT_EQ(num_done.load(), 39);
      }
      ++num_done;
    });
    ASSERT_EQ(num_done.load(), 40);
  }
}

TEST(ThreadPool, FewerThreadsThanThereAre) {
  ThreadPool pool(4);
  for (int call = 0; call < 200; ++call) {
    std::vector<std::atomic<int>> runs(40);
    const int64_t max_threads = call % 6;
    const auto wake = call % 7 == 0 ? ThreadPool::Wake::kAtOnce : ThreadPool::Wake::kIfWorthIt;
    pool.ParallelFor(
        40, [&](int64_t i) { ++runs[static_cast<size_t>(i)]; }, wake, max_threads);
    for (const auto& run : runs) ASSERT_EQ(run.load(), 1) << max_threads;
  }
}

TEST(ThreadPool, NeedsAtLeastOneThread) { EXPECT_EQ(ThreadPool(0).num_threads(), 1); }

TEST(ThreadPool, RethrowsTheFirstErrorByNumber) {
  ThreadPool pool(4);
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> runs{0};
    try {
      pool.ParallelFor(40, [&](int64_t i) {
        ++runs;
        if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "7");
    }
    EXPECT_EQ(runs.load(), 40);  // An error does not stop the other tasks.
  }
  std::atomic<int> runs{0};
  pool.ParallelFor(5, [&](int64_t) { ++runs; });
  EXPECT_EQ(runs.load(), 5);
}

TEST(ThreadPool, CallersTakeTurns) {
  ThreadPool pool(3);
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        pool.ParallelFor(10, [&](int64_t i) { sum += i; });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum.load(), 4 * 20 * 45);
}

#ifdef XGRAMMAR_CAN_FORK
TEST(ThreadPool, WorksInAChildProcess) {
  ThreadPool pool(3);
  std::atomic<int> runs{0};
  pool.ParallelFor(8, [&](int64_t) { ++runs; });
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::atomic<int> child_runs{0};
    pool.ParallelFor(8, [&](int64_t) { ++child_runs; });
    _exit(child_runs.load() == 8 ? 0 : 1);
  }
  EXPECT_TRUE(EndsWell(child));
  pool.ParallelFor(8, [&](int64_t) { ++runs; });
  EXPECT_EQ(runs.load(), 16);
}

// A pool in use at the moment of the fork: its call mutex is held and its threads are lost.
TEST(ThreadPool, WorksInAChildForkedWhileItRuns) {
  ThreadPool pool(3);
  std::atomic<bool> stop{false};
  std::thread caller([&] {
    while (!stop.load()) {
      pool.ParallelFor(6, [](int64_t) { std::this_thread::yield(); });
    }
  });
  int num_well = 0;
  constexpr int kForks = 30;
  for (int i = 0; i < kForks; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);
      std::atomic<int> runs{0};
      pool.ParallelFor(8, [&](int64_t) { ++runs; });
      _exit(runs.load() == 8 ? 0 : 1);
    }
    if (EndsWell(child)) ++num_well;
  }
  stop = true;
  caller.join();
  EXPECT_EQ(num_well, kForks);
}
#endif

}  // namespace
}  // namespace xgrammar
