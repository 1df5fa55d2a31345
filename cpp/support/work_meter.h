// WorkMeter: what one compilation may cost in time and in counted work, and how it is stopped.
//
// Loops of front ends, automata and lowering call CountWork, which is a subtraction as long as
// there is budget; every few hundred units the clock is read and the caller asked whether it still
// wants the result. The meter belongs to the thread and to the outermost WorkScope on its stack, so
// that no algorithm needs one more parameter for it; without a scope (matching) nothing is counted.
//
// Time is measured by the wall clock, which is what a caller waits by; counted work is the same on
// every machine.
#pragma once

#include <chrono>
#include <cstdint>

#include "support/limits.h"

namespace xgrammar {

/// Asked now and then whether the work should go on; throws if not. Called without any lock held.
class WorkInterrupt {
 public:
  virtual ~WorkInterrupt() = default;
  virtual void Poll() = 0;
};

/// Owned by one thread.
class WorkMeter {
 public:
  WorkMeter(const Limits& limits, WorkInterrupt* interrupt);
  WorkMeter(const WorkMeter&) = delete;
  WorkMeter& operator=(const WorkMeter&) = delete;

  void Count(const char* stage, int64_t units) {
    until_check_ -= units;
    if (until_check_ < 0) Check(stage);
  }
  /// Raises kBudget with the stage if the time or the work is used up, or what the interrupt
  /// raises.
  void Check(const char* stage);
  int64_t work() const { return counted_ + (kUnitsPerCheck - until_check_); }

  static WorkMeter* current();

 private:
  friend class WorkScope;
  using Clock = std::chrono::steady_clock;
  static constexpr int64_t kUnitsPerCheck = 500;

  const int64_t max_ms_;
  const int64_t max_work_;
  WorkInterrupt* const interrupt_;
  const Clock::time_point begin_;
  Clock::time_point next_poll_;
  int64_t counted_ = 0;
  int64_t until_check_ = kUnitsPerCheck;
};

/// Meters the calling thread until the end of the scope. Inside another scope it does nothing: the
/// outermost one is the request.
class WorkScope {
 public:
  explicit WorkScope(const Limits& limits, WorkInterrupt* interrupt = nullptr);
  ~WorkScope();
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

 private:
  WorkMeter meter_;
  const bool is_outermost_;
};

/// Nothing is counted until the end of the scope.
class WorkPause {
 public:
  WorkPause();
  ~WorkPause();
  WorkPause(const WorkPause&) = delete;
  WorkPause& operator=(const WorkPause&) = delete;

 private:
  WorkMeter* const paused_;
};

/// Counts about 100 ns of work for each unit. `stage` completes "while ..." in an error text and
/// must be a literal. Raises as WorkMeter::Check does.
inline void CountWork(const char* stage, int64_t units = 1) {
  WorkMeter* const meter = WorkMeter::current();
  if (meter != nullptr) meter->Count(stage, units);
}

/// Looks at the clock and the interrupt at once: for loops that wait.
inline void CheckWork(const char* stage) {
  WorkMeter* const meter = WorkMeter::current();
  if (meter != nullptr) meter->Check(stage);
}

}  // namespace xgrammar
