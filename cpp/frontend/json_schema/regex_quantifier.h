// Quantifiers of the format `regex`: `*`, `+`, `?`, `{n}`, `{n,}` and `{n,m}`, each perhaps with
// the `?` of a lazy one.
//
// Internal to the format (regex_format.h). Bounds are seen to be in order while the first one has
// at most two digits, or the second one more digits than the first.
#pragma once

#include "automata/code_point_automaton.h"

namespace xgrammar::json_schema {

/// A quantifier.
CodePointDfa RegexQuantifier();
/// What follows the `{` of one.
CodePointDfa RegexQuantifierRest();

}  // namespace xgrammar::json_schema
