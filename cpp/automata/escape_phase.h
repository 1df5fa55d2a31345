// EscapePhase: where a text stands inside an escape that begins with a backslash, as JSON, Python
// and others have them: a letter, with two hexadecimal digits after `x` and four after `u`.
//
// A phase is a small number, so that a count of characters can carry it along. Whether the escapes
// are the right ones is for the automata of the texts to say.
#pragma once

#include <cstdint>

namespace xgrammar {

/// Outside of escapes; after the backslash; with four, three, two digits or one left.
inline constexpr uint32_t kNumEscapePhases = 6;

constexpr uint32_t EscapePhaseAfter(uint32_t phase, uint32_t character) {
  if (phase == 0) return character == '\\' ? 1 : 0;
  if (phase == 1) return character == 'u' ? 2 : character == 'x' ? 4 : 0;
  return phase + 1 < kNumEscapePhases ? phase + 1 : 0;
}

}  // namespace xgrammar
