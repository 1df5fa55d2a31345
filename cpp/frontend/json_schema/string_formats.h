// Formats of strings (json-schema.md 2.8) as automata over decoded characters.
//
// Most are patterns after the grammars of their RFCs, translated once per process. Unknown formats
// are annotations; known ones that are no regular language are refused by the merging stage.
// `regex` has a file of its own (regex_format.h).
#pragma once

#include <cstdint>
#include <string_view>

#include "automata/code_point_automaton.h"
#include "frontend/json_schema/schema.h"

namespace xgrammar::json_schema {

enum class FormatKind : uint8_t {
  kUnknown,      ///< Not a format that is asserted: an annotation.
  kRegular,      ///< AutomataOfFormat knows it.
  kSubset,       ///< AutomataOfFormat knows some of it: no use for complements.
  kUnsupported,  ///< Asserted by the standard, but not a regular language, or not implemented.
};

FormatKind FormatKindOf(std::string_view name);
/// Whether AutomataOfFormat has an automaton for it.
inline bool HasAutomaton(FormatKind kind) {
  return kind == FormatKind::kRegular || kind == FormatKind::kSubset;
}

/// Characters that a text of a format has at most, beside what its automaton says; kNoMaximum if
/// that is all. (With the length, the automaton of host names would have 16,000 states.)
int64_t MaxLengthOfFormat(std::string_view name);

/// A format's language over decoded characters, and over the characters between the quotes of a
/// JSON string.
struct FormatAutomata {
  CodePointDfaPtr decoded;
  CodePointDfaPtr spelled;
};

/// Precondition: HasAutomaton. Made once per process and never changed; safe to
/// call from any thread.
const FormatAutomata& AutomataOfFormat(std::string_view name);
/// Texts among which all texts of a format are, for complements: `decoded` but for formats of which
/// that is a part. As above.
CodePointDfaPtr CoverOfFormat(std::string_view name);
/// The spelled form if `decoded` is one of the automata above, else null.
CodePointDfaPtr SpelledFormat(const CodePointDfaPtr& decoded);

}  // namespace xgrammar::json_schema
