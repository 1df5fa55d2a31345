// Right-linear rules: recursion that is only a loop (Chomsky 1959, type 3).
//
// A family of rules in which every recursive reference stands last, after characters, is a
// nondeterministic automaton written down as rules: printed automata are read back as such
// families, and so are many hand-written grammars. Folding one gives the same automaton as the
// expression that it was printed from.
#pragma once

#include <cstdint>

#include "lowering/fold_to_dfa.h"
#include "lowering/regular_facts.h"

namespace xgrammar {

/// The automaton of a recursive expression, or null if it is not right-linear over characters or
/// grows too large. Precondition: the expression is not foldable by itself.
ByteDfaPtr FoldRightLinear(const Grammar& grammar, const GrammarFacts& facts, ExprId expr,
                           RegularFacts* regular, DfaCache* cache);

}  // namespace xgrammar
