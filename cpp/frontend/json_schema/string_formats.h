// Formats of strings (json-schema.md 2.8) as automata over decoded characters.
#pragma once

#include <cstdint>
#include <string_view>

#include "automata/code_point_automaton.h"
#include "support/limits.h"

namespace xgrammar::json_schema {

enum class FormatKind : uint8_t {
  kUnknown,      ///< Not a format that is asserted: an annotation.
  kRegular,      ///< FormatToDfa knows it.
  kUnsupported,  ///< Asserted by the standard, but not a regular language, or not implemented.
};

FormatKind FormatKindOf(std::string_view name);

/// Precondition: FormatKindOf(name) is kRegular. Raises kLimit.
CodePointDfa FormatToDfa(std::string_view name, const Limits& limits);

}  // namespace xgrammar::json_schema
