// TokenTrie: structure against a brute-force reading of the same tokens on random vocabularies,
// zero and high bytes in order, equal tokens on one node, and the time to build a large one.
//
// A token of a megabyte keeps its depth, one beyond the range is refused. How masks walk the trie
// is tests/cpp/mask.
#include "tokenizer/token_trie.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <random>
#include <set>
#include <string>

#include "support/error.h"

namespace xgrammar {
namespace {

// Reads all (bytes, ids) back by a walk over depths.
std::map<std::string, std::set<int32_t>> ReadBack(const TokenTrie& trie) {
  std::map<std::string, std::set<int32_t>> found;
  std::string path;
  for (uint32_t i = 0; i < trie.num_nodes(); ++i) {
    path.resize(trie.node(i).depth - 1);
    path.push_back(static_cast<char>(trie.node(i).byte));
    for (int32_t id : trie.tokens(i)) found[path].insert(id);
  }
  return found;
}

TokenTrie Build(const std::vector<std::string>& tokens) {
  std::vector<std::pair<std::string_view, int32_t>> pairs;
  for (size_t i = 0; i < tokens.size(); ++i) pairs.emplace_back(tokens[i], static_cast<int32_t>(i));
  return TokenTrie(std::move(pairs));
}

TEST(TokenTrie, EmptyVocabularyHasNoNodes) {
  EXPECT_EQ(Build({}).num_nodes(), 0u);
  EXPECT_EQ(TokenTrie().num_nodes(), 0u);
}

TEST(TokenTrie, EqualTokensShareANode) {
  const TokenTrie trie = Build({"ab", "a", "ab", "b", "abc"});
  ASSERT_EQ(trie.num_nodes(), 4u);  // a, ab, abc, b
  EXPECT_EQ(trie.tokens(1).size(), 2u);
  EXPECT_EQ(trie.tokens(1)[0], 0);
  EXPECT_EQ(trie.tokens(1)[1], 2);
  EXPECT_EQ(trie.node(0).subtree_end, 3u);
  EXPECT_EQ(trie.subtree_tokens(0).size(), 4u);
  EXPECT_EQ(trie.subtree_tokens(3).size(), 1u);
  EXPECT_EQ(trie.max_token_bytes(), 3u);
}

TEST(TokenTrie, ZeroBytesAndHighBytesAreOrdered) {
  const TokenTrie trie =
      Build({std::string("a\0", 2), "a", "\xFF", "\x7F", std::string("a\0\0b", 4)});
  const auto found = ReadBack(trie);
  EXPECT_EQ(found.size(), 5u);
  EXPECT_EQ(found.at(std::string("a\0\0b", 4)), std::set<int32_t>{4});
  EXPECT_EQ(trie.node(trie.num_nodes() - 1).byte, 0xFFu);
}

TEST(TokenTrie, RandomVocabulariesReadBack) {
  std::mt19937 random(7);
  for (int round = 0; round <= 200; ++round) {
    // The last round is large enough for the sort by buckets.
    std::vector<std::string> tokens(round < 200 ? random() % 60 : 20000);
    for (std::string& token : tokens) {
      token.resize(1 + random() % 12);
      for (char& c : token)
        c = static_cast<char>(random() % 3 == 0 ? random() % 256 : 'a' + random() % 2);
    }
    std::map<std::string, std::set<int32_t>> expected;
    for (size_t i = 0; i < tokens.size(); ++i) expected[tokens[i]].insert(static_cast<int32_t>(i));
    const TokenTrie trie = Build(tokens);
    EXPECT_EQ(ReadBack(trie), expected);
    for (uint32_t i = 0; i < trie.num_nodes(); ++i) {
      const uint32_t end = trie.node(i).subtree_end;
      ASSERT_GT(end, i);
      ASSERT_LE(end, trie.num_nodes());
      for (uint32_t k = i + 1; k < std::min(end, i + 100); ++k)
        ASSERT_GT(trie.node(k).depth, trie.node(i).depth);
      if (end < trie.num_nodes()) {
        ASSERT_LE(trie.node(end).depth, trie.node(i).depth);
      }
    }
  }
}

TEST(TokenTrie, APartIsTheTreeOfItsTokens) {
  std::mt19937 random(7);
  for (int round = 0; round < 30; ++round) {
    std::vector<std::string> tokens;
    for (int i = 0; i < 200; ++i) {
      std::string token(1 + random() % 4, '\0');
      for (char& c : token) c = static_cast<char>("ab\"\n\xC3\xA9\xE4\xBD"[random() % 8]);
      tokens.push_back(token);
    }
    const TokenTrie whole = Build(tokens);
    std::vector<TokenTrie::Pick> picks;
    std::vector<std::pair<std::string_view, int32_t>> left;
    for (uint32_t i = 0; i < whole.num_nodes();) {
      const bool is_taken = random() % 4 == 0;
      const uint32_t end = whole.node(i).subtree_end;
      while (!picks.empty() && !picks.back().with_subtree &&
             whole.node(picks.back().node).subtree_end <= i) {
        picks.pop_back();
      }
      picks.push_back({i, is_taken});
      if (is_taken) {
        for (int32_t id : whole.subtree_tokens(i)) left.emplace_back(tokens[size_t(id)], id);
      }
      i = is_taken ? end : i + 1;
    }
    while (!picks.empty() && !picks.back().with_subtree) picks.pop_back();
    const TokenTrie part(whole, picks);
    const TokenTrie expected(left);
    ASSERT_EQ(part.num_nodes(), expected.num_nodes());
    EXPECT_EQ(ReadBack(part), ReadBack(expected));
    EXPECT_EQ(part.max_token_bytes(), expected.max_token_bytes());
    for (uint32_t i = 0; i < part.num_nodes(); ++i) {
      EXPECT_EQ(part.node(i).subtree_end, expected.node(i).subtree_end);
      EXPECT_EQ(part.kinds_below(i), expected.kinds_below(i));
      EXPECT_EQ(part.height_below(i), expected.height_below(i));
      EXPECT_EQ(part.HasFan(i), expected.HasFan(i));
    }
  }
}

TEST(TokenTrie, ChildrenAreFoundByTheirBytes) {
  std::mt19937 random(11);
  std::vector<std::string> tokens(4000);
  for (std::string& token : tokens) {
    token.resize(1 + random() % 5);
    for (char& c : token)
      c = static_cast<char>(random() % 3 == 0 ? random() % 256 : 'a' + random() % 4);
  }
  const TokenTrie trie = Build(tokens);
  int with_fan = 0;
  int without_fan = 0;
  for (uint32_t parent = 0; parent < trie.num_nodes(); ++parent) {
    const uint32_t end = trie.node(parent).subtree_end;
    std::array<uint64_t, 4> wanted{};
    for (uint64_t& word : wanted) word = random() & (uint64_t{random()} << 32 | random());
    std::vector<uint32_t> expected;
    uint32_t num_children = 0;
    uint32_t height = 0;
    for (uint32_t i = parent + 1; i < end; ++i) {
      height = std::max<uint32_t>(height, trie.node(i).depth - trie.node(parent).depth);
      if (trie.node(i).depth != trie.node(parent).depth + 1) continue;
      ++num_children;
      const uint32_t byte = trie.node(i).byte;
      if (((wanted[byte >> 6] >> (byte & 63)) & 1) != 0) expected.push_back(i);
    }
    EXPECT_EQ(trie.height_below(parent), height);
    EXPECT_EQ(trie.HasFan(parent), num_children >= 8);
    ++(trie.HasFan(parent) ? with_fan : without_fan);
    if (num_children > 0) {
      EXPECT_TRUE(trie.IsAllChildren(parent + 1, end));
    }
    if (!trie.HasFan(parent)) continue;
    std::vector<uint32_t> found;
    trie.ForEachChild(parent, wanted, [&](uint32_t child) { found.push_back(child); });
    EXPECT_EQ(found, expected);
  }
  EXPECT_GT(with_fan, 10);
  EXPECT_GT(without_fan, 100);
}

TEST(TokenTrie, MegabyteTokenKeepsItsDepth) {
  const TokenTrie trie = Build({std::string(1 << 20, 'x'), "x", "xy"});
  EXPECT_EQ(trie.num_nodes(), (1u << 20) + 1);
  EXPECT_EQ(trie.node((1 << 20) - 1).depth, 1u << 20);
  EXPECT_EQ(trie.max_token_bytes(), 1u << 20);
  EXPECT_EQ(trie.height_below(0), 255u);
}

TEST(TokenTrie, TokenBeyondTheDepthRangeIsRefused) {
  const std::string huge(TokenTrie::kMaxTokenBytes + 1u, 'x');
  try {
    Build({huge});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kLimit);
  }
}

TEST(TokenTrie, QuarterMillionTokensBuildFast) {
  std::mt19937 random(1);
  std::vector<std::string> tokens(250000);
  for (std::string& token : tokens) {
    token.resize(1 + random() % 10);
    for (char& c : token) c = static_cast<char>('a' + random() % 26);
  }
  const auto start = std::chrono::steady_clock::now();
  const TokenTrie trie = Build(tokens);
  const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
  RecordProperty("milliseconds", std::to_string(ms.count()));
  std::printf("250k tokens, %u nodes: %.1f ms\n", trie.num_nodes(), ms.count());
  EXPECT_LT(ms.count(),
            2000.0);  // The target is 60 ms; sanitizer builds and loaded machines are slower.
}

}  // namespace
}  // namespace xgrammar
