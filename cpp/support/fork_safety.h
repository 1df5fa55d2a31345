// Fork safety: what is shared between threads is whole, and no lock is held, in a forked child.
//
// fork() copies the memory and only the calling thread. A lock that another thread holds at that
// moment stays locked in the child for ever, and what it guards may be half changed. So every
// section under a lock of this library is passed through one gate: a fork closes the gate, waits
// until the sections that run are over, copies, and opens it again in both processes (handlers of
// pthread_atfork, POSIX.1-2017). Sections are short: nobody waits or asks for the interpreter
// inside one. The count of threads inside is spread over cache lines, so that threads do not meet
// there.
//
// The gate is the one piece of process-wide mutable state of the core, because so is fork().
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace xgrammar {

/// The gate. Sections nest.
class ForkGate {
 public:
  static void Enter();
  static void Leave();
  /// Whether the calling thread is in a section: it must neither wait for other threads nor call
  /// out.
  static bool IsInside();
  /// How many forks lie between the first process and this one: names a process without reuse.
  static uint64_t ProcessNumber();
};

/// A section until the end of the scope.
class ForkSection {
 public:
  ForkSection() { ForkGate::Enter(); }
  ~ForkSection() { ForkGate::Leave(); }
  ForkSection(const ForkSection&) = delete;
  ForkSection& operator=(const ForkSection&) = delete;
};

/// A mutex for short sections that a fork waits for. Usable with the standard locks.
class ForkSafeMutex {
 public:
  void lock() {
    ForkGate::Enter();
    if (!mutex_.try_lock()) LockContended();
  }
  void unlock() {
    mutex_.unlock();
    ForkGate::Leave();
  }

 private:
  /// Tries for a while before it goes to sleep, which takes longer than a section.
  void LockContended();

  std::mutex mutex_;
};

/// std::call_once whose work a fork waits for. After an exception the next caller tries again.
class ForkSafeOnce {
 public:
  template <typename Function>
  void Call(const Function& function) {
    if (done_.load(std::memory_order_acquire)) return;
    const std::lock_guard<ForkSafeMutex> lock(mutex_);
    if (done_.load(std::memory_order_relaxed)) return;
    function();
    done_.store(true, std::memory_order_release);
  }

 private:
  std::atomic<bool> done_{false};
  ForkSafeMutex mutex_;
};

}  // namespace xgrammar
