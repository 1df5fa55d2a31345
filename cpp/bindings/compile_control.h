// CompileControl: the time limit of one call and the switch that gives it up, and how compiling
// calls run: without the interpreter lock, metered, and looking now and then for a signal (Ctrl-C)
// or the switch.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "support/error.h"
#include "support/limits.h"
#include "support/work_meter.h"

namespace xgrammar::bindings {

namespace nb = nanobind;

struct CompileControl {
  explicit CompileControl(int64_t max_ms_of_call) : max_ms(max_ms_of_call) {}
  const int64_t max_ms;
  std::atomic<bool> cancelled{false};
};

/// Raises what a signal handler of Python raises, and kBudget once the call is cancelled.
class CallInterrupt final : public WorkInterrupt {
 public:
  explicit CallInterrupt(const CompileControl* control) : control_(control) {}
  void Poll() override {
    if (control_ != nullptr && control_->cancelled.load(std::memory_order_relaxed)) {
      throw Error(ErrorKind::kBudget, "The compilation was cancelled by its caller");
    }
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

 private:
  const CompileControl* const control_;
};

/// The result of a call that may take long, made without the interpreter lock. `control` may be
/// null; its time limit counts if it is the smaller one.
template <typename Function>
auto RunMetered(Limits limits, const CompileControl* control, const Function& function) {
  if (control != nullptr) limits.max_compile_ms = std::min(limits.max_compile_ms, control->max_ms);
  CallInterrupt interrupt(control);
  const nb::gil_scoped_release release;
  const WorkScope scope(limits, &interrupt);
  return function();
}

}  // namespace xgrammar::bindings
