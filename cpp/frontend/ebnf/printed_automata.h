// Automata in the text of a grammar: rules `_dfa1_0`, `_dfa1_1`, ... as str(grammar) writes them.
//
// The counterpart of what the printer does with expressions that are automata. It changes how the
// grammar is represented and never its language.
#pragma once

#include "grammar/grammar.h"
#include "support/limits.h"

namespace xgrammar::ebnf {

/// The same language with each such group of rules as one automaton again, so that a grammar that
/// was printed and read behaves as it did before. If one
/// group has another shape, all are left as they are.
GrammarPtr FoldPrintedAutomata(GrammarPtr grammar, const Limits& limits);

}  // namespace xgrammar::ebnf
