// TextRuns: when a state counts as shared, what is found again, and the bound.
//
// Stage: mask. That masks made by runs are exact is random_masks_test.cc.
#include "mask/text_runs.h"

#include <gtest/gtest.h>

#include <utility>

#include "tokenizer/token_trie.h"

namespace xgrammar {
namespace {

const TokenTrie kTrie;

TextRuns::Key KeyOf(uint32_t state, uint32_t node) { return {state, node, &kTrie}; }

std::shared_ptr<const TextRun> RunOf(std::vector<int32_t> ids) {
  TextRun run;
  run.ids = std::move(ids);
  return std::make_shared<const TextRun>(std::move(run));
}

TEST(TextRuns, SharedWhenMetWithAnotherCallerInAnotherMask) {
  TextRuns runs(1 << 20);
  EXPECT_FALSE(runs.Find(KeyOf(3, 0), 10, 1).is_shared) << "the first caller";
  EXPECT_FALSE(runs.Find(KeyOf(3, 7), 10, 2).is_shared) << "the same one, at another node";
  EXPECT_FALSE(runs.Find(KeyOf(3, 0), 11, 1).is_shared) << "another one, in the first mask";
  EXPECT_TRUE(runs.Find(KeyOf(3, 0), 11, 2).is_shared);
  EXPECT_TRUE(runs.Find(KeyOf(3, 7), 10, 3).is_shared) << "from then on, for every caller";
  EXPECT_FALSE(runs.Find(KeyOf(4, 0), 11, 3).is_shared) << "another state";
}

TEST(TextRuns, FindsWhatWasKept) {
  TextRuns runs(1 << 20);
  runs.Find(KeyOf(3, 0), 10, 1);
  EXPECT_EQ(runs.Find(KeyOf(3, 0), 11, 2).run, nullptr);
  const auto run = RunOf({5, 8});
  EXPECT_GE(runs.Keep(KeyOf(3, 0), run, nullptr), run->MemorySizeBytes());
  EXPECT_EQ(runs.Find(KeyOf(3, 0), 12, 3).run, run);
  EXPECT_EQ(runs.Find(KeyOf(3, 1), 12, 3).run, nullptr) << "another node";
  EXPECT_EQ(runs.Keep(KeyOf(3, 0), RunOf({}), nullptr), 0) << "the first is kept";
  EXPECT_EQ(runs.Find(KeyOf(3, 0), 12, 3).run, run);
  EXPECT_EQ(runs.size(), 1);
}

TEST(TextRuns, KeepsNothingPastTheBound) {
  TextRuns runs(1000);
  EXPECT_EQ(runs.Keep(KeyOf(0, 0), RunOf(std::vector<int32_t>(1000)), nullptr), 0);
  EXPECT_EQ(runs.size(), 0);
  int64_t bytes = 0;
  for (uint32_t node = 0; node < 100; ++node)
    bytes += runs.Keep(KeyOf(0, node), RunOf({}), nullptr);
  EXPECT_GT(runs.size(), 0);
  EXPECT_LT(runs.size(), 100);
  EXPECT_LE(bytes, 1000);
}

}  // namespace
}  // namespace xgrammar
