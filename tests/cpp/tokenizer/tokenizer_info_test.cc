// TokenizerInfo: which ids are stop, special and ordinary tokens, given or detected by text, padded
// ids, sizes that are refused, and a fingerprint that sees every part.
//
// Parts that are built lazily are built once across threads. Decoding of texts is vocab_test.cc;
// what is read from Hugging Face is Python's: tests/python/test_huggingface.py.
#include "tokenizer/tokenizer_info.h"

#include <gtest/gtest.h>

#include <thread>

#include "support/error.h"

namespace xgrammar {
namespace {

using Ids = std::vector<int32_t>;

ErrorKind KindOf(const std::vector<std::string>& vocab, const TokenizerOptions& options) {
  try {
    TokenizerInfo::Make(vocab, options);
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::kInternal;
}

TEST(TokenizerInfo, StopTokensAreDetectedByText) {
  const auto info =
      TokenizerInfo::Make({"<s>", "</s>", "a", "<|endoftext|>", "</s>", "<|im_end|>"}, {});
  EXPECT_EQ(info->stop_token_ids(), (Ids{1, 3, 4}));
  EXPECT_TRUE(info->special_token_ids().empty());
}

TEST(TokenizerInfo, StopTokensAreDetectedByEncodedText) {
  TokenizerOptions options;
  options.vocab_type = VocabType::kByteFallback;
  const auto info = TokenizerInfo::Make({"<\xEF\xBD\x9C"
                                         "end\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>",
                                         "x"},
                                        options);
  EXPECT_EQ(info->stop_token_ids(), Ids{0});
}

TEST(TokenizerInfo, GivenStopTokensAreSortedAndPaddedIdsKept) {
  TokenizerOptions options;
  options.vocab_size = 6;
  options.stop_token_ids = std::vector<int64_t>{5, 1, 1, 6, -1, 1LL << 40};
  const auto info = TokenizerInfo::Make({"</s>", "b", "", "d"}, options);
  EXPECT_EQ(info->stop_token_ids(), (Ids{1, 5}));
  EXPECT_EQ(info->dropped_stop_token_ids(), (std::vector<int64_t>{6, -1, 1LL << 40}));
  EXPECT_EQ(info->special_token_ids(), (Ids{2, 4}));
  EXPECT_TRUE(info->IsStopToken(5));
  EXPECT_FALSE(info->IsStopToken(0));
  EXPECT_TRUE(info->IsSpecialToken(4));
  EXPECT_FALSE(info->IsSpecialToken(5));
}

TEST(TokenizerInfo, ExplicitEmptyStopListMeansNone) {
  TokenizerOptions options;
  options.stop_token_ids = std::vector<int64_t>{};
  EXPECT_TRUE(TokenizerInfo::Make({"</s>"}, options)->stop_token_ids().empty());
}

TEST(TokenizerInfo, NamedSpecialTokensLeaveTheTrie) {
  TokenizerOptions options;
  options.special_token_ids = {0, 3};
  const auto info = TokenizerInfo::Make({"<s>", "a", "", "</s>", "b", "a"}, options);
  EXPECT_EQ(info->stop_token_ids(), Ids{3});
  EXPECT_EQ(info->special_token_ids(), (Ids{0, 2}));
  const TokenTrie& trie = info->trie();
  ASSERT_EQ(trie.num_nodes(), 2u);
  EXPECT_EQ(trie.tokens(0).size(), 2u);
  EXPECT_EQ(trie.tokens(1)[0], 4);
}

TEST(TokenizerInfo, BadSizesAreTypedErrors) {
  TokenizerOptions options;
  options.vocab_size = 1;
  EXPECT_EQ(KindOf({"a", "b"}, options), ErrorKind::kUsage);
  options.vocab_size = -1;
  EXPECT_EQ(KindOf({"a"}, options), ErrorKind::kUsage);
  options.vocab_size = kMaxVocabSize + 1;
  EXPECT_EQ(KindOf({"a"}, options), ErrorKind::kLimit);
  options.vocab_size = 2;
  options.special_token_ids = {2};
  EXPECT_EQ(KindOf({"a"}, options), ErrorKind::kValue);
}

TEST(TokenizerInfo, EmptyVocabulary) {
  const auto info = TokenizerInfo::Make({}, {});
  EXPECT_EQ(info->vocab_size(), 0);
  EXPECT_EQ(info->trie().num_nodes(), 0u);
}

TEST(TokenizerInfo, FingerprintSeesEveryPart) {
  const auto base = TokenizerInfo::Make({"a", "b"}, {});
  EXPECT_EQ(base->fingerprint(), TokenizerInfo::Make({"a", "b"}, {})->fingerprint());
  EXPECT_EQ(base->fingerprint().size(), 32u);
  EXPECT_NE(base->fingerprint(), TokenizerInfo::Make({"ab"}, {})->fingerprint());
  EXPECT_NE(base->fingerprint(), TokenizerInfo::Make({"ab", ""}, {})->fingerprint());
  EXPECT_NE(base->fingerprint(), TokenizerInfo::Make({"b", "a"}, {})->fingerprint());
  TokenizerOptions options;
  options.special_token_ids = {1};
  EXPECT_NE(base->fingerprint(), TokenizerInfo::Make({"a", "b"}, options)->fingerprint());
}

TEST(TokenizerInfo, LazyPartsAreBuiltOnceAcrossThreads) {
  const auto info = TokenizerInfo::Make(std::vector<std::string>(2000, "abc"), {});
  std::vector<std::thread> threads;
  std::vector<const TokenTrie*> tries(4);
  for (size_t i = 0; i < tries.size(); ++i) {
    threads.emplace_back([&, i] {
      tries[i] = &info->trie();
      EXPECT_EQ(info->fingerprint().size(), 32u);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const TokenTrie* trie : tries) EXPECT_EQ(trie, tries[0]);
  EXPECT_GT(info->MemorySizeBytes(), 2000);
}

}  // namespace
}  // namespace xgrammar
