// CopyKinds: of the automaton of one copy of a repetition, the kinds of bytes (byte_kind.h) each
// character of which is a copy.
//
// Most repetitions with counts are of characters: [a-z0-9]{1,64}, or any character with escapes for
// a few. In a text of these kinds the copies are its characters.
#pragma once

#include <cstdint>

#include "automata/byte_dfa.h"

namespace xgrammar {

/// Precondition: the language is prefix-free.
uint16_t KindsOfCopies(const ByteDfa& dfa);

}  // namespace xgrammar
