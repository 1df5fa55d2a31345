// ThreadPool: a shared task counter; workers sleep between calls.
#include "support/thread_pool.h"

#include <utility>

#if defined(_WIN32)
#include <process.h>
#else
#include <unistd.h>
#endif

namespace xgrammar {

namespace {

int64_t ProcessId() {
#if defined(_WIN32)
  return _getpid();
#else
  return getpid();
#endif
}

}  // namespace

struct ThreadPool::Shared {
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable finished;
  // All guarded by mutex.
  const std::function<void(int64_t)>* task = nullptr;
  int64_t count = 0;
  int64_t next = 0;
  int64_t running = 0;
  int64_t error_index = 0;
  std::exception_ptr error;
  bool stop = false;

  /// Takes and runs tasks until none is left. `lock` holds mutex on entry and exit.
  void RunTasks(std::unique_lock<std::mutex>& lock) {
    while (task != nullptr && next < count) {
      const int64_t index = next++;
      const auto* current = task;
      ++running;
      lock.unlock();
      std::exception_ptr failure;
      try {
        (*current)(index);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      --running;
      if (failure != nullptr && (error == nullptr || index < error_index)) {
        error = failure;
        error_index = index;
      }
      if (next >= count && running == 0) finished.notify_all();
    }
  }
};

ThreadPool::ThreadPool(int32_t num_threads) : num_threads_(num_threads < 1 ? 1 : num_threads) {}

ThreadPool::~ThreadPool() {
  if (shared_ == nullptr) return;
  if (owner_process_ != ProcessId()) {
    // After fork() the threads exist only in the parent: there is nothing to join here.
    for (std::thread& t : threads_) t.detach();
    return;
  }
  {
    std::lock_guard<std::mutex> lock(shared_->mutex);
    shared_->stop = true;
  }
  shared_->wake.notify_all();
  for (std::thread& t : threads_) t.join();
}

void ThreadPool::Start() {
  if (shared_ != nullptr && owner_process_ == ProcessId()) return;
  for (std::thread& t : threads_) t.detach();
  threads_.clear();
  shared_ = std::make_shared<Shared>();
  owner_process_ = ProcessId();
  for (int32_t i = 1; i < num_threads_; ++i) {
    threads_.emplace_back([shared = shared_] {
      std::unique_lock<std::mutex> lock(shared->mutex);
      for (;;) {
        shared->wake.wait(lock, [&] {
          return shared->stop || (shared->task != nullptr && shared->next < shared->count);
        });
        if (shared->stop) return;
        shared->RunTasks(lock);
      }
    });
  }
}

void ThreadPool::ParallelFor(int64_t count, const std::function<void(int64_t)>& task) {
  if (count <= 0) return;
  std::lock_guard<std::mutex> call_lock(call_mutex_);
  Start();
  std::unique_lock<std::mutex> lock(shared_->mutex);
  shared_->task = &task;
  shared_->count = count;
  shared_->next = 0;
  shared_->error = nullptr;
  if (count > 1) shared_->wake.notify_all();
  shared_->RunTasks(lock);
  shared_->finished.wait(
      lock, [this] { return shared_->next >= shared_->count && shared_->running == 0; });
  shared_->task = nullptr;
  if (shared_->error != nullptr) {
    std::exception_ptr error = std::exchange(shared_->error, nullptr);
    lock.unlock();
    std::rethrow_exception(error);
  }
}

}  // namespace xgrammar
