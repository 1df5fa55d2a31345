// Limits within limits: which rules are folded so that an inner limit becomes a part of the
// language of the outer rule, and what their languages are then, by the reference recogniser.
//
// Grammars without such nesting come back as the same object, and what would be too large stays as
// it is. That masks keep to counted limits is tests/cpp/mask/random_masks_test.cc.
#include "compiler/nested_limits.h"

#include <gtest/gtest.h>

#include <string>

#include "frontend/ebnf/parser.h"
#include "grammar/reference_recognizer.h"

namespace xgrammar {
namespace {

TEST(NestedLimits, OthersAreLeftAlone) {
  for (const char* source :
       {"root ::= \"a\"", "root ::= x \"b\"\nx[max_chars=2] ::= [a-z]*",
        "root ::= x\nx[max_chars=2] ::= \"(\" x \")\" | \"\"",  // Recursive: for the parser.
        "root ::= x y\nx[max_chars=2] ::= z\ny[max_tokens=2] ::= z\nz ::= [a-z]*"}) {
    const GrammarPtr grammar = ParseEbnf(source);
    EXPECT_EQ(FoldNestedLimits(grammar, {}), grammar) << source;
  }
}

TEST(NestedLimits, TheInnerLimitIsAPartOfTheLanguage) {
  const GrammarPtr grammar = ParseEbnf(
      "root ::= x\nx[max_chars=9] ::= \"<\" y \">\"\ny[max_chars=2] ::= z z \"!\"?\n"
      "z[max_chars=1] ::= [a-c]*");
  const GrammarPtr folded = FoldNestedLimits(grammar, {});
  EXPECT_EQ(folded->rule(1).options.max_chars, 9);
  EXPECT_TRUE(folded->rule(2).options.empty());
  EXPECT_TRUE(folded->rule(3).options.empty());
  for (const char* text : {"<>", "<a>", "<ab>", "<a!>"})
    EXPECT_TRUE(Accepts(*folded, text)) << text;
  for (const char* text : {"<abc>", "<ab!>", "<aa!>"}) EXPECT_FALSE(Accepts(*folded, text)) << text;
}

TEST(NestedLimits, ABudgetGivesWayToTheFirstEnd) {
  const GrammarPtr grammar =
      ParseEbnf("root[max_tokens=5] ::= x\nx[max_chars=1] ::= \"abc\" \"d\"* | \"e\"*");
  const GrammarPtr folded = FoldNestedLimits(grammar, {});
  for (const char* text : {"abc", "e", ""}) EXPECT_TRUE(Accepts(*folded, text)) << text;
  for (const char* text : {"abcd", "ab", "ee"}) EXPECT_FALSE(Accepts(*folded, text)) << text;
}

TEST(NestedLimits, WhatIsTooLargeStays) {
  const GrammarPtr grammar =
      ParseEbnf("root[max_tokens=5] ::= x\nx[max_chars=2000000000] ::= [a-z]* | \"1\"");
  EXPECT_EQ(FoldNestedLimits(grammar, {}), grammar);
}

}  // namespace
}  // namespace xgrammar
