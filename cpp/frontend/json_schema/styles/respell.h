// Respelling: texts in which some characters are written as others, such as entities or escapes,
// for single texts and for languages of texts.
//
// Used by styles whose strings are not JSON. One spelling for each character; several spellings of
// one text are string_spelling.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "automata/code_point_automaton.h"

namespace xgrammar::json_schema {

/// Code point -> how it is written, in ASCII. No spelling is the start of another one, and the
/// characters with which spellings begin have spellings themselves, so that texts can be read back.
using Spellings = std::map<uint32_t, std::string>;

/// `text` is well-formed UTF-8. Linear in the text.
std::string Respell(std::string_view text, const Spellings& spellings);
/// Linear in the automaton, times the number of spellings.
CodePointDfa Respell(const CodePointDfa& texts, const Spellings& spellings);

}  // namespace xgrammar::json_schema
