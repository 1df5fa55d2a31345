// ByteAccount: the bytes of one owner, and the running total of a group that it may belong to.
//
// A cache of things that grow while others use them knows its size at any time without visiting
// them: whoever grows says so here, and the total follows. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "support/fork_safety.h"

namespace xgrammar {

using ByteTotal = std::atomic<int64_t>;

class ByteAccount {
 public:
  void Add(int64_t delta) {
    const std::lock_guard<ForkSafeMutex> lock(mutex_);
    bytes_.fetch_add(delta, std::memory_order_relaxed);
    if (total_ != nullptr) total_->fetch_add(delta, std::memory_order_relaxed);
  }
  int64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

  /// Counts towards `total` from now on, and no longer towards another one; null: towards none.
  void Join(std::shared_ptr<ByteTotal> total) {
    const std::lock_guard<ForkSafeMutex> lock(mutex_);
    if (total_ != nullptr) total_->fetch_sub(bytes(), std::memory_order_relaxed);
    total_ = std::move(total);
    if (total_ != nullptr) total_->fetch_add(bytes(), std::memory_order_relaxed);
  }

 private:
  ForkSafeMutex mutex_;
  std::atomic<int64_t> bytes_{0};     // Changed under mutex_ only.
  std::shared_ptr<ByteTotal> total_;  // Guarded by mutex_.
};

}  // namespace xgrammar
