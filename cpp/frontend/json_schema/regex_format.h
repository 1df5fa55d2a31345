// The format `regex` (json-schema.md 2.8): which texts are regular expressions.
//
// ECMA-262 patterns nest, so they are no regular language. Generation takes a sound subset: groups
// nested to a fixed depth, look-around at the top, bounds of counts and of ranges that are seen to
// be in order. Values of the schema itself are judged by the parser of patterns, without a bound.
#pragma once

#include <string_view>

#include "automata/code_point_automaton.h"

namespace xgrammar::json_schema {

/// Patterns of ECMA-262 with the `u` flag, not all of them. Nested groups: up to three; named
/// groups: one (regex_groups.h).
CodePointDfa RegexFormatToDfa();
/// Their canonical spellings as characters of a JSON string.
CodePointDfa SpelledRegexFormatToDfa();

/// Texts among which all patterns are, of ECMA-262 with or without the `u` flag: what is left out
/// is no pattern for sure.
CodePointDfa RegexFormatCover();

/// Whether a text (well-formed UTF-8) is a pattern of ECMA-262 with the `u` flag.
bool IsRegularExpression(std::string_view text);

}  // namespace xgrammar::json_schema
