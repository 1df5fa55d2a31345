// Flat terms of the format `regex`: atoms, classes, quantifiers and assertions, without groups.
//
// Internal to the format (regex_format.h); groups are regex_groups.h and regex_rules.h.
#pragma once

#include "automata/code_point_automaton.h"

namespace xgrammar::json_schema {

/// Terms without groups, any number of them. Accepts after each whole term, so that the accepting
/// states are those in which a group may begin or end. State 0 is before a term.
CodePointDfa RegexTerms(bool with_classes);

}  // namespace xgrammar::json_schema
