// Batches: rows equal those that each matcher fills alone, on one thread and on several, at any
// indices and strides, errors say which matcher is meant, and accepting leaves the matchers where
// each alone gets.
//
// Wrong indices are refused before anything is written; a terminated matcher is named and the
// others are filled. Races are sought by matcher_threads_test.cc under the thread sanitizer.
#include "matcher/batch.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <set>
#include <string>

#include "matcher/matcher_fixtures.h"

namespace xgrammar {
namespace {

constexpr int32_t kUntouched = 0x12345678;

class BatchTest : public testing::Test {
 protected:
  void MakeMatchers(int count) {
    const auto compiled =
        Compile("root ::= \"(\" root \")\" | [ab]{1,9}", SmallTokenizer({"a", "b", "(", ")"}));
    for (int i = 0; i < count; ++i) {
      auto& matcher = matchers_.emplace_back(compiled, MatcherOptions{});
      for (int j = 0; j < i % 7; ++j) matcher.AcceptToken(4);
      if (i % 3 == 0) matcher.AcceptToken(2);
    }
    for (GrammarMatcher& matcher : matchers_) pointers_.push_back(&matcher);
  }
  void Fill(const std::vector<int64_t>& indices, int64_t num_rows, int32_t threads,
            int64_t stride = 1) {
    rows_.assign(static_cast<size_t>(num_rows * stride), kUntouched);
    ThreadPool pool(threads);
    BatchFillNextTokenBitmask(pointers_, rows_.data(), num_rows, stride, indices, &pool);
  }
  std::string Refusal(const std::vector<int64_t>& indices, int64_t num_rows, int32_t threads = 2) {
    std::string text;
    EXPECT_EQ(KindOfError([&] { Fill(indices, num_rows, threads); }, &text), ErrorKind::kUsage);
    return text;
  }

  std::deque<GrammarMatcher> matchers_;
  std::vector<GrammarMatcher*> pointers_;
  std::vector<int32_t> rows_;
};

TEST_F(BatchTest, RowsEqualThoseOfEachMatcher) {
  MakeMatchers(50);
  for (int32_t threads : {1, 3}) {
    Fill({}, 51, threads);
    for (size_t i = 0; i < 50; ++i) {
      EXPECT_EQ(BitsOf(std::span(rows_).subspan(i, 1)), MaskIds(pointers_[i])) << i;
    }
    EXPECT_EQ(rows_[50], kUntouched);
  }
}

TEST_F(BatchTest, MasksThatNobodyHasComputedYet) {
  MakeMatchers(50);
  std::set<const void*> missing;
  for (const GrammarMatcher* matcher : pointers_) missing.insert(matcher->MissingMask());
  ASSERT_EQ(missing.count(nullptr), 0u);
  ASSERT_GT(missing.size(), 2u);   // Several are computed, ...
  ASSERT_LT(missing.size(), 30u);  // ... and matchers share them.
  Fill({}, 50, 3);
  for (size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(pointers_[i]->MissingMask(), nullptr);
    EXPECT_EQ(BitsOf(std::span(rows_).subspan(i, 1)), MaskIds(pointers_[i])) << i;
  }
}

TEST_F(BatchTest, NewMasksBesideATerminatedMatcher) {
  MakeMatchers(40);
  pointers_[5]->Reset();
  ASSERT_TRUE(pointers_[5]->AcceptToken(2) && pointers_[5]->AcceptToken(0));
  EXPECT_EQ(pointers_[5]->MissingMask(), nullptr);
  EXPECT_NE(Refusal({}, 40, 3).find("Matcher 5:"), std::string::npos);
  for (size_t i = 0; i < 40; ++i) {
    if (i == 5) continue;
    EXPECT_EQ(BitsOf(std::span(rows_).subspan(i, 1)), MaskIds(pointers_[i])) << i;
  }
}

TEST_F(BatchTest, IndicesAndStrides) {
  MakeMatchers(3);
  Fill({4, 0, 2}, 5, 2, 2);
  const auto row = [&](size_t i) { return std::span(rows_).subspan(i * 2, 1); };
  EXPECT_EQ(BitsOf(row(4)), MaskIds(pointers_[0]));
  EXPECT_EQ(BitsOf(row(0)), MaskIds(pointers_[1]));
  EXPECT_EQ(BitsOf(row(2)), MaskIds(pointers_[2]));
  EXPECT_EQ(row(1)[0], kUntouched);
  EXPECT_EQ(row(3)[0], kUntouched);
  for (size_t i = 1; i < rows_.size(); i += 2) EXPECT_EQ(rows_[i], kUntouched);
}

TEST_F(BatchTest, AnEmptyBatchIsNoWork) {
  Fill({}, 2, 2);
  EXPECT_EQ(rows_[0], kUntouched);
}

TEST_F(BatchTest, WrongIndicesAreRefusedBeforeAnythingIsWritten) {
  MakeMatchers(3);
  EXPECT_NE(Refusal({0, 1}, 5).find("3 matchers but 2 indices"), std::string::npos);
  EXPECT_NE(Refusal({0, 5, 1}, 5).find("Row 5 of matcher 1"), std::string::npos);
  EXPECT_NE(Refusal({0, 1, -1}, 5).find("Row -1 of matcher 2"), std::string::npos);
  EXPECT_NE(Refusal({}, 2).find("matcher 2"), std::string::npos);
  for (int32_t word : rows_) EXPECT_EQ(word, kUntouched);
}

TEST_F(BatchTest, ATerminatedMatcherIsNamedAndTheOthersAreFilled) {
  MakeMatchers(40);
  for (size_t i : {11u, 33u}) {
    if (!pointers_[i]->IsCompleted()) pointers_[i]->Reset(), pointers_[i]->AcceptToken(2);
    ASSERT_TRUE(pointers_[i]->AcceptToken(0));
  }
  for (int32_t threads : {1, 3}) {
    EXPECT_NE(Refusal({}, 40, threads).find("Matcher 11:"), std::string::npos);
    for (size_t i = 0; i < 40; ++i) {
      if (i == 11 || i == 33) continue;
      EXPECT_EQ(BitsOf(std::span(rows_).subspan(i, 1)), MaskIds(pointers_[i])) << i;
    }
  }
}

TEST_F(BatchTest, NewAndKnownMasksMixed) {
  MakeMatchers(64);
  for (size_t i = 0; i < 64; i += 2) MaskIds(pointers_[i]);
  Fill({}, 64, 3);
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(BitsOf(std::span(rows_).subspan(i, 1)), MaskIds(pointers_[i])) << i;
  }
}

TEST_F(BatchTest, AcceptingEqualsThatOfEachMatcher) {
  constexpr size_t kCount = 300;  // Enough for several threads.
  std::vector<int64_t> tokens;
  std::vector<std::string> texts;
  for (size_t i = 0; i < kCount; ++i) {
    tokens.push_back(static_cast<int64_t>(i * 7 % 11) - 2);  // Some of no vocabulary.
    texts.push_back(std::string(i % 5, '(') + std::string(i % 12, 'b') + (i % 4 == 0 ? ")" : ""));
  }
  for (int32_t threads : {0, 1, 3}) {
    matchers_.clear();
    pointers_.clear();
    MakeMatchers(kCount);
    std::deque<GrammarMatcher> alone(matchers_.begin(), matchers_.end());
    std::unique_ptr<ThreadPool> pool;
    if (threads > 0) pool = std::make_unique<ThreadPool>(threads);
    std::vector<uint8_t> accepted(kCount, 2);
    BatchAcceptToken(pointers_, tokens, accepted, pool.get());
    for (size_t i = 0; i < kCount; ++i) {
      EXPECT_EQ(accepted[i], alone[i].AcceptToken(tokens[i]) ? 1 : 0) << i;
    }
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    BatchAcceptString(pointers_, views, accepted, pool.get());
    for (size_t i = 0; i < kCount; ++i) {
      EXPECT_EQ(accepted[i], alone[i].AcceptString(texts[i]) ? 1 : 0) << i;
      EXPECT_EQ(pointers_[i]->num_steps(), alone[i].num_steps()) << i;
      EXPECT_EQ(pointers_[i]->DebugString(), alone[i].DebugString()) << i;
    }
    EXPECT_EQ(std::set(accepted.begin(), accepted.end()), (std::set<uint8_t>{0, 1}));
  }
}

}  // namespace
}  // namespace xgrammar
