// Rows that are made when they are first read: the same from many threads, made once, with their
// first bytes, and the facts of an automaton that are known without them.
//
// What makes rows is left to the tests of each maker.
#include "automata/rows_on_demand.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "automata/byte_dfa.h"

namespace xgrammar {
namespace {

constexpr uint32_t kNumStates = 400;
constexpr uint32_t kAccepting = kNumStates - 1;

/// From each state a digit leads on, by as many states as it says; the last state has no edges.
class Counter final : public RowsOnDemand {
 public:
  explicit Counter(std::array<int, kNumStates>* times_made) : times_made_(*times_made) {
    ByteBoundaries boundaries;
    for (uint32_t c = '0'; c <= '9'; ++c) boundaries.Add(c, c);
    classes_ = boundaries.Classes();
  }
  uint32_t num_states() const override { return kNumStates; }
  const ByteClasses& classes() const override { return classes_; }
  std::vector<uint8_t> StateFlags() const override {
    std::vector<uint8_t> flags(kNumStates, 0);
    flags[kAccepting] = kAccept | kFinal;
    return flags;
  }
  int64_t MaxMemorySizeBytes() const override { return 1000; }

 protected:
  void WriteRow(uint32_t state, uint32_t* row, ByteSet* first) const override {
    ++times_made_[state];
    std::fill_n(row, classes_.count, ByteDfa::kDead);
    if (state == kAccepting) return;
    for (uint32_t c = '0'; c <= '9'; ++c)
      row[classes_.of[c]] = std::min(state + 1 + c - '0', kAccepting);
    first->AddRange('0', '9');
  }

 private:
  std::array<int, kNumStates>& times_made_;
  ByteClasses classes_;
};

TEST(RowsOnDemand, AreRead) {
  std::array<int, kNumStates> times_made{};
  const auto dfa = DfaOnDemand(std::make_unique<const Counter>(&times_made), kNumStates);
  ASSERT_TRUE(dfa.has_value());
  EXPECT_EQ(std::count(times_made.begin(), times_made.end(), 0), kNumStates);
  EXPECT_TRUE(dfa->is_prefix_free());
  EXPECT_TRUE(dfa->IsAccept(kAccepting) && dfa->IsFinal(kAccepting));
  EXPECT_EQ(dfa->Next(0, '3'), 4u);
  EXPECT_EQ(dfa->Next(4, 'x'), ByteDfa::kDead);
  EXPECT_EQ(dfa->first_bytes(4).size(), 10);
  EXPECT_TRUE(dfa->first_bytes(kAccepting).empty());
  EXPECT_FALSE(dfa->Accepts("99"));
  EXPECT_EQ(times_made[0], 1);
  EXPECT_EQ(times_made[4], 1);
  EXPECT_EQ(times_made[3], 0);
}

TEST(RowsOnDemand, AreRefusedPastTheBudget) {
  std::array<int, kNumStates> times_made{};
  EXPECT_FALSE(DfaOnDemand(std::make_unique<const Counter>(&times_made), kNumStates - 1));
}

TEST(RowsOnDemand, AreTheSameFromManyThreads) {
  std::array<int, kNumStates> times_made{};
  const auto dfa = DfaOnDemand(std::make_unique<const Counter>(&times_made), kNumStates);
  ASSERT_TRUE(dfa.has_value());
  constexpr uint32_t kNumThreads = 4;
  std::array<bool, kNumThreads> same{};
  std::vector<std::thread> threads;
  // Each thread begins somewhere else, so that they meet at rows that are being made.
  const auto read = [&dfa](uint32_t begin) {
    for (uint32_t i = 0; i < kNumStates; ++i) {
      const uint32_t state = (begin + i) % kNumStates;
      const uint32_t expected = state == kAccepting ? ByteDfa::kDead : state + 1;
      if (dfa->Next(state, '0') != expected) return false;
    }
    return true;
  };
  for (uint32_t t = 0; t < kNumThreads; ++t) {
    threads.emplace_back([&, t] { same[t] = read(t * 50); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(std::all_of(same.begin(), same.end(), [](bool s) { return s; }));
  EXPECT_EQ(std::count(times_made.begin(), times_made.end(), 1), kNumStates);
}

}  // namespace
}  // namespace xgrammar
