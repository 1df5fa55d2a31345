// Product of two deterministic code point automata, shared by Intersect, Unite and Subtract.
//
// States are pairs made on demand from the pair of starts; -1 stands for a component that has
// failed. Internal to the code point automata.
#pragma once

#include "automata/code_point_automaton.h"

namespace xgrammar {

enum class ProductKind : uint8_t { kBoth, kEither, kOnlyFirst };

/// Minimal. Cost: the edges of the reachable pairs. Raises kLimit past `max_states` pairs.
CodePointDfa MakeProduct(const CodePointDfa& a, const CodePointDfa& b, ProductKind kind,
                         int64_t max_states);

}  // namespace xgrammar
