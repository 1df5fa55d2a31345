// LengthMeter: an upper bound on the characters of one text of an automaton, next to the automaton.
//
// The product of an automaton and a count has as many states as both multiplied. Here the count
// stays a number in the parse item, and each state of the automaton knows how many characters a
// text needs at least to end from there (shortest paths with weights 0 and 1). A byte may be read
// exactly if what has been counted and what is needed from then on fit into the bound, so no text
// is begun that cannot be ended in time. Characters are code points, or those of a quoted string,
// in which an escape counts as one; then the place inside an escape is kept in the low bits of the
// count. Lower bounds are no business of this class.
#pragma once

#include <cstdint>
#include <vector>

#include "automata/byte_dfa.h"
#include "automata/escape_phase.h"

namespace xgrammar {

class LengthMeter {
 public:
  enum class Characters : uint8_t { kCodePoints, kEscaped };
  /// Bounds that a count can hold; larger ones are taken for it.
  static constexpr int64_t kLargestEscapedBound = int64_t{1} << 28;

  /// `dfa` is borrowed for the call only.
  LengthMeter(const ByteDfa& dfa, Characters characters, int64_t max);

  /// Reads a byte that leads to `target`: advances the count. False if the bound forbids the byte.
  bool Read(uint32_t target, uint8_t byte, uint32_t* count) const {
    const uint32_t phase = PhaseOf(*count);
    // Bytes that continue a code point or an escape are not counted.
    if (phase == 0 && (byte & 0xC0) != 0x80) *count += uint32_t{1} << shift_;
    if (shift_ != 0) *count += EscapePhaseAfter(phase, byte) - phase;
    return LengthOf(*count) + Needed(target, PhaseOf(*count)) <= max_;
  }
  /// Whether some text fits at all.
  bool HasText() const { return Needed(0, 0) <= max_; }
  /// Whether no text of `num_bytes` bytes read from here can meet the bound.
  bool IsFar(uint32_t count, uint32_t num_bytes) const {
    return LengthOf(count) + num_bytes + most_needed_ <= max_;
  }
  /// The bytes that may be read in a state at a count.
  ByteSet FirstBytes(const ByteDfa& dfa, uint32_t state, uint32_t count) const;
  int64_t MemorySizeBytes() const {
    return static_cast<int64_t>(sizeof(LengthMeter) + needed_.size() * sizeof(uint32_t));
  }

 private:
  static constexpr uint32_t kNever = 0xFFFFFFFF;

  uint32_t PhaseOf(uint32_t count) const { return count & ((uint32_t{1} << shift_) - 1); }
  uint64_t LengthOf(uint32_t count) const { return count >> shift_; }
  uint64_t Needed(uint32_t state, uint32_t phase) const {
    return needed_[state * num_phases_ + phase];
  }

  uint32_t shift_ = 0;
  uint32_t num_phases_ = 1;
  uint64_t max_ = 0;
  uint64_t most_needed_ = 0;
  std::vector<uint32_t> needed_;  // By state and phase; kNever where no text leads to.
};

}  // namespace xgrammar
