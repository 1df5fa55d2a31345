// Strings and names of Python as automata and spellings (Python Language Reference 2.3 and 2.4).
//
// Single and double quotes only: triple quotes, prefixes and joined literals are not written. What
// a string holds and where it stands is the style's matter (pythonic.h).
#pragma once

#include <array>
#include <string_view>

#include "automata/code_point_automaton.h"
#include "automata/code_point_set.h"
#include "frontend/json_schema/styles/respell.h"
#include "grammar/builder.h"
#include "support/limits.h"

namespace xgrammar::json_schema {

inline constexpr std::array<std::string_view, 2> kPythonQuotes = {"'", "\""};

/// The spellings of characters that do not stand for themselves between the quotes.
Spellings PythonSpellings(std::string_view quote);
/// What may stand between the quotes: every spelling of every text.
CodePointDfa AnyPythonBody(std::string_view quote, const Limits& limits);
/// One character of the set in its spelling.
ExprId SpellPythonCharacter(const CodePointSet& characters, const Spellings& spellings,
                            GrammarBuilder* builder);
/// Identifiers in ASCII that are no keywords.
CodePointDfa PythonNames(const Limits& limits);
/// Raises kUnsupported for a name of an argument that is none of these.
void CheckPythonName(std::string_view name);

}  // namespace xgrammar::json_schema
