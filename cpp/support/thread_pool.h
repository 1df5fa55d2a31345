// ThreadPool: runs a numbered set of tasks on a fixed number of threads, the caller's included.
//
// Task i of n goes to the same thread in each call, unless that one is late. Threads spin for up to
// 0.2 ms after a call before they sleep if calls follow each other as fast; while they sleep, short
// work is left to the caller. They start at the first use, and anew in a child process after
// fork(), so a pool made before a fork works after it, even if it was in use at that moment. The
// first error by task number is rethrown in the caller, whatever the timing; the pool stays usable.
// One ParallelFor runs at a time; concurrent callers wait for each other.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>

namespace xgrammar {

class ThreadPool {
 public:
  /// `num_threads` >= 1.
  explicit ThreadPool(int32_t num_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int32_t num_threads() const { return num_threads_; }
  /// When sleeping threads are woken: for tasks that are known to be long, or when the first ones
  /// have shown that it pays. The latter are short and alike: threads leave them to each other.
  enum class Wake : uint8_t { kAtOnce, kIfWorthIt };
  /// Calls task(0) ... task(count - 1), each once, in any order, and returns when all are done. At
  /// most `max_threads` of those that spin take part: each costs the others some 0.3 us.
  void ParallelFor(int64_t count, const std::function<void(int64_t)>& task,
                   Wake wake = Wake::kIfWorthIt, int64_t max_threads = kAllThreads);
  static constexpr int64_t kAllThreads = std::numeric_limits<int64_t>::max();

 private:
  struct Crew;  // The threads of one process.

  Crew& CurrentCrew();

  const int32_t num_threads_;
  std::atomic<Crew*> crew_{nullptr};
};

}  // namespace xgrammar
