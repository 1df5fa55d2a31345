// WordIndex: which tokens are made of which kinds, and where texts of them go on with others,
// against the definition, for every set of kinds.
//
// What masks make of it is tests/cpp/mask/local_mask_builder_test.cc.
#include "tokenizer/word_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xgrammar {
namespace {

bool IsOfKinds(std::string_view text, const std::array<uint64_t, 4>& bytes) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    const auto byte = static_cast<uint8_t>(c);
    return (bytes[byte >> 6] >> (byte & 63) & 1) != 0;
  });
}

std::vector<std::string> Texts() {
  std::vector<std::string> texts{"a",   "ab",        "aB",  "Ab1",     "A_b",     "a-b", "a.b",
                                 "7",   "42",        "a b", " a",      " aB",     " a_", "a(",
                                 "a(b", "a\xC3\xA9", "\n",  "(",       " return", "_",   "-",
                                 ".",   "x86",       "ab",  "a.b.c()", "z9Z"};
  // More than a quarter of the words of 32 ids: kept as bits.
  for (char c = 'b'; c <= 'y'; ++c) texts.push_back(std::string(3, c));
  return texts;
}

/// The tree's bytes up to a node, by what one token below it spells.
std::string TextOf(const TokenTrie& trie, const std::vector<std::string>& texts, uint32_t node) {
  const auto id = static_cast<size_t>(trie.subtree_tokens(node)[0]);
  return texts[id].substr(0, trie.node(node).depth);
}

void Compare(const TokenTrie& trie, const std::vector<std::string>& texts, uint32_t begin,
             uint32_t end, size_t skipped) {
  const WordIndex index(trie, begin, end, static_cast<int32_t>(texts.size()));
  for (uint32_t kinds = 0; kinds < 1u << WordIndex::kNumKinds; ++kinds) {
    const auto set = static_cast<WordIndex::Kinds>(kinds);
    const std::array<uint64_t, 4> bytes = WordIndex::BytesOf(set);
    EXPECT_EQ(WordIndex::KindsWithin(bytes), set);
    std::vector<uint32_t> words((texts.size() + 31) / 32, 0);
    std::vector<uint32_t> expected = words;
    index.AddTokens(set, words);
    size_t num = 0;
    std::vector<uint32_t> expected_nodes;
    for (uint32_t node = begin; node < end; ++node) {
      const std::string text = TextOf(trie, texts, node).substr(skipped);
      const std::string before = text.substr(0, text.size() - 1);
      if (IsOfKinds(before, bytes) && !IsOfKinds(text, bytes)) expected_nodes.push_back(node);
      if (!IsOfKinds(text, bytes)) continue;
      for (int32_t id : trie.tokens(node)) {
        ++num;
        expected[static_cast<size_t>(id) >> 5] |= 1u << (id & 31);
      }
    }
    EXPECT_EQ(words, expected) << kinds;
    EXPECT_EQ(index.NumTokens(set), num) << kinds;
    std::vector<uint32_t> nodes;
    index.ForEachLeaving(set, [&](uint32_t node) { nodes.push_back(node); });
    std::sort(nodes.begin(), nodes.end());
    EXPECT_EQ(nodes, expected_nodes) << kinds;
  }
}

TokenTrie TreeOf(const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string_view, int32_t>> tokens;
  for (size_t i = 0; i < texts.size(); ++i) tokens.emplace_back(texts[i], static_cast<int32_t>(i));
  return TokenTrie(std::move(tokens));
}

TEST(WordIndex, OfTheWholeTree) {
  const std::vector<std::string> texts = Texts();
  const TokenTrie trie = TreeOf(texts);
  Compare(trie, texts, 0, trie.num_nodes(), 0);
}

TEST(WordIndex, BelowANode) {
  const std::vector<std::string> texts = Texts();
  const TokenTrie trie = TreeOf(texts);
  for (uint32_t node = 0; node < trie.num_nodes(); ++node) {
    if (trie.node(node).subtree_end - node < 3) continue;
    Compare(trie, texts, node + 1, trie.node(node).subtree_end, trie.node(node).depth);
  }
}

TEST(WordIndex, OfNothing) {
  const WordIndex index;
  EXPECT_EQ(index.NumTokens(0x7F), 0u);
  std::vector<uint32_t> words(1, 0);
  index.AddTokens(0x7F, words);
  EXPECT_EQ(words[0], 0u);
  EXPECT_EQ(WordIndex::KindsWithin({}), 0);
}

}  // namespace
}  // namespace xgrammar
