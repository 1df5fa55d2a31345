// FreeRun: agreement with a simulation of the rules as docs/reference/structural-tag.md states
// them, on all short texts over two letters and random patterns and exclusions; the documented
// examples; and cost.
//
// The simulation rereads the run at every place and shares no code with the automaton. Thousands of
// strings must take linear time, and a machine past the budget is refused. The grammars made of
// runs are tests/cpp/grammar/dispatch_test.cc.
#include "automata/free_run.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <set>
#include <string_view>

#include "support/error.h"

namespace xgrammar {
namespace {

constexpr int64_t kBudget = 1000000;

/// All the ways in which a text can be read as a run, straight from the rules: a reading is the set
/// of nothing but the start that a pattern to be completed must not exceed.
class Simulation {
 public:
  explicit Simulation(const FreeRunOptions& options) : options_(options) {}

  struct Result {
    bool may_end = false;             ///< Without a pattern.
    std::set<std::string> completed;  ///< Patterns that the whole text may end with.
  };

  Result Read(const std::string& text) const {
    Result result;
    bool alive = true;
    bool bound = false;
    size_t latest_start = 0;
    for (size_t end = 1; end <= text.size() && alive; ++end) {
      result.completed.clear();
      const std::string_view run = std::string_view(text).substr(0, end);
      if (EndsWithAny(run, options_.excludes)) return {};
      const std::string found = LongestPattern(run);
      const size_t start = end - found.size();
      if (!found.empty() && (!bound || start <= latest_start)) {
        if (end == text.size()) result.completed.insert(found);
        bound = true;
        latest_start = start;
      }
      alive = !bound || IsPending(run, latest_start);
    }
    result.may_end = alive && !bound;
    return result;
  }

 private:
  static bool EndsWithAny(std::string_view run, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      if (run.ends_with(text)) return true;
    }
    return false;
  }
  std::string LongestPattern(std::string_view run) const {
    std::string best;
    for (const std::string& pattern : options_.patterns) {
      if (run.ends_with(pattern) && pattern.size() > best.size()) best = pattern;
    }
    return best;
  }
  /// Whether some suffix of the run that starts by `latest_start` is a proper prefix of a pattern.
  bool IsPending(std::string_view run, size_t latest_start) const {
    for (size_t start = 0; start <= latest_start; ++start) {
      const std::string_view suffix = run.substr(start);
      for (const std::string& pattern : options_.patterns) {
        if (pattern.size() > suffix.size() && pattern.starts_with(suffix)) return true;
      }
    }
    return false;
  }

  const FreeRunOptions& options_;
};

std::vector<std::string> AllTexts(size_t max_length, std::string_view letters) {
  std::vector<std::string> texts = {""};
  for (size_t begin = 0, length = 0; length < max_length; ++length) {
    const size_t end = texts.size();
    for (size_t i = begin; i < end; ++i) {
      for (char c : letters) texts.push_back(texts[i] + c);
    }
    begin = end;
  }
  return texts;
}

std::vector<std::string> RandomStrings(std::mt19937* random, size_t max_count) {
  std::vector<std::string> strings((*random)() % (max_count + 1));
  for (std::string& text : strings) {
    const size_t length = 1 + (*random)() % 5;
    for (size_t i = 0; i < length; ++i) text += static_cast<char>('a' + (*random)() % 2);
  }
  return strings;
}

TEST(FreeRunTest, AgreesWithTheRules) {
  std::mt19937 random(11);
  const std::vector<std::string> texts = AllTexts(9, "ab");
  for (int round = 0; round < 400; ++round) {
    const FreeRunOptions options = {RandomStrings(&random, 4), RandomStrings(&random, 2)};
    const Simulation simulation(options);
    const FreeRun run(options, kBudget);
    const CodePointDfa end = run.End();
    std::vector<CodePointDfa> to;
    for (size_t i = 0; i < options.patterns.size(); ++i) {
      to.push_back(run.To(std::vector<int32_t>{static_cast<int32_t>(i)}));
    }
    for (const std::string& text : texts) {
      const Simulation::Result expected = simulation.Read(text);
      ASSERT_EQ(end.Accepts(text), expected.may_end) << text;
      for (size_t i = 0; i < to.size(); ++i) {
        ASSERT_EQ(to[i].Accepts(text), expected.completed.contains(options.patterns[i]))
            << text << " " << options.patterns[i] << " " << round;
      }
    }
  }
}

TEST(FreeRunTest, SeparablePatternsFollowAnyEnd) {
  std::mt19937 random(12);
  const std::vector<std::string> texts = AllTexts(8, "ab");
  int separable = 0;
  for (int round = 0; round < 3000; ++round) {
    const FreeRunOptions options = {RandomStrings(&random, 2), RandomStrings(&random, 1)};
    const FreeRun run(options, kBudget);
    for (size_t i = 0; i < options.patterns.size(); ++i) {
      if (!run.IsSeparable(static_cast<int32_t>(i))) continue;
      ++separable;
      const CodePointDfa end = run.End();
      const CodePointDfa to = run.To(std::vector<int32_t>{static_cast<int32_t>(i)});
      const std::string& pattern = options.patterns[i];
      for (const std::string& text : texts) {
        const bool split =
            text.ends_with(pattern) && end.Accepts(text.substr(0, text.size() - pattern.size()));
        ASSERT_EQ(to.Accepts(text), split) << text << " " << pattern;
      }
    }
  }
  EXPECT_GT(separable, 100);
}

TEST(FreeRunTest, ExcludesWinOverPatterns) {
  EXPECT_FALSE(FreeRun({{"T"}, {"T"}}, kBudget).To(std::vector<int32_t>{0}).Accepts("T"));
  const CodePointDfa behind = FreeRun({{"f"}, {"<f"}}, kBudget).To(std::vector<int32_t>{0});
  EXPECT_FALSE(behind.Accepts("<f"));
  EXPECT_TRUE(behind.Accepts("xf"));
  EXPECT_TRUE(FreeRun({{"<fx"}, {"<f"}}, kBudget).To(std::vector<int32_t>{0}).IsEmpty());
}

TEST(FreeRunTest, GroupsShareOneAutomaton) {
  const FreeRun run({{"one", "two", "three"}, {}}, kBudget);
  const CodePointDfa to = run.To(std::vector<int32_t>{0, 2});
  EXPECT_TRUE(to.Accepts("xxone"));
  EXPECT_TRUE(to.Accepts("ththree"));
  EXPECT_FALSE(to.Accepts("two"));
  EXPECT_FALSE(to.Accepts("one."));
}

TEST(FreeRunTest, ExcludingTextCountsCodePoints) {
  const CodePointDfa text = ExcludingText({"\u4E16\u754C", "aab"}, kBudget);
  EXPECT_TRUE(text.Accepts(std::string_view("\0\u4E16a\u754C\U0010FFFF", 12)));
  EXPECT_FALSE(text.Accepts("x\u4E16\u754C"));
  EXPECT_FALSE(text.Accepts("aaab"));
  EXPECT_EQ(ExcludingText({}, kBudget).states().size(), 1U);
}

TEST(FreeRunTest, RefusesBadStringsAndLargeMachines) {
  EXPECT_THROW(FreeRun({{""}, {}}, kBudget), Error);
  EXPECT_THROW(FreeRun({{}, {""}}, kBudget), Error);
  EXPECT_THROW(FreeRun({{"\xFF"}, {}}, kBudget), Error);
  EXPECT_THROW(FreeRun({{"abcdef"}, {}}, 5), Error);
}

TEST(FreeRunTest, ManyStringsTakeLinearTime) {
  FreeRunOptions options;
  for (int i = 0; i < 20000; ++i)
    options.excludes.push_back("<word_" + std::to_string(i * 37) + ">");
  options.patterns.push_back("<tool_call>");
  const auto begin = std::chrono::steady_clock::now();
  const FreeRun run(options, kBudget);
  const CodePointDfa end = run.End();
  const CodePointDfa to = run.To(std::vector<int32_t>{0});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_TRUE(to.Accepts("<word_<tool_call>"));
  EXPECT_FALSE(end.Accepts("a<word_37>"));
  EXPECT_LT(seconds.count(), 3.0);
  RecordProperty("milliseconds", std::to_string(seconds.count() * 1000));
}

}  // namespace
}  // namespace xgrammar
