// Automata of patterns with look-around or word boundaries.
//
// Called by regex_automaton.h for patterns that have such assertions; all others never pay for it.
// The method is told in assertions.cc.
#pragma once

#include "automata/code_point_automaton.h"
#include "frontend/regex/ast.h"
#include "support/limits.h"

namespace xgrammar {

/// The language of `ast`, as a full match, or with `search` the texts that have a match in them.
/// Exact for every assertion at every place. Raises kLimit past Limits::max_dfa_states for any
/// intermediate machine.
CodePointDfa ResolveAssertions(const RegexAst& ast, bool search, const Limits& limits);

}  // namespace xgrammar
