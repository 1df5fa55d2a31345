// Threads on shared values: one compiled grammar, one compiler, one batch. Built for the thread
// sanitizer, and run in every other build too. Each test compares what threads get with what one
// thread gets alone; budgets are small, so that eviction and new generations happen while others
// read.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "compiler/grammar_compiler.h"
#include "matcher/batch.h"
#include "matcher/grammar_matcher.h"
#include "support/error.h"
#include "support/thread_pool.h"
#include "tokenizer/tokenizer_info.h"

namespace xgrammar {
namespace {

constexpr int kThreads = 6;
constexpr int kSteps = 60;

const char* const kSchema =
    R"({"type":"object","properties":{"a":{"type":"string","maxLength":6},"b":{"type":"array","items":{"type":"integer"}},)"
    R"("c":{"$ref":"#"}},"required":["a"]})";

TokenizerInfoPtr MakeTokenizer() {
  std::vector<std::string> vocab;
  for (int byte = 0; byte < 256; ++byte) vocab.emplace_back(1, static_cast<char>(byte));
  for (const char* text : {"{\"", "\":", "\", \"", "ab", "abc", "12", "]}", "}}", "</s>"})
    vocab.emplace_back(text);
  TokenizerOptions options;
  options.stop_token_ids = std::vector<int64_t>{static_cast<int64_t>(vocab.size()) - 1};
  return TokenizerInfo::Make(vocab, options);
}

size_t NumWords(const TokenizerInfoPtr& info) {
  return (static_cast<size_t>(info->vocab_size()) + 31) / 32;
}

/// Every mask of a walk that a seed decides; the same for everyone if masks are.
std::vector<int32_t> Walk(const CompiledGrammarPtr& compiled, uint32_t seed) {
  std::mt19937 random(seed);
  GrammarMatcher matcher(compiled, MatcherOptions{});
  const size_t num_words = NumWords(compiled->tokenizer_info());
  std::vector<int32_t> row(num_words);
  std::vector<int32_t> masks;
  for (int step = 0; step < kSteps && !matcher.IsTerminated(); ++step) {
    matcher.FillNextTokenBitmask(row);
    masks.insert(masks.end(), row.begin(), row.end());
    std::vector<int64_t> allowed;
    for (size_t token = 0; token < num_words * 32; ++token) {
      const auto word = static_cast<uint32_t>(row[token / 32]);
      if ((word >> (token % 32) & 1) != 0) allowed.push_back(static_cast<int64_t>(token));
    }
    if (allowed.empty()) break;
    const int64_t token = allowed[random() % allowed.size()];
    GrammarMatcher fork = matcher.Fork();
    EXPECT_TRUE(fork.AcceptToken(token));
    if (step % 7 == 3) {
      fork.Rollback(1);
      EXPECT_TRUE(fork.AcceptToken(token));
    }
    matcher = fork;
  }
  return masks;
}

template <typename Task>
void RunTogether(int count, const Task& task) {
  std::atomic<int> waiting{count};
  std::vector<std::thread> threads;
  for (int index = 0; index < count; ++index) {
    threads.emplace_back([&, index] {
      --waiting;
      while (waiting.load() > 0) std::this_thread::yield();
      task(index);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

CompiledGrammarPtr CompileAlone(const TokenizerInfoPtr& info, const Limits& limits) {
  CompilerOptions options;
  options.limits = limits;
  GrammarCompiler compiler(info, options);
  return compiler.CompileJsonSchema(kSchema, JsonSchemaOptions{});
}

void ExpectSameWalks(const Limits& limits) {
  const TokenizerInfoPtr info = MakeTokenizer();
  const CompiledGrammarPtr alone = CompileAlone(info, Limits{});
  const CompiledGrammarPtr shared = CompileAlone(info, limits);
  std::vector<std::vector<int32_t>> found(kThreads);
  RunTogether(kThreads, [&](int index) {
    found[static_cast<size_t>(index)] = Walk(shared, static_cast<uint32_t>(index));
  });
  for (int index = 0; index < kThreads; ++index) {
    EXPECT_EQ(found[static_cast<size_t>(index)], Walk(alone, static_cast<uint32_t>(index)))
        << index;
  }
}

TEST(ConcurrencyTest, MatchersDiscoverOneGrammarTogether) {
  for (int round = 0; round < 3; ++round) ExpectSameWalks(Limits{});
}

TEST(ConcurrencyTest, MasksAreEvictedWhileOthersReadThem) {
  Limits limits;
  limits.max_mask_bytes = 1 << 10;
  ExpectSameWalks(limits);
}

TEST(ConcurrencyTest, GenerationsEndWhileMatchersHoldThem) {
  const TokenizerInfoPtr info = MakeTokenizer();
  Limits limits;
  limits.max_state_bytes = 64 << 10;
  const CompiledGrammarPtr shared = CompileAlone(info, limits);
  const CompiledGrammarPtr alone = CompileAlone(info, Limits{});
  RunTogether(kThreads, [&](int index) {
    for (uint32_t round = 0; round < 8; ++round) {
      const uint32_t seed = static_cast<uint32_t>(index) * 100 + round;
      EXPECT_EQ(Walk(shared, seed), Walk(alone, seed));
    }
  });
}

TEST(ConcurrencyTest, EqualRequestsGiveOneGrammar) {
  const TokenizerInfoPtr info = MakeTokenizer();
  GrammarCompiler compiler(info, CompilerOptions{});
  std::vector<CompiledGrammarPtr> found(kThreads);
  RunTogether(kThreads, [&](int index) {
    found[static_cast<size_t>(index)] = compiler.CompileJsonSchema(kSchema, JsonSchemaOptions{});
  });
  for (const CompiledGrammarPtr& compiled : found) EXPECT_EQ(compiled, found.front());
}

TEST(ConcurrencyTest, CacheEvictsAndClearsWhileInUse) {
  const TokenizerInfoPtr info = MakeTokenizer();
  CompilerOptions options;
  options.cache_limit_bytes = 20000;
  GrammarCompiler compiler(info, options);
  RunTogether(kThreads, [&](int index) {
    for (int round = 0; round < 12; ++round) {
      const std::string letter(1, static_cast<char>('a' + (index + round) % 8));
      const CompiledGrammarPtr compiled =
          compiler.CompileEbnf("root ::= \"" + letter + "\" [0-9]{2,9}", "root");
      EXPECT_LE(compiler.CacheSizeBytes(), 20000);
      GrammarMatcher matcher(compiled, MatcherOptions{});
      EXPECT_TRUE(matcher.AcceptString(letter + "12"));
      if (round == index) compiler.ClearCache();
    }
  });
}

TEST(ConcurrencyTest, ErrorsReachEveryWaiter) {
  const TokenizerInfoPtr info = MakeTokenizer();
  GrammarCompiler compiler(info, CompilerOptions{});
  std::atomic<int> refused{0};
  RunTogether(kThreads, [&](int) {
    try {
      compiler.CompileEbnf("root ::= nothing", "root");
    } catch (const Error&) {
      ++refused;
    }
  });
  EXPECT_EQ(refused.load(), kThreads);
}

TEST(ConcurrencyTest, BatchEqualsSingle) {
  const TokenizerInfoPtr info = MakeTokenizer();
  const CompiledGrammarPtr compiled = CompileAlone(info, Limits{});
  const auto num_words = static_cast<int64_t>(NumWords(info));
  std::vector<GrammarMatcher> matchers;
  const std::string text = R"({"a":"xyz","b":[1,2)";
  for (size_t length = 0; length <= text.size(); ++length) {
    matchers.emplace_back(compiled, MatcherOptions{});
    EXPECT_TRUE(matchers.back().AcceptString(text.substr(0, length)));
  }
  std::vector<GrammarMatcher*> pointers;
  for (GrammarMatcher& matcher : matchers) pointers.push_back(&matcher);
  const auto num_rows = static_cast<int64_t>(matchers.size());
  std::vector<int32_t> bitmask(static_cast<size_t>(num_rows * num_words));
  ThreadPool pool(4);
  BatchFillNextTokenBitmask(pointers, bitmask.data(), num_rows, num_words, {}, &pool);
  std::vector<int32_t> row(static_cast<size_t>(num_words));
  for (size_t index = 0; index < matchers.size(); ++index) {
    matchers[index].FillNextTokenBitmask(row);
    const auto begin = bitmask.begin() + static_cast<ptrdiff_t>(index) * num_words;
    EXPECT_EQ(row, std::vector<int32_t>(begin, begin + num_words)) << index;
  }
}

}  // namespace
}  // namespace xgrammar
