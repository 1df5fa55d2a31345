// GrammarBuilder: equal expressions share an id, each simplification (empty, nothing, flattening,
// merged literals, trivial repetitions) has a test of its own, rule names stay unique, limits name
// their field.
//
// Cost is linear: a hundred thousand alternatives, and long literals that are not merged again and
// again. That simplifying keeps the language is round_trip_test.cc of the EBNF front end.
#include "grammar/builder.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/error.h"

namespace xgrammar {
namespace {

ErrorKind KindOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "no error was raised";
  return ErrorKind::kInternal;
}

class BuilderTest : public ::testing::Test {
 protected:
  ExprKind Kind(ExprId id) const { return builder_.view().kind(id); }
  ExprId Letter(char c) { return builder_.AddByteString(std::string(1, c)); }
  ExprId Digits() { return builder_.AddCharClass(CodePointSet({{'0', '9'}})); }

  GrammarBuilder builder_;
};

TEST_F(BuilderTest, EqualExpressionsShareAnId) {
  EXPECT_EQ(builder_.AddEmpty(), builder_.AddEmpty());
  EXPECT_EQ(builder_.AddByteString("ab"), builder_.AddByteString("ab"));
  EXPECT_NE(builder_.AddByteString("ab"), builder_.AddByteString("ba"));
  EXPECT_EQ(Digits(), Digits());
  RuleId rule = builder_.AddRule("x");
  EXPECT_EQ(builder_.AddRuleRef(rule), builder_.AddRuleRef(rule));
  ExprId sequence = builder_.AddSequence({Digits(), builder_.AddRuleRef(rule)});
  EXPECT_EQ(sequence, builder_.AddSequence({Digits(), builder_.AddRuleRef(rule)}));
  EXPECT_NE(sequence, builder_.AddSequence({builder_.AddRuleRef(rule), Digits()}));
  EXPECT_NE(sequence, builder_.AddChoices({Digits(), builder_.AddRuleRef(rule)}));
  EXPECT_EQ(builder_.AddRepeat(sequence, 2, 5), builder_.AddRepeat(sequence, 2, 5));
  EXPECT_NE(builder_.AddRepeat(sequence, 2, 5), builder_.AddRepeat(sequence, 2, 6));
}

TEST_F(BuilderTest, ManyExpressionsSurviveTableGrowth) {
  std::vector<ExprId> ids;
  for (int i = 0; i < 5000; ++i) ids.push_back(builder_.AddByteString(std::to_string(i)));
  for (int i = 0; i < 5000; ++i) {
    EXPECT_EQ(builder_.AddByteString(std::to_string(i)), ids[static_cast<size_t>(i)]);
    EXPECT_EQ(builder_.view().bytes(ids[static_cast<size_t>(i)]), std::to_string(i));
  }
}

TEST_F(BuilderTest, EmptyStringIsEmpty) {
  EXPECT_EQ(builder_.AddByteString(""), builder_.AddEmpty());
}

TEST_F(BuilderTest, ClassOfOneCodePointIsAString) {
  EXPECT_EQ(builder_.AddCharClass(CodePointSet::Single('a')), Letter('a'));
  EXPECT_EQ(Kind(builder_.AddTextClass(CodePointSet::Single('a'))), ExprKind::kCharClass);
  EXPECT_EQ(builder_.AddCharClass(CodePointSet::Single(0x1F600)),
            builder_.AddByteString("\xF0\x9F\x98\x80"));
}

TEST_F(BuilderTest, SequenceDropsEmptyAndIsFlattened) {
  ExprId inner = builder_.AddSequence({Digits(), builder_.AddPlus(Digits())});
  ExprId outer = builder_.AddSequence({inner, builder_.AddEmpty(), Digits()});
  EXPECT_EQ(outer, builder_.AddSequence({Digits(), builder_.AddPlus(Digits()), Digits()}));
  EXPECT_EQ(builder_.view().children(outer).size(), 3u);
  EXPECT_EQ(builder_.AddSequence({}), builder_.AddEmpty());
  EXPECT_EQ(builder_.AddSequence({builder_.AddEmpty(), builder_.AddEmpty()}), builder_.AddEmpty());
  EXPECT_EQ(builder_.AddSequence({builder_.AddEmpty(), inner}), inner);
}

TEST_F(BuilderTest, SequenceMergesAdjacentStrings) {
  EXPECT_EQ(builder_.AddSequence({Letter('a'), Letter('b'), Letter('c')}),
            builder_.AddByteString("abc"));
  ExprId inner = builder_.AddSequence({Digits(), Letter('a')});
  ExprId outer = builder_.AddSequence({inner, Letter('b')});
  EXPECT_EQ(outer, builder_.AddSequence({Digits(), builder_.AddByteString("ab")}));
}

TEST_F(BuilderTest, LongStringsAreNotMergedAgainAndAgain) {
  ExprId huge = builder_.AddByteString(std::string(1 << 20, 'x'));
  for (int i = 0; i < 200; ++i) huge = builder_.AddSequence({huge, Letter('y')});
  EXPECT_LT(builder_.view().MemorySizeBytes(), 8 << 20);
}

TEST_F(BuilderTest, SequenceWithNothingIsNothing) {
  EXPECT_EQ(builder_.AddSequence({Letter('a'), builder_.AddNothing()}), builder_.AddNothing());
}

TEST_F(BuilderTest, ChoicesDropNothingAndRepeatsAndAreFlattened) {
  ExprId inner = builder_.AddChoices({Letter('a'), Letter('b')});
  ExprId outer =
      builder_.AddChoices({builder_.AddNothing(), inner, Letter('a'), Letter('c'), Letter('c')});
  EXPECT_EQ(outer, builder_.AddChoices({Letter('a'), Letter('b'), Letter('c')}));
  EXPECT_EQ(builder_.AddChoices({Letter('a'), Letter('a')}), Letter('a'));
  EXPECT_EQ(builder_.AddChoices({}), builder_.AddNothing());
}

TEST_F(BuilderTest, TrivialRepeats) {
  ExprId a = Letter('a');
  EXPECT_EQ(builder_.AddRepeat(a, 1, 1), a);
  EXPECT_EQ(builder_.AddRepeat(a, 0, 0), builder_.AddEmpty());
  EXPECT_EQ(builder_.AddRepeat(builder_.AddEmpty(), 3, 9), builder_.AddEmpty());
  EXPECT_EQ(builder_.AddStar(builder_.AddNothing()), builder_.AddEmpty());
  EXPECT_EQ(builder_.AddPlus(builder_.AddNothing()), builder_.AddNothing());
  ExprId repeat = builder_.AddRepeat(a, 2, kUnbounded);
  EXPECT_EQ(Kind(repeat), ExprKind::kRepeat);
  EXPECT_EQ(builder_.view().children(repeat)[0], a);
  EXPECT_EQ(builder_.view().repeat_min(repeat), 2);
  EXPECT_EQ(builder_.view().repeat_max(repeat), kUnbounded);
}

TEST_F(BuilderTest, AutomataAreSharedByContent) {
  auto make = [](uint32_t lo) {
    std::vector<CodePointDfa::State> states(2);
    states[0].edges.push_back({lo, 'z', 1});
    states[1].accept = true;
    return std::make_shared<const CodePointDfa>(std::move(states));
  };
  EXPECT_EQ(builder_.AddAutomaton(make('a')), builder_.AddAutomaton(make('a')));
  EXPECT_NE(builder_.AddAutomaton(make('a')), builder_.AddAutomaton(make('b')));
  std::vector<CodePointDfa::State> one(1);
  EXPECT_EQ(builder_.AddAutomaton(std::make_shared<const CodePointDfa>(one)),
            builder_.AddNothing());
  one[0].accept = true;
  EXPECT_EQ(builder_.AddAutomaton(std::make_shared<const CodePointDfa>(one)), builder_.AddEmpty());
}

TEST_F(BuilderTest, LateAutomataAreMadeOnceWhenTheyAreAskedFor) {
  int made = 0;
  LateAutomaton::Source source;
  source.make = [&made] {
    ++made;
    return std::make_shared<const CodePointDfa>(FromStrings({"", "ab"}));
  };
  const auto late = std::make_shared<const LateAutomaton>(source, true, 10);
  const ExprId id = builder_.AddLateAutomaton(late);
  EXPECT_EQ(builder_.AddLateAutomaton(late), id);
  EXPECT_NE(builder_.AddAutomaton(std::make_shared<const CodePointDfa>(FromStrings({"", "ab"}))),
            id);
  const RuleId root = builder_.AddRuleWithHint("root", id);
  const GrammarPtr grammar = builder_.Build(root);
  GrammarBuilder other;
  const ExprId copy = other.view().num_exprs();
  other.Import(*grammar);
  EXPECT_TRUE(other.view().automaton_accepts_empty(copy));
  EXPECT_EQ(other.view().automaton_size(copy), 10);
  EXPECT_GT(grammar->MemorySizeBytes(), 0);
  EXPECT_EQ(made, 0);
  EXPECT_TRUE(other.view().automaton(copy)->Accepts("ab"));
  EXPECT_EQ(other.view().automaton(copy), grammar->automaton(id));
  EXPECT_EQ(made, 1);
}

TEST_F(BuilderTest, RuleNames) {
  RuleId x = builder_.AddRule("x");
  EXPECT_EQ(builder_.FindRule("x"), x);
  EXPECT_EQ(builder_.FindRule("y"), -1);
  EXPECT_EQ(builder_.UnusedName("x"), "x_1");
  RuleId hinted = builder_.AddRuleWithHint("x", builder_.AddEmpty());
  EXPECT_NE(builder_.view().rule(hinted).name, "x");
  builder_.Rename(x, "z");
  EXPECT_EQ(builder_.FindRule("z"), x);
  EXPECT_EQ(builder_.FindRule("x"), -1);
  EXPECT_EQ(KindOf([&] { builder_.AddRule("z"); }), ErrorKind::kInternal);
}

TEST_F(BuilderTest, EveryRuleNeedsABody) {
  RuleId x = builder_.AddRule("x");
  EXPECT_EQ(KindOf([&] { builder_.Build(x); }), ErrorKind::kInternal);
}

TEST(BuilderLimits, RulesRepeatsAndNodes) {
  Limits limits;
  limits.max_rules = 2;
  limits.max_repeat = 10;
  limits.max_grammar_size = 100;
  GrammarBuilder builder(limits);
  builder.AddRule("a");
  builder.AddRule("b");
  EXPECT_EQ(KindOf([&] { builder.AddRule("c"); }), ErrorKind::kLimit);
  EXPECT_EQ(KindOf([&] { builder.AddRepeat(builder.AddByteString("x"), 0, 11); }),
            ErrorKind::kLimit);
  EXPECT_EQ(KindOf([&] {
              for (int i = 0; i < 200; ++i) builder.AddByteString(std::to_string(i));
            }),
            ErrorKind::kLimit);
}

TEST(BuilderCost, HundredThousandAlternatives) {
  GrammarBuilder builder;
  std::vector<ExprId> alternatives;
  for (int i = 0; i < 100000; ++i) alternatives.push_back(builder.AddByteString(std::to_string(i)));
  ExprId choices = builder.AddChoices(alternatives);
  EXPECT_EQ(builder.view().children(choices).size(), 100000u);
  // Nesting a long choice does not copy it.
  for (int i = 0; i < 1000; ++i) {
    choices = builder.AddChoices({choices, builder.AddByteString("x" + std::to_string(i))});
  }
  EXPECT_LT(builder.view().MemorySizeBytes(), 16 << 20);
}

}  // namespace
}  // namespace xgrammar
