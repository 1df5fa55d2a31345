// Thompson's construction: RegexAst -> CodePointNfa (Thompson 1968), with repetitions written out.
//
// Works on an explicit stack of (node, from, to) items, so nesting costs no native stack. How
// assertions appear is the caller's choice: as anchor edges, which Determinize understands, or as
// edges labelled with marker symbols, one for each assertion of the pattern (assertions.cc).
#pragma once

#include <cstdint>
#include <vector>

#include "automata/code_point_automaton.h"
#include "frontend/regex/ast.h"

namespace xgrammar {

/// Marker symbols stand above the last code point, where no text can hold them: kMarkerBase + node
/// index.
constexpr uint32_t kMarkerBase = 0x110000;

inline uint32_t MarkerOf(RegexNodeId assertion) {
  return kMarkerBase + static_cast<uint32_t>(assertion);
}

enum class AssertionForm : uint8_t {
  kAnchorEdges,  ///< `^` and `$` only; other assertions must not occur.
  kMarkers,
};

/// Adds the machine of `node` between two states of `nfa`. Neither state gets an edge that other
/// uses of it could notice: nothing enters `from` and nothing leaves `to`.
void AddRegexToNfa(const RegexAst& ast, RegexNodeId node, int32_t from, int32_t to,
                   AssertionForm form, CodePointNfa* nfa);

}  // namespace xgrammar
