// EquivalentRows: which states of a complete transition table accept the same language; the
// minimisation step of byte automata (byte_dfa.cc). Code point automata, which have few and wide
// edges instead of rows, are reduced in minimize.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "automata/row_sources.h"

namespace xgrammar {

/// `targets` holds num_classes entries for each state, row by row: states, or kNoRow
/// (row_sources.h). Returns the block of each state; blocks are numbered from 0 without gaps, and
/// two states share one exactly if they are equivalent. Precondition: states from which nothing is
/// accepted are not targets.
std::vector<uint32_t> EquivalentRows(std::span<const uint32_t> targets, uint32_t num_classes,
                                     std::span<const uint8_t> accept, const RowSources& sources);

}  // namespace xgrammar
