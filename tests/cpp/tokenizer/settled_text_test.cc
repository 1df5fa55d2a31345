// SettledSize: how much of a text no later token can change, against a search over the tokens
// themselves on random vocabularies and texts.
//
// Used for jump-forward; which tokens a real tokenizer writes for the settled part is
// tests/python/test_jump_forward.py.
#include "tokenizer/settled_text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace xgrammar {
namespace {

TokenTrie Build(const std::vector<std::string>& tokens) {
  std::vector<std::pair<std::string_view, int32_t>> pairs;
  for (size_t i = 0; i < tokens.size(); ++i) pairs.emplace_back(tokens[i], static_cast<int32_t>(i));
  return TokenTrie(std::move(pairs));
}

size_t BySearch(const std::vector<std::string>& tokens, const std::string& text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string suffix = text.substr(i);
    for (const std::string& token : tokens) {
      if (token.size() > suffix.size() && token.starts_with(suffix)) return i;
    }
  }
  return text.size();
}

TEST(SettledSize, EndsWhereALongerTokenMayBegin) {
  const std::vector<std::string> tokens = {"a", "b", "abc", "\"", "\":\"", "\"\""};
  const TokenTrie trie = Build(tokens);
  EXPECT_EQ(SettledSize(trie, ""), 0u);
  EXPECT_EQ(SettledSize(trie, "bb"), 2u);      // No token goes on after b.
  EXPECT_EQ(SettledSize(trie, "ba"), 1u);      // abc
  EXPECT_EQ(SettledSize(trie, "bab"), 1u);     // abc
  EXPECT_EQ(SettledSize(trie, "babc"), 4u);    // abc is whole, and c begins nothing.
  EXPECT_EQ(SettledSize(trie, "a\":\""), 3u);  // The last quote may be the first of two.
  EXPECT_EQ(SettledSize(TokenTrie(), "ab"), 2u);
}

TEST(SettledSize, AgreesWithASearch) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const auto make = [&random](size_t longest) {
      std::string text(random() % (longest + 1), 'a');
      for (char& c : text) c = static_cast<char>('a' + random() % 3);
      return text;
    };
    std::vector<std::string> tokens;
    for (int i = 0; i < 8; ++i) tokens.push_back("c" + make(4));
    const TokenTrie trie = Build(tokens);
    for (int i = 0; i < 20; ++i) {
      const std::string text = make(9);
      EXPECT_EQ(SettledSize(trie, text), BySearch(tokens, text)) << text;
    }
  }
}

}  // namespace
}  // namespace xgrammar
