// GrammarToString: the exact text for parentheses, quantifiers, names, automata, lookaheads and
// parts in any order. Deep expressions need no native stack.
//
// Shared expressions that would unfold too far are a limit error. Whether the text means the same
// when it is read back is tests/cpp/frontend/ebnf/round_trip_test.cc.
#include "grammar/printer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "grammar/builder.h"
#include "support/error.h"

namespace xgrammar {
namespace {

class PrinterTest : public ::testing::Test {
 protected:
  ExprId Text(std::string_view text) { return builder_.AddByteString(text); }
  std::string Print(ExprId body) {
    builder_.SetBody(root_, body);
    return GrammarToString(*builder_.Build(root_));
  }

  GrammarBuilder builder_;
  RuleId root_ = builder_.AddRule("root");
};

TEST_F(PrinterTest, SequenceOfQuantified) {
  EXPECT_EQ(Print(builder_.AddSequence({builder_.AddPlus(Text("a")), Text("b")})),
            "root ::= \"a\"+ \"b\"\n");
}

TEST_F(PrinterTest, ParenthesesOnlyWhereNeeded) {
  ExprId choices = builder_.AddChoices({Text("a"), Text("b")});
  ExprId sequence = builder_.AddSequence({choices, builder_.AddStar(choices)});
  EXPECT_EQ(
      Print(builder_.AddChoices({sequence, builder_.AddEmpty(), builder_.AddOptional(sequence)})),
      "root ::= (\"a\" | \"b\") (\"a\" | \"b\")* | \"\" | ((\"a\" | \"b\") (\"a\" | "
      "\"b\")*)?\n");
}

TEST_F(PrinterTest, PartsInAnyOrder) {
  const ExprId choices = builder_.AddChoices({Text("a"), Text("b")});
  const std::vector<ExprId> parts{choices, builder_.AddOptional(choices),
                                  builder_.AddSequence({choices, Text("c")})};
  EXPECT_EQ(Print(builder_.AddSequence(
                {builder_.AddAnyOrder(Text(","), parts, 0, kUnbounded),
                 builder_.AddOptional(builder_.AddAnyOrder(builder_.AddEmpty(), parts, 1, 2))})),
            "root ::= AnyOrder(\",\", \"a\" | \"b\", (\"a\" | \"b\")?, (\"a\" | \"b\") \"c\") "
            "AnyOrder{1,2}(\"\", \"a\" | \"b\", (\"a\" | \"b\")?, (\"a\" | \"b\") \"c\")?\n");
}

TEST_F(PrinterTest, Quantifiers) {
  ExprId a = Text("a");
  EXPECT_EQ(
      Print(builder_.AddSequence({builder_.AddStar(a), builder_.AddRepeat(a, 2, 2),
                                  builder_.AddRepeat(a, 2, kUnbounded), builder_.AddRepeat(a, 0, 3),
                                  builder_.AddStar(builder_.AddPlus(a))})),
      "root ::= \"a\"* \"a\"{2} \"a\"{2,} \"a\"{0,3} (\"a\"+)*\n");
}

TEST_F(PrinterTest, StartRuleIsFirst) {
  RuleId x = builder_.AddRule("x");
  builder_.SetBody(x, builder_.AddRuleRef(root_));
  builder_.SetBody(root_, Text("a"));
  EXPECT_EQ(GrammarToString(*builder_.Build(x)), "root ::= root_0\nroot_0 ::= \"a\"\n");
}

TEST_F(PrinterTest, LookaheadIsPrinted) {
  builder_.SetLookahead(root_, builder_.AddChoices({Text("b"), Text("c")}));
  EXPECT_EQ(Print(Text("a")), "root ::= \"a\" (=(\"b\" | \"c\"))\n");
}

TEST_F(PrinterTest, AutomatonIsRightLinear) {
  std::vector<CodePointDfa::State> states(3);
  states[0].edges = {{'0', '9', 1}, {'a', 'z', 0}};
  states[1].edges = {{'!', '!', 2}, {'0', '9', 1}};
  states[1].accept = true;
  states[2].accept = true;
  ExprId dfa = builder_.AddAutomaton(std::make_shared<const CodePointDfa>(std::move(states)));
  EXPECT_EQ(Print(builder_.AddSequence({Text("<"), dfa})),
            "root ::= \"<\" _dfa1_0\n"
            "_dfa1_0 ::= [0-9] _dfa1_1 | [a-z] _dfa1_0\n"
            "_dfa1_1 ::= \"!\" | [0-9] _dfa1_1 | \"\"\n");
}

TEST_F(PrinterTest, DeepExpressionsNeedNoNativeStack) {
  ExprId expr = Text("a");
  for (int i = 0; i < 100000; ++i) {
    expr = builder_.AddSequence({Text("("), builder_.AddPlus(expr)});
  }
  std::string text = Print(expr);
  EXPECT_GT(text.size(), 100000u);
}

TEST_F(PrinterTest, SharedExpressionsThatUnfoldTooFarAreALimit) {
  ExprId expr = Text("a");
  for (int i = 0; i < 60; ++i) {
    ExprId doubled = builder_.AddSequence({expr, builder_.AddPlus(expr)});
    expr = builder_.AddChoices({doubled, Text(std::to_string(i))});
  }
  try {
    Print(expr);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kLimit);
  }
}

}  // namespace
}  // namespace xgrammar
