// GrammarBuilder::Import: a grammar in an empty builder comes out the same, and twice in one gets
// new names while equal expressions are shared.
//
// What a rule holds moves along: kind, look-ahead, automata, references. Union and concatenation,
// which rest on it, are algebra_test.cc.
#include <gtest/gtest.h>

#include <memory>

#include "grammar/builder.h"
#include "grammar/printer.h"

namespace xgrammar {
namespace {

GrammarPtr MakeInput() {
  GrammarBuilder builder;
  RuleId root = builder.AddRule("root");
  RuleId x = builder.AddRule("x", RuleKind::kLexeme);
  std::vector<CodePointDfa::State> states(2);
  states[0].edges.push_back({'a', 'z', 0});
  states[0].edges.push_back({'0', '0', 1});
  std::swap(states[0].edges[0], states[0].edges[1]);
  states[1].accept = true;
  ExprId dfa = builder.AddAutomaton(std::make_shared<const CodePointDfa>(std::move(states)));
  ExprId star = builder.AddStar(builder.AddRuleRef(x));
  builder.SetBody(root, builder.AddChoices({builder.AddSequence({dfa, star}), builder.AddEmpty()}));
  builder.SetBody(x, builder.AddRepeat(builder.AddCharClass(CodePointSet({{'a', 'f'}})), 2, 9));
  builder.SetLookahead(x, builder.AddByteString("!"));
  return builder.Build(root);
}

TEST(Import, IntoAnEmptyBuilderGivesTheSameGrammar) {
  GrammarPtr input = MakeInput();
  GrammarBuilder builder;
  std::vector<RuleId> ids = builder.Import(*input);
  ASSERT_EQ(ids.size(), 2u);
  EXPECT_EQ(builder.view().rule(ids[1]).kind, RuleKind::kLexeme);
  EXPECT_EQ(GrammarToString(*builder.Build(ids[0])), GrammarToString(*input));
}

TEST(Import, TwiceGivesNewNamesAndSharedExpressions) {
  GrammarPtr input = MakeInput();
  GrammarBuilder builder;
  std::vector<RuleId> first = builder.Import(*input);
  std::vector<RuleId> second = builder.Import(*input);
  EXPECT_EQ(builder.view().rule(second[0]).name, "root_1");
  EXPECT_EQ(builder.view().rule(second[1]).name, "x_1");
  EXPECT_EQ(builder.view().rule(first[1]).body, builder.view().rule(second[1]).body);
  EXPECT_NE(builder.view().rule(first[0]).body, builder.view().rule(second[0]).body);
}

}  // namespace
}  // namespace xgrammar
