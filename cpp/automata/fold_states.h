// FoldStates: minimisation of machines whose only cycles are loops at single states, in one pass.
//
// Counted texts, finite sets of texts, bounds of numbers, lengths and their products are such
// machines. Internal to the code point automata; Minimize falls back to partition refinement.
#pragma once

#include <optional>

#include "automata/dfa_table.h"

namespace xgrammar {

struct FoldedStates {
  DfaTable table;     ///< Minimal; only states that are reached and can accept.
  int32_t start = 0;  ///< -1: the language is empty and the table too.
};

/// Nothing if states lie on a cycle with others. Precondition: the edges of a state are sorted and
/// disjoint. Linear in the edges, apart from comparisons with states that loop.
std::optional<FoldedStates> FoldStates(const DfaTable& table);

}  // namespace xgrammar
