// What a JSON string may hold as it is, and the escapes that spell the rest (RFC 8259, section 7).
//
// Tables for the automata of spellings (string_spelling.cc, spellings_except.cc). Writing a known
// text is json/writer.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "automata/code_point_set.h"
#include "support/utf8.h"

namespace xgrammar::json_schema {

struct ShortEscape {
  char letter;
  uint32_t code_point;
};
/// The escapes of one letter, by letter, without the superfluous one of the slash.
constexpr std::array<ShortEscape, 7> kCanonicalEscapes = {
    {{'"', '"'}, {'\\', '\\'}, {'b', 8}, {'f', 12}, {'n', 10}, {'r', 13}, {'t', 9}}};

constexpr bool HasShortEscape(uint32_t code_point) {
  return std::any_of(kCanonicalEscapes.begin(), kCanonicalEscapes.end(),
                     [&](const ShortEscape& escape) { return escape.code_point == code_point; });
}

constexpr char HexLetter(uint32_t value) {
  return static_cast<char>(value < 10 ? '0' + value : 'a' + value - 10);
}

/// Characters that a JSON string may hold as they are.
constexpr std::array<CodePointRange, 4> kRawRanges = {{{0x20, '"' - 1},
                                                       {'"' + 1, '\\' - 1},
                                                       {'\\' + 1, kSurrogateFirst - 1},
                                                       {kSurrogateLast + 1, kMaxCodePoint}}};
constexpr uint32_t kNumControls = 0x20;

}  // namespace xgrammar::json_schema
