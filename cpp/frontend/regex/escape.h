// Escapes and character classes of a regular expression: the parts of the syntax that denote
// characters.
//
// escape.cc reads what follows a backslash, character_class.cc what stands in brackets. Both are
// ECMA-262 with the `u` flag plus the tolerances of docs/reference/regex.md.
#pragma once

#include "automata/code_point_set.h"
#include "frontend/regex/reader.h"

namespace xgrammar {

/// What one escape means.
struct RegexEscape {
  enum class Kind : uint8_t { kChar, kSet, kTextStart, kTextEnd, kWordBoundary, kNotWordBoundary };
  Kind kind = Kind::kChar;
  uint32_t code_point = 0;  ///< kChar; may be a surrogate, which no text holds.
  CodePointSet set;         ///< kSet.
};

/// Reads an escape; the reader stands on the backslash. In a class `\b` is U+0008 and assertions
/// are refused.
RegexEscape ReadRegexEscape(RegexReader* reader, bool in_class, bool ignore_case);

/// Reads a class; the reader stands on the opening bracket.
CodePointSet ReadRegexClass(RegexReader* reader, bool ignore_case);

/// Adds the other case of every ASCII letter in the set.
CodePointSet FoldAsciiCase(const CodePointSet& set);

}  // namespace xgrammar
