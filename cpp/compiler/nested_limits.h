// Limits within limits: rules with max_chars below rules with a limit of their own.
//
// A stage of its own between a finished grammar and the parser, which counts for one rule at a
// time: what can be said by an automaton is said by one here. Token limits are not folded, because
// no automaton over bytes sees tokens.
#pragma once

#include "grammar/grammar.h"
#include "support/limits.h"

namespace xgrammar {

/// The grammar with `max_chars` of each rule that stands in another limited rule made a part of its
/// language; the same object if there is none. The parser counts for one rule at a time. A rule
/// whose body is no small regular language stays as it is, for the parser to refuse.
GrammarPtr FoldNestedLimits(GrammarPtr grammar, const Limits& limits);

}  // namespace xgrammar
