// Parts of the format `regex`: character classes and escapes.
//
// Internal to the format (regex_format.h), which puts them together and says what is left out.
#pragma once

#include <string>

#include "automata/code_point_automaton.h"

namespace xgrammar::json_schema {

/// The texts that a regular expression matches as a whole; a dot is any character.
CodePointDfa RegexPart(const std::string& regex);

/// What may follow a backslash inside and outside of classes, as a regular expression.
std::string RegexEscapes();
/// Those of one letter or sign outside of classes, and all others.
std::string RegexShortEscapes();
std::string RegexLongEscapes();

/// Character classes, from `[` to `]`, with ranges that are seen to be in order.
CodePointDfa RegexClass();
/// Their canonical spellings in a JSON string.
CodePointDfa SpelledRegexClass();

}  // namespace xgrammar::json_schema
