// RegexAstToDfa: the automaton of a parsed pattern, shared by RegexToDfa and by lower.cc, which
// needs it for assertions that have no place in a grammar.
//
// Thompson's construction, then determinisation and minimisation over code points; bytes come later
// (automata/byte_nfa.h).
#pragma once

#include "automata/code_point_automaton.h"
#include "frontend/regex/ast.h"
#include "support/limits.h"

namespace xgrammar {

/// Minimal; see RegexToDfa for errors.
CodePointDfa RegexAstToDfa(const RegexAst& ast, const RegexFacts& facts, bool search,
                           const Limits& limits);

}  // namespace xgrammar
