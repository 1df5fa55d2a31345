// Draft trees: rows equal those of a matcher that takes the same path, on random trees too, and
// every malformed tree (loops, links out of range, arrays of unequal length) is refused before
// anything is written.
//
// The state of the matcher is the same afterwards, also when time runs out. Arrays of Python are
// checked in tests/python/test_matcher.py.
#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "matcher/grammar_matcher.h"
#include "matcher/matcher_fixtures.h"

namespace xgrammar {
namespace {

constexpr int32_t kUntouched = 0x12345678;

struct Tree {
  std::vector<int64_t> next;
  std::vector<int64_t> sibling;
  std::vector<int64_t> tokens;
};

class DraftTreeTest : public testing::Test {
 protected:
  // Ids: 2 a, 3 b, 4 ab, 5 (, 6 ).
  const TokenizerInfoPtr tokenizer_ = SmallTokenizer({"a", "b", "ab", "(", ")"});
  GrammarMatcher matcher_{Compile("root ::= \"(\" root \")\" | [ab]{1,4}", tokenizer_), {}};

  bool Traverse(const Tree& tree, std::vector<int32_t>* rows, double threshold = -1,
                int64_t stride = 1) {
    rows->assign(tree.tokens.size() * static_cast<size_t>(stride) + 1, kUntouched);
    return matcher_.TraverseDraftTree(tree.next, tree.sibling, tree.tokens, rows->data(), stride,
                                      threshold);
  }
  std::string Refusal(const Tree& tree) {
    std::vector<int32_t> rows;
    std::string text;
    EXPECT_EQ(KindOfError([&] { Traverse(tree, &rows); }, &text), ErrorKind::kUsage);
    for (int32_t word : rows) EXPECT_EQ(word, kUntouched);
    return text;
  }
};

TEST_F(DraftTreeTest, RowsFollowThePaths) {
  // Root, then "(" with children "a", ")"; sibling of "(": "ab".
  const Tree tree{{1, 2, -1, -1, -1}, {-1, 4, 3, -1, -1}, {99, 5, 2, 6, 4}};
  std::vector<int32_t> rows;
  const auto before = MaskIds(&matcher_);
  ASSERT_TRUE(Traverse(tree, &rows));
  EXPECT_EQ(BitsOf(std::span(rows).subspan(0, 1)), before);
  const auto expect = [&](size_t row, std::vector<int64_t> path) {
    GrammarMatcher fork = matcher_.Fork();
    for (int64_t token : path) ASSERT_TRUE(fork.AcceptToken(token));
    EXPECT_EQ(BitsOf(std::span(rows).subspan(row, 1)), MaskIds(&fork)) << row;
  };
  expect(1, {5});
  expect(2, {5, 2});
  EXPECT_EQ(rows[3], 0) << "rejected: an empty row";
  expect(4, {4});
  EXPECT_EQ(rows[5], kUntouched);
  EXPECT_EQ(MaskIds(&matcher_), before);
  EXPECT_EQ(matcher_.num_steps(), 0);
}

TEST_F(DraftTreeTest, BelowARejectedNodeNothingIsWritten) {
  const Tree tree{{1, 2, -1}, {-1, -1, -1}, {0, 6, 2}};
  std::vector<int32_t> rows;
  ASSERT_TRUE(Traverse(tree, &rows));
  EXPECT_EQ(rows[1], 0);
  EXPECT_EQ(rows[2], kUntouched);
}

TEST_F(DraftTreeTest, StopTokensAndOddIdsHaveEmptyRows) {
  const Tree tree{{1, 2, -1, -1, -1}, {-1, -1, 3, 4, -1}, {0, 2, 0, -5, int64_t{1} << 40}};
  std::vector<int32_t> rows;
  ASSERT_TRUE(Traverse(tree, &rows));
  EXPECT_NE(rows[1], 0);
  EXPECT_EQ(rows[2], 0);
  EXPECT_EQ(rows[3], 0);
  EXPECT_EQ(rows[4], 0);
}

TEST_F(DraftTreeTest, RandomTreesEqualForks) {
  std::mt19937 random(5);
  for (int round = 0; round < 100; ++round) {
    const size_t n = 1 + random() % 12;
    Tree tree{std::vector<int64_t>(n, -1), std::vector<int64_t>(n, -1), std::vector<int64_t>(n)};
    std::vector<size_t> parent(n, 0);
    for (int64_t& token : tree.tokens) token = static_cast<int64_t>(2 + random() % 5);
    for (size_t i = 1; i < n; ++i) {
      parent[i] = random() % i;
      int64_t* link = &tree.next[parent[i]];
      while (*link != -1) link = &tree.sibling[static_cast<size_t>(*link)];
      *link = static_cast<int64_t>(i);
    }
    std::vector<int32_t> rows;
    ASSERT_TRUE(Traverse(tree, &rows, -1, 1));
    std::vector<std::optional<GrammarMatcher>> states(n);
    states[0] = matcher_;
    for (size_t i = 1; i < n; ++i) {
      if (!states[parent[i]]) {
        EXPECT_EQ(rows[i], kUntouched);
        continue;
      }
      GrammarMatcher state = *states[parent[i]];
      if (!state.AcceptToken(tree.tokens[i])) {
        EXPECT_EQ(rows[i], 0);
        continue;
      }
      EXPECT_EQ(BitsOf(std::span(rows).subspan(i, 1)), MaskIds(&state));
      states[i] = state;
    }
  }
}

TEST_F(DraftTreeTest, StridesAreHonoured) {
  const Tree tree{{1, -1}, {-1, -1}, {0, 2}};
  std::vector<int32_t> rows;
  ASSERT_TRUE(Traverse(tree, &rows, -1, 3));
  EXPECT_NE(rows[0], kUntouched);
  EXPECT_EQ(rows[1], kUntouched);
  EXPECT_EQ(rows[2], kUntouched);
  EXPECT_NE(rows[3], kUntouched);
  EXPECT_EQ(rows[4], kUntouched);
}

TEST_F(DraftTreeTest, MalformedTreesAreRefused) {
  EXPECT_NE(Refusal({{2, -1}, {-1, -1}, {0, 2}}).find("retrieve_next_token[0] is 2"),
            std::string::npos);
  EXPECT_NE(Refusal({{-1, -1}, {-1, -7}, {0, 2}}).find("retrieve_next_sibling[1] is -7"),
            std::string::npos);
  EXPECT_NE(Refusal({{1, 0}, {-1, -1}, {0, 2}}).find("root"), std::string::npos);
  EXPECT_NE(Refusal({{1, -1, 1}, {-1, 2, -1}, {0, 2, 2}}).find("two links"), std::string::npos);
  Refusal({{1, -1}, {-1, 1}, {0, 2}});  // A node that is its own sibling.
  Refusal({{1}, {-1, -1}, {0, 2}});
  Refusal({{1, -1}, {-1}, {0, 2}});
}

TEST_F(DraftTreeTest, TheEmptyTreeIsNoWork) {
  std::vector<int32_t> rows;
  EXPECT_TRUE(Traverse({}, &rows));
  EXPECT_EQ(rows[0], kUntouched);
}

TEST_F(DraftTreeTest, ATerminatedMatcherHasOneEmptyRow) {
  ASSERT_TRUE(matcher_.AcceptToken(2) && matcher_.AcceptToken(0));
  std::vector<int32_t> rows;
  EXPECT_TRUE(Traverse({{1, -1}, {-1, -1}, {0, 2}}, &rows));
  EXPECT_EQ(rows[0], 0);
  EXPECT_EQ(rows[1], kUntouched);
}

TEST_F(DraftTreeTest, OutOfTimeLeavesTheMatcherAsItWas) {
  Tree tree;
  for (int64_t i = 0; i < 300; ++i) {
    tree.next.push_back(i + 1 < 300 ? i + 1 : -1);
    tree.sibling.push_back(-1);
    tree.tokens.push_back(5);
  }
  std::vector<int32_t> rows;
  const auto before = MaskIds(&matcher_);
  EXPECT_FALSE(Traverse(tree, &rows, 1e-12));
  EXPECT_EQ(MaskIds(&matcher_), before);
  EXPECT_TRUE(Traverse(tree, &rows, 600));
  EXPECT_TRUE(Traverse(tree, &rows, 0));
}

}  // namespace
}  // namespace xgrammar
