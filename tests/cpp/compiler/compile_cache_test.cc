// CompileCache: least recently used out first, one flight for equal requests, errors for all who
// wait and none kept, sizes that stay exact while grammars grow, and no lock held while compiling.
//
// Requests that are given up or run out of time fail alone: another one takes over. Threads hammer
// a cache that evicts all the time. Which requests are equal is grammar_compiler_test.cc.
#include "compiler/compile_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "frontend/ebnf/parser.h"
#include "support/error.h"
#include "support/work_meter.h"

namespace xgrammar {
namespace {

class CompileCacheTest : public testing::Test {
 protected:
  CompiledGrammarPtr Compile(const std::string& ebnf = "root ::= \"a\"") {
    ++compiled_;
    return CompiledGrammar::Make(ParseEbnf(ebnf), tokenizer_, local_masks_, Limits{});
  }
  std::function<CompiledGrammarPtr()> Compiling(const std::string& ebnf = "root ::= \"a\"") {
    return [this, ebnf] { return Compile(ebnf); };
  }

  const TokenizerInfoPtr tokenizer_ = TokenizerInfo::Make({"a", "b"}, {});
  const std::shared_ptr<LocalMaskCache> local_masks_ = std::make_shared<LocalMaskCache>(tokenizer_);
  std::atomic<int> compiled_{0};
};

TEST_F(CompileCacheTest, EqualKeysCompileOnce) {
  CompileCache cache(true, -1);
  const auto a = cache.GetOrCompile("k", Compiling());
  EXPECT_EQ(cache.GetOrCompile("k", Compiling()), a);
  EXPECT_NE(cache.GetOrCompile("l", Compiling()), a);
  EXPECT_EQ(compiled_, 2);
  EXPECT_GT(cache.SizeBytes(), 2 * a->MemorySizeBytes());
}

TEST_F(CompileCacheTest, SwitchedOffNothingIsKept) {
  CompileCache cache(false, -1);
  EXPECT_NE(cache.GetOrCompile("k", Compiling()), cache.GetOrCompile("k", Compiling()));
  EXPECT_EQ(compiled_, 2);
  EXPECT_EQ(cache.SizeBytes(), 0);
}

TEST_F(CompileCacheTest, ClearingForgets) {
  CompileCache cache(true, -1);
  const auto a = cache.GetOrCompile("k", Compiling());
  cache.Clear();
  EXPECT_EQ(cache.SizeBytes(), 0);
  EXPECT_NE(cache.GetOrCompile("k", Compiling()), a);
}

TEST_F(CompileCacheTest, TheLeastRecentlyUsedGoesFirst) {
  CompileCache probe(true, -1);
  probe.GetOrCompile("a", Compiling());
  const int64_t one = probe.SizeBytes();
  CompileCache cache(true, 3 * one + one / 2);  // Room for three.
  for (const char* key : {"a", "b", "c"}) cache.GetOrCompile(key, Compiling());
  cache.GetOrCompile("a", Compiling());
  EXPECT_EQ(compiled_, 4);
  cache.GetOrCompile("d", Compiling());  // b goes.
  EXPECT_LE(cache.SizeBytes(), cache.limit_bytes());
  for (const char* key : {"a", "c", "d"}) cache.GetOrCompile(key, Compiling());
  EXPECT_EQ(compiled_, 5);
  cache.GetOrCompile("b", Compiling());
  EXPECT_EQ(compiled_, 6);
  EXPECT_LE(cache.SizeBytes(), cache.limit_bytes());
}

TEST_F(CompileCacheTest, WhatDoesNotFitIsReturnedAndNotKept) {
  CompileCache cache(true, 0);
  const auto a = cache.GetOrCompile("k", Compiling());
  EXPECT_NE(a, nullptr);
  EXPECT_EQ(cache.SizeBytes(), 0);
  cache.GetOrCompile("k", Compiling());
  EXPECT_EQ(compiled_, 2);
}

TEST_F(CompileCacheTest, EntriesThatGrowAreEvicted) {
  CompileCache cache(true, -1);
  const auto small =
      cache.GetOrCompile("k", Compiling("root ::= [a-z] root | \"(\" root \")\" | \"\""));
  CompileCache bounded(true, cache.SizeBytes() + 3000);
  const auto grown =
      bounded.GetOrCompile("k", Compiling("root ::= [a-z] root | \"(\" root \")\" | \"\""));
  EXPECT_GT(bounded.SizeBytes(), 0);
  auto generation = grown->generation();
  SetId set = generation->parser.start();
  for (int i = 0; i < 3000; ++i) set = generation->parser.Next(set, '(');
  EXPECT_EQ(bounded.SizeBytes(), 0);
  EXPECT_NE(set, kDeadSet);  // Who uses it still has it.
}

TEST_F(CompileCacheTest, EqualConcurrentRequestsCompileOnce) {
  CompileCache cache(true, -1);
  std::atomic<int> waiting{0};
  const auto slow = [&] {
    while (waiting.load() < 8) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return Compile();
  };
  std::vector<CompiledGrammarPtr> results(8);
  std::vector<std::thread> threads;
  for (auto& result : results) {
    threads.emplace_back([&] {
      ++waiting;
      result = cache.GetOrCompile("k", slow);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(compiled_, 1);
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

TEST_F(CompileCacheTest, ErrorsReachEveryoneAndAreNotKept) {
  CompileCache cache(true, -1);
  std::atomic<int> waiting{0};
  std::atomic<int> calls{0};
  std::atomic<int> errors{0};
  const auto failing = [&]() -> CompiledGrammarPtr {
    ++calls;
    while (waiting.load() < 8) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    throw Error(ErrorKind::kGrammarSyntax, "broken");
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      ++waiting;
      try {
        cache.GetOrCompile("k", failing);
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::kGrammarSyntax && error.message() == "broken") ++errors;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(errors, 8);
  EXPECT_LT(calls, 8) << "those who waited share the error";
  EXPECT_EQ(cache.SizeBytes(), 0);
  EXPECT_NE(cache.GetOrCompile("k", Compiling()), nullptr);
}

// A request that runs out of its own budget is no answer to those who wait for the same source.
TEST_F(CompileCacheTest, WhoeverIsGivenUpFailsAlone) {
  CompileCache cache(true, -1);
  std::atomic<int> calls{0};
  std::atomic<int> given_up{0};
  std::atomic<int> compiled{0};
  const auto first_gives_up = [&]() -> CompiledGrammarPtr {
    if (calls.fetch_add(1) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      throw Error(ErrorKind::kBudget, "out of time");
    }
    return Compile();
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      try {
        cache.GetOrCompile("k", first_gives_up);
        ++compiled;
      } catch (const Error&) {
        ++given_up;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(given_up, 1);
  EXPECT_EQ(compiled, 5);
  EXPECT_EQ(calls, 2);
}

TEST_F(CompileCacheTest, WaitingCountsTowardsTheTimeOfTheOneWhoWaits) {
  CompileCache cache(true, -1);
  std::atomic<bool> started{false};
  std::atomic<bool> go_on{false};
  std::thread slow([&] {
    cache.GetOrCompile("k", [&] {
      started = true;
      while (!go_on.load()) std::this_thread::yield();
      return Compile();
    });
  });
  while (!started.load()) std::this_thread::yield();
  Limits limits;
  limits.max_compile_ms = 20;
  ErrorKind kind = ErrorKind::kInternal;
  try {
    const WorkScope scope(limits);
    cache.GetOrCompile("k", Compiling());
  } catch (const Error& error) {
    kind = error.kind();
  }
  go_on = true;
  slow.join();
  EXPECT_EQ(kind, ErrorKind::kBudget);
  EXPECT_EQ(compiled_, 1);
}

TEST_F(CompileCacheTest, CountsWhatItDid) {
  CompileCache probe(true, -1);
  probe.GetOrCompile("a", Compiling());
  CompileCache cache(true, 2 * probe.SizeBytes() + 10);
  for (const char* key : {"a", "b", "a", "c", "c", "b"}) cache.GetOrCompile(key, Compiling());
  const CompileCache::Statistics statistics = cache.statistics();
  EXPECT_EQ(statistics.hits, 2);
  EXPECT_EQ(statistics.misses, 4);
  EXPECT_EQ(statistics.joined, 0);
  EXPECT_EQ(statistics.evictions, 2);
  EXPECT_EQ(statistics.entries, 2);
  EXPECT_EQ(statistics.bytes, cache.SizeBytes());
  EXPECT_EQ(statistics.bytes, 2 * probe.SizeBytes());
}

/// The size is the sum over the entries, while they grow, when they are dropped and after that.
TEST_F(CompileCacheTest, TheSizeIsExactWhateverGrows) {
  const auto nested = [this] { return Compile("root ::= [a-z] root | \"(\" root \")\" | \"\""); };
  CompileCache cache(true, -1);
  const auto a = cache.GetOrCompile("a", nested);
  const auto b = cache.GetOrCompile("b", nested);
  const int64_t overhead = cache.SizeBytes() - a->MemorySizeBytes() - b->MemorySizeBytes();
  std::vector<std::thread> threads;
  for (const auto& compiled : {a, b, a}) {
    threads.emplace_back([compiled] {
      auto generation = compiled->generation();
      SetId set = generation->parser.start();
      for (int i = 0; i < 2000; ++i) set = generation->parser.Next(set, '(');
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(a->MemorySizeBytes(), 20000);
  EXPECT_EQ(cache.SizeBytes() - a->MemorySizeBytes() - b->MemorySizeBytes(), overhead);
  cache.Clear();
  EXPECT_EQ(cache.SizeBytes(), 0);
  a->generation()->parser.Next(a->generation()->parser.start(), 'x');
  EXPECT_EQ(cache.SizeBytes(), 0) << "what was dropped no longer counts";
  const auto again = cache.GetOrCompile("a", nested);
  EXPECT_LT(cache.SizeBytes(), a->MemorySizeBytes());
}

TEST_F(CompileCacheTest, ACallDoesNotVisitAllEntries) {
  // That many calls with that many entries end in time only if a call costs O(1).
  CompileCache cache(true, int64_t{1} << 40);
  for (int i = 0; i < 2000; ++i) cache.GetOrCompile(std::to_string(i), Compiling());
  for (int i = 0; i < 300000; ++i) cache.GetOrCompile(std::to_string(i % 2000), Compiling());
  EXPECT_EQ(cache.statistics().hits, 300000);
}

TEST_F(CompileCacheTest, OtherRequestsDoNotWait) {
  CompileCache cache(true, -1);
  std::atomic<bool> go_on{false};
  std::thread slow([&] {
    cache.GetOrCompile("slow", [&] {
      while (!go_on.load()) std::this_thread::yield();
      return Compile();
    });
  });
  // Would never return if a lock were held while the other compiles.
  EXPECT_NE(cache.GetOrCompile("fast", Compiling()), nullptr);
  cache.Clear();
  go_on = true;
  slow.join();
  EXPECT_EQ(compiled_, 2);
}

TEST_F(CompileCacheTest, ThreadsUnderEvictionGetRightGrammars) {
  CompileCache probe(true, -1);
  probe.GetOrCompile("a", Compiling());
  CompileCache cache(true, 2 * probe.SizeBytes());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 60; ++i) {
        const char letter = static_cast<char>('a' + (i * 7 + t) % 5);
        const std::string key(1, letter);
        const auto compiled = cache.GetOrCompile(key, Compiling("root ::= \"" + key + "\""));
        auto generation = compiled->generation();
        if (generation->parser.set(generation->parser.start()).first.First() != letter) ++wrong;
        if (i % 20 == 7) cache.Clear();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(cache.SizeBytes(), cache.limit_bytes());
}

}  // namespace
}  // namespace xgrammar
