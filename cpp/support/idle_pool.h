// IdlePool: objects that hold scratch memory, kept between uses so that a use allocates nothing.
//
// Thread-safe. Holds a few objects at most; who finds none makes one, who gives one too many back
// destroys it.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "support/fork_safety.h"

namespace xgrammar {

template <typename T>
class IdlePool {
 public:
  /// Null if there is none.
  std::unique_ptr<T> Take() {
    const std::lock_guard<ForkSafeMutex> lock(mutex_);
    if (idle_.empty()) return nullptr;
    std::unique_ptr<T> taken = std::move(idle_.back());
    idle_.pop_back();
    return taken;
  }
  void Give(std::unique_ptr<T> object) {
    const std::lock_guard<ForkSafeMutex> lock(mutex_);
    if (idle_.size() < kMaxIdle) idle_.push_back(std::move(object));
  }

 private:
  static constexpr size_t kMaxIdle = 8;

  ForkSafeMutex mutex_;
  std::vector<std::unique_ptr<T>> idle_;  // Guarded by mutex_.
};

}  // namespace xgrammar
