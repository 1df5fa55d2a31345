// CompiledGrammar: nothing is built before it is reached, which the statistics show, and
// generations (automata, sets, masks) end when they are full, while those who hold an old one go
// on.
//
// A generation past twice its budget fails with a limit error; a grammar that matches nothing is
// refused at once. Serialisation is serialize_test.cc; masks are tests/cpp/mask.
#include "compiler/compiled_grammar.h"

#include <gtest/gtest.h>

#include "frontend/ebnf/parser.h"
#include "support/error.h"

namespace xgrammar {
namespace {

std::shared_ptr<const CompiledGrammar> Make(const std::string& ebnf, const Limits& limits = {}) {
  const auto tokenizer = TokenizerInfo::Make({"a", "b", "(", ")"}, {});
  return CompiledGrammar::Make(ParseEbnf(ebnf), tokenizer,
                               std::make_shared<LocalMaskCache>(tokenizer), limits);
}

TEST(CompiledGrammar, NothingIsBuiltBeforeItIsReached) {
  std::string ebnf = "root ::= r0";
  for (int i = 0; i < 500; ++i) {
    ebnf += "\nr" + std::to_string(i) + " ::= \"a\" r" + std::to_string(i + 1) + " \"b\" | \"" +
            std::to_string(i) + "\"";
  }
  const auto compiled = Make(ebnf + "\nr500 ::= \"x\"");
  const auto statistics = compiled->statistics();
  EXPECT_EQ(statistics.num_rules, 502);
  EXPECT_LT(statistics.num_automaton_states, 50);
  EXPECT_LE(statistics.num_sets, 3);
  EXPECT_EQ(statistics.num_edges, 0);
  EXPECT_EQ(statistics.num_masks, 0);
  EXPECT_GT(compiled->MemorySizeBytes(), compiled->grammar()->MemorySizeBytes());
}

TEST(CompiledGrammar, MatchersShareAGenerationUntilItIsFull) {
  Limits limits;
  limits.max_state_bytes = 100000;
  const auto compiled = Make("root ::= \"(\" root \")\" | \"a\"", limits);
  const auto first = compiled->generation();
  EXPECT_EQ(compiled->generation(), first);
  SetId set = first->parser.start();
  while (!first->IsFull(limits)) set = first->parser.Next(set, '(');
  const auto second = compiled->generation();
  EXPECT_NE(second, first);
  EXPECT_EQ(compiled->generation(), second);
  EXPECT_LT(second->parser.num_sets(), 10);
  // The old one goes on for those who hold it.
  EXPECT_NE(first->parser.Next(set, 'a'), kDeadSet);
}

TEST(CompiledGrammar, AGenerationThatGrowsPastTwiceItsBudgetFails) {
  Limits limits;
  limits.max_state_bytes = 100000;
  const auto generation = Make("root ::= \"(\" root \")\" | \"a\"", limits)->generation();
  SetId set = generation->parser.start();
  try {
    for (int i = 0; i < 1000000; ++i) set = generation->parser.Next(set, '(');
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kLimit);
    EXPECT_EQ(error.limit_name(), "max_state_bytes");
  }
  EXPECT_LE(generation->parser.MemorySizeBytes(), 3 * limits.max_state_bytes);
}

TEST(CompiledGrammar, ManyMasksEndAGeneration) {
  Limits limits;
  limits.max_mask_bytes = 1000;
  const auto compiled = Make("root ::= \"(\" root \")\" | \"a\"", limits);
  const auto first = compiled->generation();
  SetId set = first->parser.start();
  std::vector<uint32_t> row(1);
  for (int i = 0; i < 50; ++i) {
    set = first->parser.Next(set, '(');
    first->masks.Fill(set, row);
    EXPECT_EQ(row[0], 0b0101u);
  }
  EXPECT_LE(first->masks.MemorySizeBytes(), 1000);
  EXPECT_NE(compiled->generation(), first);
}

TEST(CompiledGrammar, UnsatisfiableGrammarsAreRefused) {
  EXPECT_THROW(Make("root ::= \"a\" root"), Error);
}

}  // namespace
}  // namespace xgrammar
