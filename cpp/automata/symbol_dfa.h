// SymbolDfa: a deterministic automaton over the symbols of an Alphabet, the form in which machines
// are minimised.
//
// Partial: a missing transition rejects. Internal to the code point automata (determinize.cc makes
// one, minimize.cc reduces it, SpellRanges turns it back into ranges).
#pragma once

#include <cstdint>
#include <vector>

#include "automata/alphabet.h"
#include "automata/code_point_automaton.h"

namespace xgrammar {

/// State 0 is the start.
struct SymbolDfa {
  struct Transition {
    int32_t source = 0;
    int32_t symbol = 0;
    int32_t target = 0;
  };
  std::vector<uint8_t> accept;  ///< One per state.
  std::vector<Transition> transitions;
};

/// Merges equivalent states and drops the transitions into dead ones. O(m log m) for m transitions.
SymbolDfa MinimizeSymbolDfa(const SymbolDfa& dfa);

CodePointDfa SpellRanges(const SymbolDfa& dfa, const Alphabet& alphabet);

}  // namespace xgrammar
