// Formats of strings (json-schema.md 2.8) as automata over decoded characters.
#pragma once

#include <cstdint>
#include <string_view>

#include "automata/code_point_automaton.h"

namespace xgrammar::json_schema {

enum class FormatKind : uint8_t {
  kUnknown,      ///< Not a format that is asserted: an annotation.
  kRegular,      ///< FormatToDfa knows it.
  kUnsupported,  ///< Asserted by the standard, but not a regular language, or not implemented.
};

FormatKind FormatKindOf(std::string_view name);

/// A format's language over decoded characters, and over the characters between the quotes of a
/// JSON string.
struct FormatAutomata {
  CodePointDfaPtr decoded;
  CodePointDfaPtr spelled;
};

/// Precondition: FormatKindOf(name) is kRegular. Made once per process and never changed; safe to
/// call from any thread.
const FormatAutomata& AutomataOfFormat(std::string_view name);
/// The spelled form if `decoded` is one of the automata above, else null.
CodePointDfaPtr SpelledFormat(const CodePointDfaPtr& decoded);

}  // namespace xgrammar::json_schema
