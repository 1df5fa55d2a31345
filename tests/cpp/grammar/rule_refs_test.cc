// RuleRefs: which references a walk comes to, through rules or not, and that it comes to each once.
//
// Guards the passes over a grammar that walk it by references: limits within limits, limits that
// leave nothing, lazy rules, printed automata. What those do with the rules is tested with them.
#include "grammar/rule_refs.h"

#include <gtest/gtest.h>

#include <vector>

#include "grammar/builder.h"

namespace xgrammar {
namespace {

/// root ::= (a | b c)*; a ::= b; b ::= root; c ::= "c"
struct Case {
  Case() {
    root = builder.AddRule("root");
    a = builder.AddRule("a");
    b = builder.AddRule("b");
    c = builder.AddRule("c");
    left = builder.AddRuleRef(a);
    right = builder.AddSequence({builder.AddRuleRef(b), builder.AddRuleRef(c)});
    body = builder.AddRepeat(builder.AddChoices({left, right}), 0, kUnbounded);
    builder.SetBody(root, body);
    builder.SetBody(a, builder.AddRuleRef(b));
    builder.SetBody(b, builder.AddRuleRef(root));
    builder.SetBody(c, builder.AddByteString("c"));
  }

  GrammarBuilder builder;
  RuleId root, a, b, c;
  ExprId left, right, body;
};

TEST(RuleRefs, OfAnExpressionInOrderAndEachTimeAgain) {
  const Case grammar;
  RuleRefs refs(grammar.builder.view());
  const std::vector<RuleId> all{grammar.a, grammar.b, grammar.c};
  EXPECT_EQ(refs.Of(grammar.body), all);
  EXPECT_EQ(refs.Of(grammar.right), (std::vector<RuleId>{grammar.b, grammar.c}));
  EXPECT_EQ(refs.Of(grammar.body), all);
}

TEST(RuleRefs, LeavesPartsOut) {
  const Case grammar;
  RuleRefs refs(grammar.builder.view());
  const auto is_part = [&](ExprId expr) { return expr != grammar.right; };
  EXPECT_EQ(refs.Of(grammar.body, is_part), (std::vector<RuleId>{grammar.a}));
}

TEST(RuleRefs, GoesThroughRulesOnceForAllWalks) {
  const Case grammar;
  RuleRefs refs(grammar.builder.view());
  std::vector<int> met(4, 0);
  const auto enter = [&](RuleId rule) {
    ++met[static_cast<size_t>(rule)];
    return true;
  };
  refs.Walk(grammar.left, enter);
  // By a to b, root and c; the reference to b in the body of root is the expression that a is.
  EXPECT_EQ(met, (std::vector<int>{1, 1, 1, 1}));
  refs.Walk(grammar.body, enter);
  EXPECT_EQ(met, (std::vector<int>{1, 1, 1, 1}));
}

TEST(RulesInnerFirst, EachAfterThoseItRefersTo) {
  Case grammar;
  const auto all = [](ExprId) { return true; };
  // root and b refer to each other in a circle, which is met at root.
  EXPECT_EQ(RulesInnerFirst(grammar.builder.view(), all),
            (std::vector<RuleId>{grammar.b, grammar.a, grammar.c, grammar.root}));
  const auto is_part = [&](ExprId expr) { return expr != grammar.right; };
  EXPECT_EQ(RulesInnerFirst(grammar.builder.view(), is_part),
            (std::vector<RuleId>{grammar.b, grammar.a, grammar.root}));
}

}  // namespace
}  // namespace xgrammar
