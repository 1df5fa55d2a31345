// RegularFacts: what may become one automaton (no recursion, no structure, limits or tokens
// within), how large it is thought to be, and which literals hold the text of a marker.
//
// Sizes of counts saturate, and deep grammars need no native stack. The automaton itself is
// fold_to_dfa_test.cc.
#include "lowering/regular_facts.h"

#include <gtest/gtest.h>

#include <string>

#include "frontend/ebnf/parser.h"
#include "grammar/builder.h"

namespace xgrammar {
namespace {

struct Facts {
  explicit Facts(GrammarPtr g, const TokenTrie* markers = nullptr)
      : grammar(std::move(g)), facts(*grammar), regular(*grammar, facts, markers) {}
  explicit Facts(const std::string& ebnf, const TokenTrie* markers = nullptr)
      : Facts(ParseEbnf(ebnf), markers) {}

  ExprId root() const { return grammar->rule(grammar->root()).body; }
  int64_t Size() { return regular.FoldedSize(root()); }

  GrammarPtr grammar;
  GrammarFacts facts;
  RegularFacts regular;
};

constexpr int64_t kNotFoldable = RegularFacts::kNotFoldable;

TEST(RegularFacts, SizesFollowTheAutomaton) {
  EXPECT_EQ(Facts("root ::= \"abc\"").Size(), 3);
  EXPECT_EQ(Facts("root ::= [a-z]").Size(), 1);
  EXPECT_GT(Facts("root ::= [^a]").Size(), 1);
  EXPECT_EQ(Facts("root ::= \"abc\" [a-z]").Size(), 4);
  EXPECT_EQ(Facts("root ::= \"abc\" x\nx ::= [a-z]").Size(), 4);
  EXPECT_EQ(Facts("root ::= \"ab\"{3}").Size(), 6);
  EXPECT_EQ(Facts("root ::= \"ab\"*").Size(), 2);
}

TEST(RegularFacts, RecursionIsNotFoldable) {
  EXPECT_EQ(Facts("root ::= \"a\" root | \"b\"").Size(), kNotFoldable);
  EXPECT_EQ(Facts("root ::= \"x\" y\ny ::= z\nz ::= \"(\" y \")\" | \"b\"").Size(), kNotFoldable);
  Facts beside("root ::= \"x\" y w\ny ::= \"(\" y \")\" | \"b\"\nw ::= [a-z]+");
  EXPECT_EQ(beside.Size(), kNotFoldable);
  EXPECT_NE(beside.regular.FoldedSize(beside.grammar->rule(2).body), kNotFoldable);
}

TEST(RegularFacts, LargeCountsAreNotCopied) {
  EXPECT_NE(Facts("root ::= [a-z]{0,40}").Size(), kNotFoldable);
  EXPECT_EQ(Facts("root ::= [a-z]{0,400}").Size(), kNotFoldable);
  EXPECT_EQ(Facts("root ::= [a-z]{400,}").Size(), kNotFoldable);
  EXPECT_NE(Facts("root ::= [a-z]+").Size(), kNotFoldable);
  Facts counted("root ::= \"abcd\"{0,400}");
  EXPECT_EQ(counted.regular.ExpandedRepeatSize(counted.root()), 1600);
  Facts open("root ::= \"abcd\"{20,}");
  EXPECT_EQ(open.regular.ExpandedRepeatSize(open.root()), 84);
  // Products of counts saturate instead of wrapping.
  Facts nested("root ::= (\"ab\"{1,2}){1,2147483647}");
  EXPECT_GT(nested.regular.ExpandedRepeatSize(nested.root()), int64_t{1} << 31);
}

TEST(RegularFacts, StructuresLimitsAndTokensAreNotFoldable) {
  for (int what = 0; what < 4; ++what) {
    GrammarBuilder builder;
    const RuleId root = builder.AddRule("root");
    const RuleId part = builder.AddRule("part", what == 0 ? RuleKind::kStructure : RuleKind::kAuto);
    builder.SetBody(part, what == 1 ? builder.AddTokenSet({1}, false) : builder.AddByteString("x"));
    RuleOptions options;
    options.max_chars = 5;
    if (what == 2) builder.SetOptions(part, options);
    builder.SetBody(root,
                    builder.AddSequence({builder.AddByteString("a"), builder.AddRuleRef(part)}));
    EXPECT_EQ(Facts(builder.Build(root)).Size() == kNotFoldable, what < 3) << what;
  }
}

TEST(RegularFacts, RepetitionsOfLexicalUnits) {
  Facts lexemes("root ::= (word \",\")*\nword ::= [a-z]+");
  EXPECT_TRUE(lexemes.regular.RepeatsLexemes(lexemes.root()));
  EXPECT_TRUE(lexemes.regular.HasRuleRef(lexemes.root()));
  Facts letters("root ::= (letter \",\")*\nletter ::= [a-z]");
  EXPECT_FALSE(letters.regular.RepeatsLexemes(letters.root())) << "no loop in a copy";
  Facts inlined("root ::= ([a-z]+ \",\")*");
  EXPECT_FALSE(inlined.regular.RepeatsLexemes(inlined.root())) << "no rule in a copy";
  EXPECT_FALSE(inlined.regular.HasRuleRef(inlined.root()));
}

TEST(RegularFacts, MarkersInLiterals) {
  const TokenTrie markers(
      std::vector<std::pair<std::string_view, int32_t>>{{"<e>", 0}, {"</s>", 1}});
  const auto has = [&](const std::string& ebnf) {
    Facts facts(ebnf, &markers);
    return facts.regular.HasMarkerLiteral(facts.root());
  };
  EXPECT_TRUE(has("root ::= \"a<e>b\""));
  EXPECT_TRUE(has("root ::= \"a\" (x | \"y\")*\nx ::= \"<</s>\""));
  EXPECT_FALSE(has("root ::= \"<e\" [>=]"));
  EXPECT_FALSE(has("root ::= [<e>]*"));
  EXPECT_FALSE(Facts("root ::= \"<e>\"").regular.HasMarkerLiteral(0));
}

TEST(ContainsToken, FindsAnyOccurrence) {
  const TokenTrie trie(
      std::vector<std::pair<std::string_view, int32_t>>{{"aab", 0}, {"b", 1}, {"cdc", 2}});
  EXPECT_TRUE(ContainsToken("aaab", trie));
  EXPECT_TRUE(ContainsToken("xcdcx", trie));
  EXPECT_FALSE(ContainsToken("aacdd", trie));
  EXPECT_FALSE(ContainsToken("", trie));
  EXPECT_FALSE(ContainsToken("abc", TokenTrie()));
}

TEST(RegularFacts, DeepGrammarsNeedNoNativeStack) {
  constexpr int kRules = 100000;
  GrammarBuilder builder;
  for (int i = 0; i < kRules; ++i) builder.AddRule("r" + std::to_string(i));
  for (int i = 0; i < kRules; ++i) {
    const ExprId letter = builder.AddByteString("a");
    builder.SetBody(
        i, i + 1 < kRules ? builder.AddSequence({letter, builder.AddRuleRef(i + 1)}) : letter);
  }
  EXPECT_EQ(Facts(builder.Build(0)).Size(), kRules);
}

}  // namespace
}  // namespace xgrammar
