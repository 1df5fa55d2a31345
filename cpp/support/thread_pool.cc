// ThreadPool: a shared task counter; workers sleep between calls.
//
// The caller works, too, so a pool of one thread starts none. Workers take the numbers of tasks in
// order from an atomic counter; nothing is stolen or put back.
#include "support/thread_pool.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "support/fork_safety.h"

namespace xgrammar {

namespace {

/// The numbered tasks of one call at a time, and who works on them.
///
/// Who works takes numbers from a counter without the lock; coming and going is under it, so that a
/// thread that wakes too late finds no task, and the caller knows when nobody uses the task any
/// more.
struct TaskQueue {
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable finished;
  std::atomic<int64_t> next{0};
  // All guarded by mutex.
  const std::function<void(int64_t)>* task = nullptr;
  int64_t count = 0;
  int64_t num_working = 0;
  int64_t error_index = 0;
  std::exception_ptr error;
  bool stop = false;

  bool HasTasks() const { return task != nullptr && next.load(std::memory_order_relaxed) < count; }

  /// Takes and runs tasks until none is left. `lock` holds mutex on entry and exit.
  void RunTasks(std::unique_lock<std::mutex>& lock) {
    const std::function<void(int64_t)>& run = *task;
    const int64_t end = count;
    ++num_working;
    lock.unlock();
    int64_t failed = -1;
    std::exception_ptr failure;
    for (int64_t i = next.fetch_add(1); i < end; i = next.fetch_add(1)) {
      try {
        run(i);
      } catch (...) {
        // Numbers grow, so the first of this thread is its smallest.
        if (failed < 0) {
          failed = i;
          failure = std::current_exception();
        }
      }
    }
    lock.lock();
    if (failed >= 0 && (error == nullptr || failed < error_index)) {
      error = failure;
      error_index = failed;
    }
    if (--num_working == 0) finished.notify_all();
  }

  void Work() {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      wake.wait(lock, [this] { return stop || HasTasks(); });
      if (stop) return;
      RunTasks(lock);
    }
  }
};

}  // namespace

struct ThreadPool::Crew {
  explicit Crew(uint64_t process_number) : process(process_number) {}
  ~Crew() {
    {
      const std::lock_guard<std::mutex> lock(queue.mutex);
      queue.stop = true;
    }
    queue.wake.notify_all();
    for (std::thread& thread : threads) thread.join();
  }

  const uint64_t process;
  std::mutex call_mutex;
  std::vector<std::thread> threads;  // Guarded by call_mutex.
  TaskQueue queue;
};

ThreadPool::ThreadPool(int32_t num_threads) : num_threads_(num_threads < 1 ? 1 : num_threads) {}

ThreadPool::~ThreadPool() {
  Crew* const crew = crew_.load(std::memory_order_acquire);
  // The threads of a parent process do not exist here: they cannot be joined, and what they waited
  // on or held cannot be destroyed.
  if (crew != nullptr && crew->process == ForkGate::ProcessNumber()) delete crew;
}

ThreadPool::Crew& ThreadPool::CurrentCrew() {
  Crew* crew = crew_.load(std::memory_order_acquire);
  while (crew == nullptr || crew->process != ForkGate::ProcessNumber()) {
    auto fresh = std::make_unique<Crew>(ForkGate::ProcessNumber());
    // A crew of the parent process is left as it is, see the destructor.
    if (crew_.compare_exchange_strong(crew, fresh.get(), std::memory_order_acq_rel)) {
      crew = fresh.release();
    }
  }
  return *crew;
}

void ThreadPool::ParallelFor(int64_t count, const std::function<void(int64_t)>& task) {
  if (count <= 0) return;
  Crew& crew = CurrentCrew();
  const std::lock_guard<std::mutex> call_lock(crew.call_mutex);
  TaskQueue& queue = crew.queue;
  while (static_cast<int32_t>(crew.threads.size()) + 1 < num_threads_) {
    crew.threads.emplace_back([&queue] { queue.Work(); });
  }
  std::unique_lock<std::mutex> lock(queue.mutex);
  queue.task = &task;
  queue.count = count;
  queue.next.store(0, std::memory_order_relaxed);
  queue.error = nullptr;
  if (count > 1 && !crew.threads.empty()) {
    // Without the lock, which the woken threads need at once.
    lock.unlock();
    queue.wake.notify_all();
    lock.lock();
  }
  queue.RunTasks(lock);
  queue.finished.wait(lock, [&queue] { return queue.num_working == 0; });
  queue.task = nullptr;
  if (queue.error != nullptr) {
    std::exception_ptr error = std::exchange(queue.error, nullptr);
    lock.unlock();
    std::rethrow_exception(error);
  }
}

}  // namespace xgrammar
