// ForkGate: counters of threads inside, and the handlers that fork() runs.
//
// A reader announces itself and then looks whether the gate is closed; the forking thread closes
// the gate and then looks for readers. With sequentially consistent order one of the two sees the
// other (Dekker's algorithm, in Dijkstra, "Cooperating sequential processes", 1965).
#include "support/fork_safety.h"

#include <array>
#include <thread>

#include "support/spin.h"

#if !defined(_WIN32)
#include <pthread.h>
#endif

namespace xgrammar {

namespace {

constexpr uint32_t kNumCounters = 64;
constexpr size_t kCacheLineBytes = 64;
constexpr int kLockTries = 200;  // Some microseconds.

struct alignas(kCacheLineBytes) Counter {
  std::atomic<int32_t> inside{0};
};

// Constant-initialised, so that the gate works whenever it is first used.
constinit std::array<Counter, kNumCounters> counters;
constinit std::atomic<int32_t> num_forking{0};
constinit std::atomic<uint64_t> process_number{0};
constinit std::atomic<uint32_t> next_counter{0};

constinit thread_local int32_t depth = 0;
constinit thread_local Counter* own_counter = nullptr;

#if !defined(_WIN32)

void BeforeFork() {
  num_forking.fetch_add(1, std::memory_order_seq_cst);
  // A fork from inside a section cannot wait for itself; the section is whole in the child.
  if (depth > 0) return;
  for (Counter& counter : counters) {
    while (counter.inside.load(std::memory_order_seq_cst) != 0) std::this_thread::yield();
  }
}

void AfterForkInParent() {
  num_forking.fetch_sub(1, std::memory_order_seq_cst);
  num_forking.notify_all();
}

void AfterForkInChild() {
  // Other threads exist in the parent only, whether they were about to fork or waited for.
  for (Counter& counter : counters) counter.inside.store(0, std::memory_order_relaxed);
  if (depth > 0) own_counter->inside.store(1, std::memory_order_relaxed);
  num_forking.store(0, std::memory_order_seq_cst);
  process_number.fetch_add(1, std::memory_order_relaxed);
}

// If the handlers cannot be registered (no memory at load time), forking is as unsafe as without
// them, and nothing else is.
[[maybe_unused]] const int registered =
    pthread_atfork(&BeforeFork, &AfterForkInParent, &AfterForkInChild);

#endif

}  // namespace

void ForkGate::Enter() {
  if (depth++ > 0) return;
  if (own_counter == nullptr) {
    own_counter = &counters[next_counter.fetch_add(1, std::memory_order_relaxed) % kNumCounters];
  }
  for (;;) {
    own_counter->inside.fetch_add(1, std::memory_order_seq_cst);
    const int32_t forking = num_forking.load(std::memory_order_seq_cst);
    if (forking == 0) return;
    own_counter->inside.fetch_sub(1, std::memory_order_seq_cst);
    num_forking.wait(forking, std::memory_order_seq_cst);
  }
}

void ForkGate::Leave() {
  if (--depth == 0) own_counter->inside.fetch_sub(1, std::memory_order_release);
}

void ForkSafeMutex::LockContended() {
  for (int i = 0; i < kLockTries; ++i) {
    SpinPause();
    if (mutex_.try_lock()) return;
  }
  mutex_.lock();
}

bool ForkGate::IsInside() { return depth > 0; }

uint64_t ForkGate::ProcessNumber() { return process_number.load(std::memory_order_relaxed); }

}  // namespace xgrammar
