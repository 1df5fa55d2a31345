// Threads over one compiled grammar: whoever comes first, the masks are those that one thread gets
// alone. Budgets are small, so that generations end and masks are not kept while others read.
//
// Batches are compared with matchers filled one by one. Run under the thread sanitizer by CI; here
// without it only results are compared.
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <random>
#include <thread>

#include "matcher/batch.h"
#include "matcher/grammar_matcher.h"
#include "matcher/matcher_fixtures.h"

namespace xgrammar {
namespace {

constexpr int kThreads = 6;
constexpr int kSteps = 40;

const char* const kGrammar =
    "root ::= value\nvalue ::= \"[\" (value (\",\" value)*)? \"]\" | \"\\\"\" [a-z]{0,9} \"\\\"\" "
    "| [0-9]{1,3} | key\n"
    "key ::= \"<e>\" value | key \"!\" | \"k\" key \"k\" | \"x\"";

TokenizerInfoPtr Tokenizer() {
  return SmallTokenizer({"[",   "]",     ",", "\"", "a", "b",  "ab", "abc", "1",    "22",
                         "],[", "\",\"", "k", "x",  "!", "kx", "<",  "e>",  "[[\"", "\"]"});
}

/// Masks along the walk that a seed decides.
std::vector<std::set<int32_t>> Walk(const CompiledGrammarPtr& compiled, uint32_t seed) {
  std::mt19937 random(seed);
  GrammarMatcher matcher(compiled, {});
  std::vector<std::set<int32_t>> masks;
  for (int step = 0; step < kSteps && !matcher.IsTerminated(); ++step) {
    masks.push_back(MaskIds(&matcher));
    if (masks.back().empty()) break;
    auto it = masks.back().begin();
    std::advance(it, static_cast<ptrdiff_t>(random() % masks.back().size()));
    GrammarMatcher fork = matcher.Fork();
    EXPECT_TRUE(matcher.AcceptToken(*it));
    if (step % 5 == 2) {
      matcher.Rollback(1);
      EXPECT_TRUE(matcher.AcceptToken(*it));
    }
    EXPECT_TRUE(fork.AcceptToken(*it));
  }
  return masks;
}

void CompareWithOneThread(const Limits& limits) {
  const auto tokenizer = Tokenizer();
  std::vector<std::vector<std::set<int32_t>>> expected;
  const auto alone = Compile(kGrammar, tokenizer);
  for (uint32_t seed = 0; seed < 12; ++seed) expected.push_back(Walk(alone, seed));
  for (int round = 0; round < 5; ++round) {
    const auto shared = Compile(kGrammar, tokenizer, limits);
    std::atomic<int> waiting{kThreads};
    std::vector<std::thread> threads;
    std::vector<int> different(kThreads, 0);
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        --waiting;
        while (waiting.load() > 0) std::this_thread::yield();
        for (uint32_t i = 0; i < 12; ++i) {
          const uint32_t seed = (i + static_cast<uint32_t>(t) / 2) % 12;
          if (Walk(shared, seed) != expected[seed]) ++different[static_cast<size_t>(t)];
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (int count : different) EXPECT_EQ(count, 0);
  }
}

TEST(MatcherThreads, EqualOneThread) { CompareWithOneThread({}); }

TEST(MatcherThreads, EqualOneThreadWhenNothingIsKept) {
  Limits limits;
  limits.max_mask_bytes = 0;
  CompareWithOneThread(limits);
}

TEST(MatcherThreads, EqualOneThreadAcrossGenerations) {
  // A few walks fill a generation; no walk reaches the hard bound of twice as much.
  Limits limits;
  limits.max_state_bytes = 150000;
  CompareWithOneThread(limits);
}

TEST(MatcherThreads, BatchesEqualOneByOne) {
  const auto compiled = Compile(kGrammar, Tokenizer());
  std::vector<GrammarMatcher> matchers;
  for (uint32_t i = 0; i < 60; ++i) {
    std::mt19937 random(i);
    matchers.emplace_back(compiled, MatcherOptions{});
    for (uint32_t step = 0; step < i % 6; ++step) {
      const auto mask = MaskIds(&matchers.back());
      auto it = mask.begin();
      std::advance(it, static_cast<ptrdiff_t>(random() % mask.size()));
      if (*it != 0) matchers.back().AcceptToken(*it);
    }
  }
  std::vector<GrammarMatcher*> pointers;
  for (GrammarMatcher& matcher : matchers) pointers.push_back(&matcher);
  ThreadPool pool(4);
  std::vector<int32_t> rows(60, 0);
  for (int round = 0; round < 20; ++round) {
    BatchFillNextTokenBitmask(pointers, rows.data(), 60, 1, {}, &pool);
    for (size_t i = 0; i < 60; ++i) {
      ASSERT_EQ(BitsOf(std::span(rows).subspan(i, 1)), MaskIds(pointers[i]));
    }
  }
}

TEST(MatcherThreads, AcceptingInBatchesEqualsOneByOne) {
  const auto compiled = Compile(kGrammar, Tokenizer());
  std::deque<GrammarMatcher> together;
  std::deque<GrammarMatcher> alone;
  std::vector<GrammarMatcher*> pointers;
  for (int i = 0; i < 200; ++i) {
    alone.emplace_back(compiled, MatcherOptions{});
    pointers.push_back(&together.emplace_back(compiled, MatcherOptions{}));
  }
  ThreadPool pool(4);
  std::mt19937 random(1);
  std::vector<int64_t> tokens(together.size());
  std::vector<uint8_t> accepted(together.size());
  for (int step = 0; step < 12; ++step) {
    const auto vocab_size = static_cast<uint32_t>(compiled->tokenizer_info()->vocab_size());
    for (int64_t& token : tokens) token = static_cast<int64_t>(random() % vocab_size);
    // In one grammar, so that the threads make its automaton grow at the same time.
    BatchAcceptToken(pointers, tokens, accepted, &pool);
    for (size_t i = 0; i < alone.size(); ++i) {
      ASSERT_EQ(accepted[i] != 0, alone[i].AcceptToken(tokens[i])) << step << " " << i;
      ASSERT_EQ(pointers[i]->DebugString(), alone[i].DebugString());
    }
  }
}

}  // namespace
}  // namespace xgrammar
