// Folding: on random grammars the automaton has the language of the expression, by a textbook
// recogniser; equal structure gives the same object, whatever the rules are called; budgets; the
// cache's bound.
//
// Keys that would run into each other without their lengths are told apart. Which expressions may
// be folded is regular_facts_test.cc.
#include "lowering/fold_to_dfa.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "frontend/ebnf/parser.h"
#include "lowering/regular_facts.h"
#include "parser/naive_earley.h"
#include "parser/random_grammar.h"

namespace xgrammar {
namespace {

ByteDfaPtr Fold(const std::string& ebnf, DfaCache* cache, uint32_t max_states = 10000) {
  const auto grammar = ParseEbnf(ebnf);
  return FoldToDfa(*grammar, GrammarFacts(*grammar), grammar->rule(grammar->root()).body,
                   max_states, cache);
}

/// All texts up to a length, as long as either side can go on.
void Compare(const ByteDfa& dfa, uint32_t state, NaiveEarley* naive, int depth) {
  ASSERT_EQ(dfa.IsAccept(state), naive->IsComplete());
  if (depth == 0) return;
  for (uint8_t byte : RandomGrammar::Alphabet()) {
    const uint32_t next = dfa.Next(state, byte);
    const bool allowed = naive->Push(byte);
    ASSERT_EQ(next != ByteDfa::kDead, allowed);
    if (!allowed) continue;
    Compare(dfa, next, naive, depth - 1);
    naive->Pop(1);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(FoldToDfa, KeepsTheLanguage) {
  int folded = 0;
  DfaCache cache;
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    const GrammarPtr grammar = RandomGrammar(seed).Make();
    const GrammarFacts facts(*grammar);
    RegularFacts regular(*grammar, facts, nullptr);
    const ExprId body = grammar->rule(grammar->root()).body;
    const int64_t size = regular.FoldedSize(body);
    if (size == RegularFacts::kNotFoldable || size > 500) continue;
    const ByteDfaPtr dfa = FoldToDfa(*grammar, facts, body, 2000, &cache);
    if (dfa == nullptr) continue;
    NaiveEarley naive(*grammar);
    if (naive.is_empty()) {
      EXPECT_TRUE(dfa->is_empty());
      continue;
    }
    ++folded;
    Compare(*dfa, 0, &naive, 4);
    if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(folded, 200);
}

TEST(FoldToDfa, EqualStructureIsOneObject) {
  DfaCache cache;
  const auto a = Fold("root ::= word \"!\"\nword ::= [a-z]+", &cache);
  const auto b = Fold("root ::= alias \"!\"\nalias ::= letters\nletters ::= [a-z]+", &cache);
  EXPECT_EQ(a, b);
  EXPECT_NE(Fold("root ::= word \"?\"\nword ::= [a-z]+", &cache), a);
  EXPECT_NE(Fold("root ::= [a-y]+ \"!\"", &cache), a);
  EXPECT_NE(Fold("root ::= [a-z]{2,} \"!\"", &cache), a);
}

TEST(FoldToDfa, KeysTellStructuresApart) {
  // Texts that would run into each other without their lengths.
  DfaCache cache;
  const std::vector<std::string> all{
      "root ::= \"ab\" | \"c\"",    "root ::= \"a\" | \"bc\"",        "root ::= \"abc\"",
      "root ::= (\"ab\" \"c\")?",   "root ::= (\"a\" | \"b\") \"c\"", "root ::= \"a\"? | \"bc\"",
      "root ::= (\"a\" | \"bc\")*", "root ::= (\"a\" | \"bc\")+"};
  std::vector<ByteDfaPtr> machines;
  for (const std::string& ebnf : all) machines.push_back(Fold(ebnf, &cache));
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_NE(machines[i], machines[j]) << all[i] << " " << all[j];
  }
}

TEST(FoldToDfa, ChoicesOfTextsAreExactlyThose) {
  // Few and many: rows at once and on demand.
  for (const int count : {2, 60}) {
    std::vector<std::string> texts;
    std::string ebnf = "root ::= ";
    for (int i = 0; i < count; ++i) {
      texts.push_back("k\xC3\xA9y" + std::to_string(i * i) + (i % 3 == 0 ? "" : "z"));
      ebnf += (i == 0 ? "\"" : " | \"") + texts.back() + "\"";
    }
    DfaCache cache;
    const ByteDfaPtr dfa = Fold(ebnf, &cache);
    ASSERT_NE(dfa, nullptr);
    for (const std::string& text : texts) {
      EXPECT_TRUE(dfa->Accepts(text)) << text;
      for (const std::string& other : {text.substr(1), text + "0", text.substr(0, 2)}) {
        const bool listed = std::find(texts.begin(), texts.end(), other) != texts.end();
        EXPECT_EQ(dfa->Accepts(other), listed) << other;
      }
    }
  }
}

TEST(FoldToDfa, GivesUpPastItsBudget) {
  DfaCache cache;
  const std::string ebnf = "root ::= [ab]* \"a\" [ab] [ab] [ab] [ab] [ab] [ab] [ab] [ab]";
  EXPECT_EQ(Fold(ebnf, &cache, 511), nullptr);
  EXPECT_EQ(Fold(ebnf, &cache, 511), nullptr);  // Known to be too large.
  const auto dfa = Fold(ebnf, &cache, 512);
  ASSERT_NE(dfa, nullptr);
  EXPECT_EQ(dfa->num_states(), 512u);
}

TEST(DfaCache, FullStartsOver) {
  DfaCache large;
  const auto a = Fold("root ::= \"a\"", &large);
  const int64_t one = large.SizeBytes();
  EXPECT_GT(one, a->MemorySizeBytes());
  DfaCache small(one * 3);
  const auto first = Fold("root ::= \"a\"", &small);
  EXPECT_EQ(Fold("root ::= \"a\"", &small), first);
  for (const char* ebnf :
       {"root ::= \"b\"", "root ::= \"c\"", "root ::= \"d\"", "root ::= \"e\""}) {
    EXPECT_NE(Fold(ebnf, &small), nullptr);
    EXPECT_LE(small.SizeBytes(), one * 3);
  }
  EXPECT_NE(Fold("root ::= \"a\"", &small), first);
  EXPECT_TRUE(first->Accepts("a"));
}

TEST(DfaCache, TheFirstOfTwoIsKept) {
  DfaCache cache;
  DfaCache other;
  const auto a = Fold("root ::= \"a\"", &other);
  const auto b = Fold("root ::= \"b\"", &other);
  EXPECT_EQ(cache.Insert("key", a), a);
  EXPECT_EQ(cache.Insert("key", b), a);
  bool found = false;
  EXPECT_EQ(cache.Find("key", &found), a);
  EXPECT_TRUE(found);
  EXPECT_EQ(cache.Find("nothing", &found), nullptr);
  EXPECT_FALSE(found);
}

}  // namespace
}  // namespace xgrammar
