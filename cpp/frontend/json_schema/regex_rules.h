// Rules of the format `regex`: the same language as its automaton (regex_format.h), where nothing
// is combined with it.
//
// As an automaton, the terms are copied for each depth of groups and each place beside a named
// group. As rules, one automaton of classes and one of other terms serve all of these, so that
// little is made before it is met, and what is learned about tokens inside of a class is learned
// once.
#pragma once

#include "grammar/builder.h"

namespace xgrammar::json_schema {

/// Adds the rules of SpelledRegexFormatToDfa; returns what matches its texts, or all but the empty
/// one.
ExprId AddRegexFormat(GrammarBuilder* builder, bool may_be_empty = true);

}  // namespace xgrammar::json_schema
