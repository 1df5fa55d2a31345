// Automata in printed grammars: rules that the printer wrote for an automaton are read back as that
// automaton, so that printing a second time gives the same text.
//
// Rules that only look like it (another shape, another name, options) are left alone. The printed
// shape itself is tests/cpp/grammar/printer_test.cc.
#include "frontend/ebnf/printed_automata.h"

#include <gtest/gtest.h>

#include "frontend/ebnf/parser.h"
#include "grammar/printer.h"

namespace xgrammar::ebnf {
namespace {

bool HasAutomaton(const Grammar& grammar) {
  for (ExprId id = 0; id < grammar.num_exprs(); ++id) {
    if (grammar.kind(id) == ExprKind::kAutomaton) return true;
  }
  return false;
}

TEST(PrintedAutomata, AreAutomataAgain) {
  const GrammarPtr grammar = ParseEbnf(
      "root ::= x y TagDispatch(excludes=(\"a\",)) Regex(\"(ab|[c-f])*g\")\n"
      "x[max_chars=4] ::= TagDispatch(excludes=(\"ab\",))\ny ::= Substring(\"p\", \"qr\")");
  const std::string printed = GrammarToString(*grammar);
  const GrammarPtr again = ParseEbnf(printed);
  EXPECT_EQ(again->num_rules(), grammar->num_rules());
  EXPECT_TRUE(HasAutomaton(*again));
  EXPECT_EQ(GrammarToString(*again), printed);
}

TEST(PrintedAutomata, OtherRulesAreLeftAlone) {
  for (const char* source : {
           "root ::= _dfa1_0\n_dfa1_0 ::= \"ab\" _dfa1_0 | \"\"\n",
           "root ::= _dfa1_0\n_dfa1_0 ::= \"a\" _dfa1_0 | \"a\"\n",
           "root ::= _dfa1_0\n_dfa1_0 ::= \"a\" root | \"b\"\n",
           "root ::= _dfa1_0 | _dfa1_1\n_dfa1_0 ::= \"a\" _dfa1_1\n_dfa1_1 ::= \"b\"\n",
           "root ::= _dfa1_0\n_dfa1_0 ::= \"a\" _dfa2_1\n_dfa2_0 ::= \"b\"\n_dfa2_1 ::= \"c\"\n",
           "root ::= _dfa1_1\n_dfa1_1 ::= \"b\" _dfa1_1 | \"c\"\n",
           "root ::= _dfa1_0\n_dfa1_0[max_chars=3] ::= [a-z] _dfa1_0 | \"\"\n",
       }) {
    const GrammarPtr grammar = ParseEbnf(source);
    EXPECT_FALSE(HasAutomaton(*grammar)) << source;
    EXPECT_EQ(GrammarToString(*grammar), source);
  }
}

}  // namespace
}  // namespace xgrammar::ebnf
