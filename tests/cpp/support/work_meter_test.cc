// WorkMeter: the budget of a request in counted work or time, the scope it holds in (the outermost
// one counts), the error with what was being done, and the caller who is asked now and then.
//
// Without a scope nothing is counted, and inside a section that must not be left nobody is asked.
// Budgets of whole compilations are tests/integration/test_interruption.py.
#include "support/work_meter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "support/error.h"
#include "support/fork_safety.h"

namespace xgrammar {
namespace {

Limits WithWork(int64_t work) {
  Limits limits;
  limits.max_compile_work = work;
  return limits;
}

TEST(WorkMeter, NothingIsCountedWithoutAScope) {
  EXPECT_EQ(WorkMeter::current(), nullptr);
  for (int i = 0; i < 10000; ++i) CountWork("testing");
  CheckWork("testing");
}

TEST(WorkMeter, WorkIsBoundedAndTheErrorSaysWhat) {
  const WorkScope scope(WithWork(10000));
  for (int i = 0; i < 9000; ++i) CountWork("testing");
  try {
    for (int i = 0; i < 2000; ++i) CountWork("testing");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBudget);
    EXPECT_EQ(error.limit_name(), "max_compile_work");
    EXPECT_EQ(error.limit_maximum(), 10000);
    EXPECT_GT(error.limit_value(), 10000);
    EXPECT_LE(error.limit_value(), 11000);
    EXPECT_EQ(error.stage(), "testing");
  }
}

TEST(WorkMeter, TimeIsBounded) {
  Limits limits;
  limits.max_compile_ms = 5;
  const WorkScope scope(limits);
  CheckWork("testing");
  std::this_thread::sleep_for(std::chrono::milliseconds(6));
  try {
    CheckWork("waiting");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.limit_name(), "max_compile_ms");
    EXPECT_GE(error.limit_value(), 5);
    EXPECT_EQ(error.stage(), "waiting");
    EXPECT_NE(std::string(error.what()).find("while waiting"), std::string::npos) << error.what();
  }
}

TEST(WorkMeter, TheOutermostScopeCounts) {
  const WorkScope outer(WithWork(1 << 20));
  const WorkMeter* const meter = WorkMeter::current();
  {
    const WorkScope inner(WithWork(1));
    EXPECT_EQ(WorkMeter::current(), meter);
    CountWork("testing", 5000);
    const WorkPause pause;
    EXPECT_EQ(WorkMeter::current(), nullptr);
  }
  EXPECT_EQ(WorkMeter::current(), meter);
  EXPECT_EQ(meter->work(), 5000);
}

class Counting final : public WorkInterrupt {
 public:
  void Poll() override {
    if (++polls == 2) throw std::runtime_error("given up");
  }
  int polls = 0;
};

TEST(WorkMeter, TheCallerIsAskedNowAndThenAndNeverInsideASection) {
  Counting interrupt;
  const WorkScope scope(Limits{}, &interrupt);
  for (int i = 0; i < 1000; ++i) CheckWork("testing");
  EXPECT_LE(interrupt.polls, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(25));
  {
    const ForkSection section;
    const int before = interrupt.polls;
    CheckWork("testing");
    EXPECT_EQ(interrupt.polls, before);
  }
  EXPECT_THROW(
      {
        for (int i = 0; i < 10; ++i) {
          CheckWork("testing");
          std::this_thread::sleep_for(std::chrono::milliseconds(25));
        }
      },
      std::runtime_error);
}

}  // namespace
}  // namespace xgrammar
