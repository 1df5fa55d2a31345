// ThreadPool: every thread has a share of the tasks and helps with others' when it is done.
//
// Task i of one call goes to the thread that had task i of the last one, so that a row of a bitmask
// stays in one core's cache: two cores that swap 4 MB of rows write slower than one. Handing work
// to a thread that sleeps costs more than many calls take (10 us of the caller in the kernel, 20 us
// until the thread runs, on a virtual machine), so threads that were just busy spin for a while
// before they sleep, and sleeping ones are woken when the tasks that are left will take longer.
// Source: Karlin et al., "Empirical studies of competitive spinning for a shared-memory
// multiprocessor", 1991 (spinning as long as a wake-up costs is at most twice the best choice).
#include "support/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "support/fork_safety.h"
#include "support/spin.h"

namespace xgrammar {

namespace {

/// What waking a thread costs, rounded up: shorter work is not handed out.
constexpr int64_t kWakeNs = 50'000;
/// Calls that follow each other within this time find the threads spinning.
constexpr int64_t kMaxSpinNs = 200'000;

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Waits until `done` says so, or for about `limit_ns`. Returns whether it did.
template <typename Done>
bool SpinUntil(const Done& done, int64_t limit_ns) {
  const int64_t end = NowNs() + limit_ns;
  do {
    for (int i = 0; i < 32; ++i) {
      if (done()) return true;
      SpinPause();
    }
    // What is waited for may be a thread that waits for this core.
    std::this_thread::yield();
  } while (NowNs() < end);
  return done();
}

/// The tasks that one thread takes first.
struct alignas(64) Share {
  std::atomic<int64_t> next{0};
  int64_t end = 0;
  std::atomic<bool> has_owner{false};  ///< Its thread works on it in this call.

  int64_t NumLeft() const {
    return std::max<int64_t>(0, end - next.load(std::memory_order_relaxed));
  }
};

/// The numbered tasks of one call at a time, and who works on them.
///
/// Who works takes numbers from counters without the lock; coming and going is under it, so that a
/// thread that wakes too late finds no task, and the caller knows when nobody uses the task any
/// more.
struct TaskQueue {
  explicit TaskQueue(int32_t num_threads)
      : shares(static_cast<size_t>(num_threads)),
        may_spin(std::thread::hardware_concurrency() >= static_cast<unsigned>(num_threads)) {}

  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable finished;
  /// One a thread, the caller's first. Laid out anew under mutex while nobody works.
  std::vector<Share> shares;
  /// Whoever spins keeps a core from others, so there must be one for each thread.
  const bool may_spin;
  std::atomic<int64_t> spin_ns{kWakeNs};
  std::atomic<int64_t> to_wake{0};  ///< Sleeping threads that nobody has woken in this call.
  // Written under mutex, read by those who spin.
  std::atomic<uint64_t> num_calls{0};
  std::atomic<int64_t> num_working{0};
  std::atomic<int64_t> num_shares{0};  ///< Those of this call; threads after them have none.
  std::atomic<bool> are_short{false};  ///< The tasks of this call.
  // All guarded by mutex.
  const std::function<void(int64_t)>* task = nullptr;  // Null between calls.
  int64_t burst_ns = 0;     // What calls in a row took; not changed during a call.
  int64_t burst_calls = 0;  // How many they are.
  int64_t num_asleep = 0;
  int64_t error_index = 0;
  std::exception_ptr error;
  bool stop = false;

  /// Lays out the shares of a call. Precondition: holds mutex, and nobody works.
  void Open(int64_t count, const std::function<void(int64_t)>* new_task, int64_t max_threads,
            bool has_short_tasks) {
    const int64_t all =
        std::max<int64_t>(1, std::min({count, max_threads, static_cast<int64_t>(shares.size())}));
    for (int64_t i = 0; i < all; ++i) {
      Share& share = shares[static_cast<size_t>(i)];
      share.next.store(count * i / all, std::memory_order_relaxed);
      share.end = count * (i + 1) / all;
      share.has_owner.store(false, std::memory_order_relaxed);
    }
    num_shares.store(all, std::memory_order_relaxed);
    are_short.store(has_short_tasks, std::memory_order_relaxed);
    task = new_task;
    error = nullptr;
    to_wake.store(std::min(num_asleep, count - 1), std::memory_order_relaxed);
    num_calls.fetch_add(1, std::memory_order_release);
  }

  /// Sections under the mutex are shorter than going to sleep for one.
  void LockSoon(std::unique_lock<std::mutex>& lock) const {
    for (int i = 0; may_spin && i < 200; ++i) {
      if (lock.try_lock()) return;
      SpinPause();
    }
    lock.lock();
  }

  void WakeOne() {
    if (to_wake.fetch_sub(1, std::memory_order_relaxed) > 0) wake.notify_one();
  }

  /// Wakes a thread if what is left keeps each of those who work busy for longer than that takes.
  /// The measure is how long the calling thread took for the tasks that it has done. What earlier
  /// calls that followed each other fast took counts, too: in the next one the thread will spin.
  void WakeIfWorthIt(int64_t begin_ns, int64_t num_done) {
    int64_t num_left = 0;
    const int64_t all = num_shares.load(std::memory_order_relaxed);
    for (int64_t k = 0; k < all; ++k) num_left += shares[static_cast<size_t>(k)].NumLeft();
    const int64_t needed_ns = (NowNs() - begin_ns) / num_done * num_left;
    if (needed_ns + burst_ns > kWakeNs * num_working.load(std::memory_order_relaxed)) WakeOne();
  }

  /// What one thread has done in a call.
  struct Progress {
    const std::function<void(int64_t)>* task = nullptr;
    int64_t begin_ns = 0;
    int64_t num_done = 0;
    int64_t failed = -1;
    std::exception_ptr failure;
  };

  void RunShare(Share* share, Progress* progress) {
    if (share->NumLeft() == 0) return;
    for (int64_t i = share->next.fetch_add(1); i < share->end; i = share->next.fetch_add(1)) {
      try {
        (*progress->task)(i);
      } catch (...) {
        if (progress->failed < 0 || i < progress->failed) {
          progress->failed = i;
          progress->failure = std::current_exception();
        }
      }
      ++progress->num_done;
      if (to_wake.load(std::memory_order_relaxed) > 0) {
        WakeIfWorthIt(progress->begin_ns, progress->num_done);
      }
    }
  }

  /// Runs what is left of other shares. What short tasks write is in the cache of the thread that
  /// had them in the last call, and taking it over costs more than the task: those of a thread that
  /// is at work are left to it, until it has taken twice as long as the caller.
  void HelpOthers(size_t own_share, Progress* progress) {
    const auto all = static_cast<size_t>(num_shares.load(std::memory_order_relaxed));
    const auto help = [&](bool absent_only) {
      for (size_t k = 0; k < all; ++k) {
        Share& share = shares[(own_share + k) % all];
        if (absent_only && share.has_owner.load(std::memory_order_relaxed)) continue;
        RunShare(&share, progress);
      }
    };
    if (are_short.load(std::memory_order_relaxed)) {
      help(true);
      if (own_share != 0) return;
      const auto is_alone = [&] { return num_working.load(std::memory_order_relaxed) == 1; };
      if (may_spin) SpinUntil(is_alone, NowNs() - progress->begin_ns);
    }
    help(false);
  }

  /// Takes and runs tasks. `lock` holds mutex on entry and exit.
  void RunTasks(std::unique_lock<std::mutex>& lock, size_t own_share) {
    Progress progress;
    progress.task = task;
    num_working.fetch_add(1, std::memory_order_relaxed);
    lock.unlock();
    progress.begin_ns = NowNs();
    if (static_cast<int64_t>(own_share) < num_shares.load(std::memory_order_relaxed)) {
      shares[own_share].has_owner.store(true, std::memory_order_relaxed);
      RunShare(&shares[own_share], &progress);
    }
    HelpOthers(own_share, &progress);
    LockSoon(lock);
    if (progress.failed >= 0 && (error == nullptr || progress.failed < error_index)) {
      error = progress.failure;
      error_index = progress.failed;
    }
    if (num_working.fetch_sub(1, std::memory_order_release) == 1) finished.notify_all();
  }

  /// Ends a call whose tasks are all taken: waits for the threads that still run one.
  void Close(std::unique_lock<std::mutex>& lock) {
    task = nullptr;
    const auto is_idle = [this] { return num_working.load(std::memory_order_acquire) == 0; };
    if (may_spin && !is_idle()) {
      lock.unlock();
      SpinUntil(is_idle, kWakeNs);
      LockSoon(lock);
    }
    finished.wait(lock, is_idle);
  }

  /// Returns when a call is open that is not `served`, or to stop.
  void AwaitCall(std::unique_lock<std::mutex>& lock, uint64_t served, size_t own_share) {
    const auto is_open = [&] {
      return stop || (task != nullptr && num_calls.load(std::memory_order_relaxed) != served);
    };
    // A thread that is woken too late for its call has to share a core, with the caller perhaps: it
    // sleeps again at once.
    bool spins = may_spin && served != 0;
    while (!is_open()) {
      // A call that was opened while the lock was taken again wakes those only who sleep.
      if (spins && (SpinUntilCall(lock, own_share) || is_open())) continue;
      ++num_asleep;
      wake.wait(lock);
      --num_asleep;
      spins = false;
    }
  }

  /// Waits for a call with a share for this thread for a while. Returns whether there was one;
  /// others may have done all of it by now.
  bool SpinUntilCall(std::unique_lock<std::mutex>& lock, size_t own_share) {
    uint64_t seen = num_calls.load(std::memory_order_relaxed);
    const int64_t limit_ns = spin_ns.load(std::memory_order_relaxed);
    const auto is_called = [&] { return num_calls.load(std::memory_order_acquire) != seen; };
    lock.unlock();
    bool has_share = false;
    while (!has_share && SpinUntil(is_called, limit_ns)) {
      seen = num_calls.load(std::memory_order_acquire);
      // Read without the lock: a number of a later call than `seen` only makes it come for nothing
      // or stay away from one call.
      has_share = static_cast<int64_t>(own_share) < num_shares.load(std::memory_order_relaxed);
    }
    LockSoon(lock);
    return has_share;
  }

  void Work(size_t own_share) {
    std::unique_lock<std::mutex> lock(mutex);
    for (uint64_t served = 0;;) {
      AwaitCall(lock, served, own_share);
      if (stop) return;
      served = num_calls.load(std::memory_order_relaxed);
      RunTasks(lock, own_share);
    }
  }

  void Stop() {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      stop = true;
      num_calls.fetch_add(1, std::memory_order_release);
    }
    wake.notify_all();
  }
};

}  // namespace

struct ThreadPool::Crew {
  Crew(uint64_t process_number, int32_t num_threads)
      : process(process_number), queue(num_threads) {}
  ~Crew() {
    queue.Stop();
    for (std::thread& thread : threads) thread.join();
  }

  /// Starts the threads that are missing; fewer if the system gives no more.
  void Start() {
    try {
      while (threads.size() + 1 < queue.shares.size()) {
        threads.emplace_back([this, share = threads.size() + 1] { queue.Work(share); });
      }
    } catch (const std::system_error&) {
      // The caller does what is left.
    }
  }

  const uint64_t process;
  std::mutex call_mutex;
  // Guarded by call_mutex.
  std::vector<std::thread> threads;
  int64_t last_end_ns = 0;
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
    auto fresh = std::make_unique<Crew>(ForkGate::ProcessNumber(), num_threads_);
    // A crew of the parent process is left as it is, see the destructor.
    if (crew_.compare_exchange_strong(crew, fresh.get(), std::memory_order_acq_rel)) {
      crew = fresh.release();
    }
  }
  return *crew;
}

void ThreadPool::ParallelFor(int64_t count, const std::function<void(int64_t)>& task, Wake wake,
                             int64_t max_threads) {
  if (count <= 0) return;
  Crew& crew = CurrentCrew();
  const std::lock_guard<std::mutex> call_lock(crew.call_mutex);
  TaskQueue& queue = crew.queue;
  if (count > 1) crew.Start();
  const int64_t begin_ns = NowNs();
  const bool is_burst = begin_ns - crew.last_end_ns <= kMaxSpinNs;
  queue.spin_ns.store(is_burst ? kMaxSpinNs : kWakeNs, std::memory_order_relaxed);
  std::unique_lock<std::mutex> lock(queue.mutex);
  if (!is_burst) queue.burst_ns = queue.burst_calls = 0;
  queue.Open(count, &task, max_threads, wake == Wake::kIfWorthIt);
  if (wake == Wake::kAtOnce && queue.to_wake.load(std::memory_order_relaxed) > 0) {
    // Without the lock, which the woken threads need at once.
    lock.unlock();
    queue.to_wake.store(0, std::memory_order_relaxed);
    queue.wake.notify_all();
    lock.lock();
  }
  queue.RunTasks(lock, 0);
  queue.Close(lock);
  std::exception_ptr error = std::exchange(queue.error, nullptr);
  crew.last_end_ns = NowNs();
  // Two in a row are filling and accepting; only a third shows that the next step comes as fast.
  if (++queue.burst_calls > 1) queue.burst_ns += crew.last_end_ns - begin_ns;
  lock.unlock();
  if (error != nullptr) std::rethrow_exception(error);
}

}  // namespace xgrammar
