// LocalMaskCache: states alike share one mask, across automata and grammars; differences are chosen
// where a loop is near; a full cache starts over without hurting anyone.
//
// Threads that ask at once get one mask, and ids without text are known. That each mask is exact is
// local_mask_builder_test.cc.
#include "mask/local_mask_cache.h"

#include <gtest/gtest.h>

#include <thread>

#include "grammar/builder.h"
#include "mask/local_mask_builder.h"
#include "mask/mask_fixtures.h"

namespace xgrammar {
namespace {

std::set<int32_t> Inside(const LocalMask& mask, const TokenizerInfo& tokenizer) {
  std::vector<uint32_t> row = MakeRow(tokenizer, 0u);
  mask.AddTo(row, true, CopyBounds::kManyCopies);
  return BitsOf(row);
}

std::vector<std::string> Words() {
  std::vector<std::string> vocab;
  for (char c = ' '; c <= '~'; ++c) vocab.emplace_back(1, c);
  for (const char* text :
       {"key", "ke", "keys", "kez", "yes", "abc", "a\"", "ke\"", "key\"", "\":"}) {
    vocab.emplace_back(text);
  }
  return vocab;
}

TEST(LocalMaskCache, StatesThatReachTheSameShareAMask) {
  const auto tokenizer = MakeTokenizer(Words());
  LocalMaskCache cache(tokenizer);
  LocalMaskBuilder builder(*tokenizer, cache.kind_masks());
  const ByteDfaPtr short_one = FoldedDfa("root ::= \"x\" [a-z]* \"!\"");
  const ByteDfaPtr long_one = FoldedDfa("root ::= \"yyy\" [a-z]* \"!\"");
  ASSERT_NE(short_one, long_one);
  const auto a = cache.Get(short_one, short_one->Next(0, 'x'), false, &builder);
  uint32_t state = 0;
  for (int i = 0; i < 3; ++i) state = long_one->Next(state, 'y');
  EXPECT_EQ(cache.Get(long_one, state, false, &builder), a);
  EXPECT_EQ(cache.Get(short_one, short_one->Next(0, 'x'), false, &builder), a);
  EXPECT_NE(cache.Get(short_one, 0, false, &builder), a);
  EXPECT_NE(cache.Get(short_one, short_one->Next(0, 'x'), true, &builder), a)
      << "a copy goes on at the start";
}

TEST(LocalMaskCache, NearALoopAMaskIsADifference) {
  const auto tokenizer = MakeTokenizer(Words());
  LocalMaskCache cache(tokenizer);
  LocalMaskBuilder mask_builder(*tokenizer, cache.kind_masks());
  // A string body in which one word is forbidden: [^"]* but not "key".
  CodePointNfa loop;
  loop.AddState();
  loop.AddEdge(0, CodePointSet({{' ', '!'}, {'#', '~'}}), 0);
  loop.SetAccept(0);
  CodePointNfa word;
  for (int i = 0; i < 4; ++i) word.AddState();
  for (int i = 0; i < 3; ++i)
    word.AddEdge(i, CodePointSet::Single(static_cast<uint32_t>("key"[i])), i + 1);
  word.SetAccept(3);
  GrammarBuilder builder;
  const RuleId root = builder.AddRule("root", RuleKind::kLexeme);
  builder.SetBody(root, builder.AddSequence(
                            {builder.AddAutomaton(std::make_shared<const CodePointDfa>(Intersect(
                                 Determinize(loop, 10), Complement(Determinize(word, 10)), 100))),
                             builder.AddByteString("\"")}));
  DfaCache dfas;
  UnitTable units(builder.Build(root), &dfas, nullptr);
  const ByteDfaPtr dfa = units.Get(units.root()).dfa;
  ASSERT_NE(dfa, nullptr);
  const auto start = cache.Get(dfa, 0, false, &mask_builder);
  EXPECT_NE(start->base(), nullptr);
  const auto plain = cache.Get(dfa, dfa->Next(0, 'a'), false, &mask_builder);
  EXPECT_EQ(plain->base(), nullptr);
  EXPECT_EQ(start->base(), plain.get());
  std::set<int32_t> expected = Inside(*plain, *tokenizer);
  expected.erase(95 + 8);  // key" is forbidden, ke" and a" are not.
  EXPECT_EQ(Inside(*start, *tokenizer), expected);
}

TEST(LocalMaskCache, AFullCacheStartsOver) {
  const auto tokenizer = MakeTokenizer(Words());
  LocalMaskCache small(tokenizer, 6000);
  LocalMaskCache large(tokenizer);
  LocalMaskBuilder builder(*tokenizer);
  std::vector<std::pair<std::shared_ptr<const LocalMask>, std::set<int32_t>>> held;
  for (int i = 0; i < 60; ++i) {
    const ByteDfaPtr dfa =
        FoldedDfa("root ::= [a-" + std::string(1, static_cast<char>('b' + i % 24)) + "]{" +
                  std::to_string(1 + i / 24) + ",} \"" + static_cast<char>('A' + i % 26) + "\"");
    if (dfa == nullptr) continue;
    const auto mask = small.Get(dfa, 0, false, &builder);
    const auto expected = Inside(*large.Get(dfa, 0, false, &builder), *tokenizer);
    EXPECT_EQ(Inside(*mask, *tokenizer), expected);
    EXPECT_LE(small.SizeBytes(), 6000);
    held.emplace_back(mask, expected);
  }
  ASSERT_GT(held.size(), 20u);
  for (const auto& [mask, expected] : held) EXPECT_EQ(Inside(*mask, *tokenizer), expected);
  large.Clear();
  EXPECT_EQ(large.SizeBytes(), 0);
}

TEST(LocalMaskCache, KnowsWhichIdsHaveText) {
  LocalMaskCache cache(MakeTokenizer({"a", "", "</s>", "m"}, {2}, {3}));
  EXPECT_TRUE(cache.text_tokens().Contains(0));
  EXPECT_FALSE(cache.text_tokens().Contains(1));
  EXPECT_TRUE(cache.text_tokens().Contains(2));
  EXPECT_TRUE(cache.text_tokens().Contains(3));
  EXPECT_FALSE(cache.text_tokens().Contains(4));
  EXPECT_FALSE(cache.text_tokens().Contains(-1));
  EXPECT_FALSE(cache.text_tokens().Contains(1 << 30));
}

TEST(LocalMaskCache, ThreadsGetOneMask) {
  const auto tokenizer = MakeTokenizer(Words());
  LocalMaskCache cache(tokenizer);
  const ByteDfaPtr dfa = FoldedDfa("root ::= [a-z]+ \",\" [0-9]* \"!\"");
  std::vector<std::vector<const LocalMask*>> found(6);
  std::vector<std::thread> threads;
  for (auto& masks : found) {
    threads.emplace_back([&] {
      LocalMaskBuilder builder(*tokenizer, cache.kind_masks());
      for (uint32_t s = 0; s < dfa->num_states(); ++s)
        masks.push_back(cache.Get(dfa, s, false, &builder).get());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& masks : found) EXPECT_EQ(masks, found[0]);
}

}  // namespace
}  // namespace xgrammar
