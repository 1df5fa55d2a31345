// WorkMeter: the slow path of counting, and the thread's current meter.
//
// The fast path is inline in the header. Here the clock is read, the caller asked, and kBudget
// raised with the stage that was at work. Scopes nest, and the outermost one counts.
#include "support/work_meter.h"

#include <string>

#include "support/error.h"
#include "support/fork_safety.h"

namespace xgrammar {

namespace {

// Asking the caller may take a lock of the interpreter, so it is asked less often than the clock.
constexpr std::chrono::milliseconds kPollInterval(20);

constinit thread_local WorkMeter* current_meter = nullptr;

[[noreturn]] void ThrowBudgetError(const char* limit, int64_t value, int64_t maximum,
                                   const char* stage, const std::string& what) {
  Error error(ErrorKind::kBudget, what + " while " + stage);
  error.Limit(limit, value, maximum);
  error.Stage(stage);
  error.Hint("simplify the source or allow more");
  throw error;
}

}  // namespace

WorkMeter::WorkMeter(const Limits& limits, WorkInterrupt* interrupt)
    : max_ms_(limits.max_compile_ms),
      max_work_(limits.max_compile_work),
      interrupt_(interrupt),
      begin_(Clock::now()),
      next_poll_(begin_ + kPollInterval) {}

void WorkMeter::Check(const char* stage) {
  counted_ += kUnitsPerCheck - until_check_;
  until_check_ = kUnitsPerCheck;
  if (counted_ > max_work_) {
    ThrowBudgetError("max_compile_work", counted_, max_work_, stage,
                     "The compilation needs more than max_compile_work = " +
                         std::to_string(max_work_) + " units of work");
  }
  const Clock::time_point now = Clock::now();
  const int64_t elapsed_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(now - begin_).count();
  if (elapsed_ms >= max_ms_) {
    ThrowBudgetError("max_compile_ms", elapsed_ms, max_ms_, stage,
                     "The compilation took " + std::to_string(elapsed_ms) + " ms of " +
                         std::to_string(max_ms_) + " ms allowed");
  }
  if (interrupt_ != nullptr && now >= next_poll_ && !ForkGate::IsInside()) {
    next_poll_ = now + kPollInterval;
    interrupt_->Poll();
  }
}

WorkMeter* WorkMeter::current() { return current_meter; }

WorkScope::WorkScope(const Limits& limits, WorkInterrupt* interrupt)
    : meter_(limits, interrupt), is_outermost_(current_meter == nullptr) {
  if (is_outermost_) current_meter = &meter_;
}

WorkScope::~WorkScope() {
  if (is_outermost_) current_meter = nullptr;
}

WorkPause::WorkPause() : paused_(current_meter) { current_meter = nullptr; }

WorkPause::~WorkPause() { current_meter = paused_; }

}  // namespace xgrammar
