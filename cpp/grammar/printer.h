// GrammarToString: Grammar -> EBNF text that the EBNF front end reads back into the same language.
//
// Contract (clients consume this text): one rule a line, `name ::= body`, the start rule first and
// called `root`, rule names match \w+, ends with a line end; a literal never contains a rule name
// as a whole word nor `::=` in clear text (one character is written as an escape), so that renaming
// rules by whole-word substitution cannot touch a literal. Printing what was re-read gives the same
// text again. Automata are printed as right-linear helper rules.
#pragma once

#include <string>

#include "grammar/grammar.h"

namespace xgrammar {

std::string GrammarToString(const Grammar& grammar);

}  // namespace xgrammar
