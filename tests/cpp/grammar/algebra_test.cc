// Union and concatenation of grammars: their languages by the reference recogniser, names of rules
// that clash, results that are combined again, and inputs that stay as they were.
//
// The concatenation of nothing is the empty text. Laws on random grammars from Python are
// tests/property.
#include "grammar/algebra.h"

#include <gtest/gtest.h>

#include <vector>

#include "grammar/builder.h"
#include "grammar/printer.h"
#include "reference_recognizer.h"

namespace xgrammar {
namespace {

GrammarPtr Word(std::string_view word, const char* root_name = "root") {
  GrammarBuilder builder;
  RuleId root = builder.AddRule(root_name);
  RuleId x = builder.AddRuleWithHint("x", builder.AddByteString(word));
  builder.SetBody(root, builder.AddRuleRef(x));
  return builder.Build(root);
}

TEST(Algebra, Union) {
  std::vector<GrammarPtr> inputs = {Word("a"), Word("b")};
  GrammarPtr either = UnionGrammars(inputs);
  EXPECT_TRUE(Accepts(*either, "a"));
  EXPECT_TRUE(Accepts(*either, "b"));
  EXPECT_FALSE(Accepts(*either, "ab"));
  EXPECT_EQ(GrammarToString(*either),
            "root ::= root_1 | root_2\nroot_1 ::= x\nx ::= \"a\"\nroot_2 ::= x_1\nx_1 ::= \"b\"\n");
  EXPECT_EQ(GrammarToString(*inputs[0]), "root ::= x\nx ::= \"a\"\n");
}

TEST(Algebra, ConcatOfTheSameGrammarTwice) {
  GrammarPtr a = Word("a");
  std::vector<GrammarPtr> inputs = {a, a, Word("b", "main")};
  GrammarPtr all = ConcatGrammars(inputs);
  EXPECT_TRUE(Accepts(*all, "aab"));
  EXPECT_FALSE(Accepts(*all, "ab"));
  EXPECT_EQ(all->rule(1).name, "root_1");
  EXPECT_EQ(all->rule(3).name, "root_2");
}

TEST(Algebra, ResultsNest) {
  std::vector<GrammarPtr> inner = {Word("a"), Word("b")};
  std::vector<GrammarPtr> outer = {UnionGrammars(inner), ConcatGrammars(inner)};
  GrammarPtr all = ConcatGrammars(outer);
  EXPECT_TRUE(Accepts(*all, "bab"));
  EXPECT_FALSE(Accepts(*all, "ab"));
}

TEST(Algebra, ConcatOfNoneIsTheEmptyString) {
  GrammarPtr none = ConcatGrammars({});
  EXPECT_EQ(GrammarToString(*none), "root ::= \"\"\n");
}

}  // namespace
}  // namespace xgrammar
