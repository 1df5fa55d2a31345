// ThreadPool: runs a numbered set of tasks on a fixed number of threads, the caller's included.
//
// Threads start at the first use, and anew in a child process after fork(), so a pool made before a
// fork works after it, even if it was in use at that moment. The first error by task number is
// rethrown in the caller, whatever the timing; the pool stays usable. One ParallelFor runs at a
// time; concurrent callers wait for each other.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace xgrammar {

class ThreadPool {
 public:
  /// `num_threads` >= 1.
  explicit ThreadPool(int32_t num_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int32_t num_threads() const { return num_threads_; }
  /// Calls task(0) ... task(count - 1), each once, in any order, and returns when all are done.
  void ParallelFor(int64_t count, const std::function<void(int64_t)>& task);

 private:
  struct Crew;  // The threads of one process.

  Crew& CurrentCrew();

  const int32_t num_threads_;
  std::atomic<Crew*> crew_{nullptr};
};

}  // namespace xgrammar
