// MaskTable: the memo of masks by parser set and its budget of bytes, items of whole tokens with
// their exclusions united with text, and rows that are overwritten entirely, padding included.
//
// Threads get equal masks, and far counts share one. Whether masks are exact is in
// random_masks_test.cc.
#include "mask/mask_table.h"

#include <gtest/gtest.h>

#include <thread>

#include "grammar/builder.h"
#include "mask/mask_builder.h"
#include "mask/mask_fixtures.h"

namespace xgrammar {
namespace {

struct Table {
  Table(const GrammarPtr& grammar, const TokenizerInfoPtr& info, int64_t max_bytes = 1 << 20)
      : tokenizer(info),
        local_masks(std::make_shared<LocalMaskCache>(info)),
        parser(grammar, local_masks->dfa_cache(), &local_masks->markers().trie(),
               info->trie().max_token_bytes(), Limits{}),
        masks(&parser, info, local_masks, max_bytes) {}

  std::set<int32_t> Fill(SetId set) {
    std::vector<uint32_t> row = MakeRow(*tokenizer, 0xFFFFFFFFu);
    masks.Fill(set, row);
    return BitsOf(row);
  }
  SetId After(std::string_view text) {
    SetId set = parser.start();
    for (char c : text) set = parser.Next(set, static_cast<uint8_t>(c));
    return set;
  }

  TokenizerInfoPtr tokenizer;
  std::shared_ptr<LocalMaskCache> local_masks;
  Parser parser;
  MaskTable masks;
};

TEST(MaskTable, RowsAreOverwrittenAndPaddingIsZero) {
  Table table(ParseEbnf("root ::= \"a\" | \"bc\""), MakeTokenizer({"a", "b", "c", "bc", "bcd"}));
  EXPECT_EQ(table.Fill(table.parser.start()), (std::set<int32_t>{0, 1, 3}));
  EXPECT_EQ(table.Fill(table.After("b")), (std::set<int32_t>{2}));
  EXPECT_TRUE(table.Fill(table.After("a")).empty());
  EXPECT_TRUE(table.Fill(kDeadSet).empty());
}

TEST(MaskTable, StopAndSpecialTokensAreNoText) {
  Table table(ParseEbnf("root ::= [a-z]*"),
              MakeTokenizer({"a", "stop", "mark", "b", ""}, {1}, {2}));
  EXPECT_EQ(table.Fill(table.parser.start()), (std::set<int32_t>{0, 3}));
}

TEST(MaskTable, OneMaskServesEqualStates) {
  Table table(ParseEbnf("root ::= x* \"!\"\nx ::= \"(\" x \")\" | [a-z]"),
              MakeTokenizer({"a", "b", "(", ")", "a)", "!"}));
  const auto first = table.Fill(table.After("a"));
  const int64_t masks = table.masks.num_masks();
  EXPECT_EQ(table.Fill(table.After("aaaa")), first);
  EXPECT_EQ(table.masks.num_masks(), masks);
}

TEST(MaskTable, OneMaskServesFarCounts) {
  Table table(ParseEbnf("root ::= [a-z]{0,1000}"), MakeTokenizer({"a", "bcd", "!"}));
  table.Fill(table.After("a"));
  const int64_t masks = table.masks.num_masks();
  for (size_t n = 1; n < 900; n += 37) table.Fill(table.After(std::string(n, 'q')));
  EXPECT_EQ(table.masks.num_masks(), masks);
  EXPECT_EQ(table.Fill(table.After(std::string(998, 'q'))), (std::set<int32_t>{0}));
  EXPECT_TRUE(table.Fill(table.After(std::string(1000, 'q'))).empty());
}

TEST(MaskTable, PastTheBudgetMasksAreMadeAndNotKept) {
  const auto grammar = ParseEbnf("root ::= \"a\" \"b\" \"c\" x\nx ::= \"(\" x \")\" | \"y\"");
  const auto tokenizer = MakeTokenizer({"a", "b", "c", "ab", "bc", "(", "y", "c(", ")"});
  Table small(grammar, tokenizer, 0);
  Table large(grammar, tokenizer);
  for (const char* text : {"", "a", "ab", "abc", "abc(", "abc(("}) {
    EXPECT_EQ(small.Fill(small.After(text)), large.Fill(large.After(text))) << text;
  }
  EXPECT_EQ(small.masks.num_masks(), 0);
  EXPECT_EQ(small.masks.MemorySizeBytes(), 0);
  EXPECT_EQ(large.masks.num_masks(), 6);
  EXPECT_GT(large.masks.MemorySizeBytes(), 0);
}

GrammarPtr TokenGrammar() {
  GrammarBuilder builder;
  const RuleId root = builder.AddRule("root");
  builder.SetBody(
      root,
      builder.AddChoices(
          {builder.AddTokenSet({1, 4, 900}, false),
           builder.AddSequence({builder.AddTokenSet({0, 1, 2}, true), builder.AddByteString("a")}),
           builder.AddSequence({builder.AddTokenSet({2, 3}, true), builder.AddByteString("b")}),
           builder.AddByteString("x")}));
  return builder.Build(root);
}

TEST(MaskTable, WholeTokenItemsUnite) {
  // Ids: 0 a, 1 stop, 2 special, 3 b, 4 without text, 5 x, 6 other.
  Table table(TokenGrammar(), MakeTokenizer({"a", "</s>", "<m>", "b", "", "x", "zz"}, {1}, {2}));
  // Listed: 1. Excluding 0, 1, 2: 3, 5, 6. Excluding 2, 3: 0, 1, 5, 6. Text: 5.
  EXPECT_EQ(table.Fill(table.parser.start()), (std::set<int32_t>{0, 1, 3, 5, 6}));
}

TEST(MaskTable, ExclusionsKeepWhatTextAllows) {
  GrammarBuilder builder;
  const RuleId root = builder.AddRule("root");
  builder.SetBody(
      root, builder.AddChoices({builder.AddTokenSet({0, 1}, true), builder.AddByteString("a")}));
  Table table(builder.Build(root), MakeTokenizer({"a", "b", "c"}));
  EXPECT_EQ(table.Fill(table.parser.start()), (std::set<int32_t>{0, 2}));
}

TEST(MaskTable, ThreadsGetEqualMasks) {
  const auto tokenizer = MakeTokenizer({"a", "b", "ab", "(", ")", "a)", "b(", "((", "))", ","});
  const auto grammar = ParseEbnf("root ::= x (\",\" x)*\nx ::= \"(\" x \")\" | [ab]{1,9}");
  const std::vector<std::string> texts{"",     "a",      "((",   "((ab",
                                       "((a)", "a,(b),", "abab", "ababababa"};
  Table alone(grammar, tokenizer);
  std::vector<std::set<int32_t>> expected;
  for (const std::string& text : texts) expected.push_back(alone.Fill(alone.After(text)));
  Table shared(grammar, tokenizer);
  std::vector<std::vector<std::set<int32_t>>> found(6);
  std::vector<std::thread> threads;
  for (auto& masks : found) {
    threads.emplace_back([&] {
      for (const std::string& text : texts) masks.push_back(shared.Fill(shared.After(text)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& masks : found) EXPECT_EQ(masks, expected);
}

}  // namespace
}  // namespace xgrammar
