// Groups of the format `regex`: what stands between parentheses, put together from flat terms.
//
// Copies of the terms for each depth of nesting make a pushdown automaton with a bounded stack.
// Look-around, and one named group with references to it, are copies and states of their own.
#pragma once

#include "automata/code_point_automaton.h"

namespace xgrammar::json_schema {

/// Patterns with groups up to three deep from the automaton of their terms without groups, which
/// accepts between terms. `is_spelled`: of terms in their canonical spelling in a JSON string.
CodePointDfa NestRegexTerms(const CodePointDfa& terms, bool is_spelled);

}  // namespace xgrammar::json_schema
