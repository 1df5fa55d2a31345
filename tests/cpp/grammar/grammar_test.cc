// Grammar: its accessors return what was added, and UsedExprs leaves out nodes that only the
// builder needed on the way.
//
// A grammar has no logic of its own beyond this; how it comes about is builder_test.cc, how it is
// written printer_test.cc.
#include "grammar/grammar.h"

#include <gtest/gtest.h>

#include "grammar/builder.h"

namespace xgrammar {
namespace {

TEST(Grammar, AccessorsReturnWhatWasAdded) {
  GrammarBuilder builder;
  RuleId root = builder.AddRule("root", RuleKind::kStructure);
  ExprId text = builder.AddByteString("ab");
  ExprId digits = builder.AddCharClass(CodePointSet({{'0', '9'}}));
  ExprId body = builder.AddSequence({text, digits, builder.AddRuleRef(root)});
  builder.SetBody(root, body);
  builder.SetLookahead(root, digits);
  GrammarPtr grammar = builder.Build(root);
  EXPECT_EQ(grammar->root(), root);
  EXPECT_EQ(grammar->rule(root).kind, RuleKind::kStructure);
  EXPECT_EQ(grammar->rule(root).lookahead, digits);
  ASSERT_EQ(grammar->children(body).size(), 3u);
  EXPECT_EQ(grammar->bytes(grammar->children(body)[0]), "ab");
  ASSERT_EQ(grammar->ranges(digits).size(), 1u);
  EXPECT_EQ(grammar->ranges(digits)[0].hi, static_cast<uint32_t>('9'));
  EXPECT_EQ(grammar->rule_ref(grammar->children(body)[2]), root);
  EXPECT_GT(grammar->MemorySizeBytes(), 0);
}

TEST(Grammar, UsedExprsLeavesOutIntermediateOnes) {
  GrammarBuilder builder;
  RuleId root = builder.AddRule("root");
  ExprId intermediate = builder.AddByteString("a");
  ExprId merged = builder.AddSequence({intermediate, builder.AddByteString("b")});
  ExprId repeat = builder.AddStar(merged);
  builder.SetBody(root, repeat);
  std::vector<bool> used = builder.view().UsedExprs();
  EXPECT_FALSE(used[static_cast<size_t>(intermediate)]);
  EXPECT_TRUE(used[static_cast<size_t>(merged)]);
  EXPECT_TRUE(used[static_cast<size_t>(repeat)]);
}

}  // namespace
}  // namespace xgrammar
