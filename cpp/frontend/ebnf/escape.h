// Escape sequences of EBNF strings and character classes, as docs/reference/ebnf.md lists them.
//
// Used by the lexer for both places, and for the texts in rule options. Escapes of patterns are
// another language (frontend/regex/escape.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace xgrammar::ebnf {

enum class EscapeContext : uint8_t { kString, kCharClass };

struct Escape {
  uint32_t code_point = 0;
  size_t size = 0;                ///< Bytes of the sequence with its backslash; 0 if it is invalid.
  const char* problem = nullptr;  ///< Why it is invalid, as a message without position.
  const char* hint = nullptr;     ///< What to write instead, or null.
};

/// Reads the sequence whose backslash is at `offset`. Two escapes that spell a surrogate pair are
/// one code point.
Escape ReadEscape(std::string_view source, size_t offset, EscapeContext context);

}  // namespace xgrammar::ebnf
