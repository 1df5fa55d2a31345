// Spelling: from decoded text to the characters between the quotes of a JSON string
// (json-schema.md 1.5).
//
// Constrained strings have one spelling per character, so an automaton over decoded text is turned
// into one over spelled text by replacing edges. Free keys keep every spelling; the names they must
// not decode to are followed through all of their spellings.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "automata/code_point_automaton.h"
#include "automata/code_point_set.h"
#include "grammar/builder.h"
#include "grammar/late_automaton.h"

namespace xgrammar::json_schema {

/// Characters that stand for themselves in a JSON string.
CodePointSet RawStringCharacters();

/// The canonical spellings of a language of decoded texts, without quotes. Linear.
CodePointDfa SpellCanonically(const CodePointDfa& decoded);
/// The same; the automaton itself where nothing needs an escape.
CodePointDfaPtr SpellCanonically(const CodePointDfaPtr& decoded);

/// The same, made when it is needed; null where that would save little.
LateAutomatonPtr SpellCanonicallyLater(const CodePointDfaPtr& decoded);

/// The canonical spellings of one character out of a set, as an expression.
ExprId SpellCharacter(const CodePointSet& decoded, GrammarBuilder* builder);

/// How many different beginnings names in order have, in bytes: what excluding them takes.
int64_t NumBeginnings(const std::vector<std::string_view>& names);
/// All spellings of all strings that decode to none of the names, without quotes. Linear in the
/// length of the names.
CodePointDfa SpellingsExcept(const std::vector<std::string_view>& names);
/// The same, made when it is needed, of names in order; null where that would save little.
LateAutomatonPtr SpellingsExceptLater(const std::vector<std::string_view>& names);

}  // namespace xgrammar::json_schema
