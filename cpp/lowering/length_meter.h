// LengthMeter: bounds on the characters of one text of an automaton, next to the automaton.
//
// The product of an automaton and a count has as many states as both multiplied. Here the count
// stays a number in the parse item, and each state of the automaton knows how many characters may
// follow until a text ends (automata/text_lengths.h). A byte may be read exactly if what has been
// counted and what can follow meet both bounds, so no text is begun that cannot be ended in time,
// or not late enough. Characters are code points, or those of a quoted string, in which an escape
// counts as one; then the place inside an escape is kept in the low bits of the count.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "automata/byte_dfa.h"
#include "automata/escape_phase.h"
#include "automata/text_lengths.h"

namespace xgrammar {

class LengthMeter {
 public:
  enum class Characters : uint8_t { kCodePoints, kEscaped };
  /// Bounds that a count can hold; a larger upper one is taken for it.
  static constexpr int64_t kLargestEscapedBound = int64_t{1} << 28;
  static constexpr int64_t kLargestBound = int64_t{1} << 31;
  static constexpr int64_t kNoMax = -1;

  /// `dfa` is borrowed for the call only. Raises kUnsupported if the lower bound is larger than a
  /// count can hold, or needs too large a table.
  LengthMeter(const ByteDfa& dfa, Characters characters, int64_t min, int64_t max);

  /// Reads a byte that leads to `target`: advances the count. False if the bounds forbid the byte.
  bool Read(uint32_t target, uint8_t byte, uint32_t* count) const {
    uint32_t phase = PhaseOf(*count);
    uint64_t length = LengthOf(*count);
    // Bytes that continue a code point or an escape are not counted; nor is what lies behind the
    // lower bound if there is no upper one.
    if (phase == 0 && (byte & 0xC0) != 0x80 && (has_max_ || length < min_)) ++length;
    if (shift_ != 0) phase = EscapePhaseAfter(phase, byte);
    *count = static_cast<uint32_t>(length) << shift_ | phase;
    return CanEnd(target * num_phases_ + phase, length);
  }
  /// Whether so many characters are enough.
  bool MayEnd(uint32_t count) const { return LengthOf(count) >= min_; }
  /// Whether some text meets the bounds at all.
  bool HasText() const { return (!has_max_ || min_ <= max_) && CanEnd(0, 0); }
  /// Whether no text of `num_bytes` bytes read from here can meet a bound: there are enough
  /// characters, and never too many.
  bool IsFar(uint32_t count, uint32_t num_bytes) const {
    return MayEnd(count) && IsFarFromMax(count, num_bytes);
  }
  /// Whether no text of that many bytes is long enough, nor near the place from where on it
  /// matters how many characters are missing. Then all such counts are alike.
  bool IsShort(uint32_t count, uint32_t num_bytes) const {
    const uint64_t after = LengthOf(count) + num_bytes;
    return after < min_ && min_ - after >= settled_;
  }
  /// Whether a text of that many bytes may take any way that stays inside the automaton.
  bool TakesAllInside(uint32_t count, uint32_t num_bytes) const {
    return (!windows_ || windows_->AllFit()) && IsFarFromMax(count, num_bytes);
  }
  /// What the upper bound leaves to a text: it stays inside with up to `left` - `needed` characters
  /// whatever they are, and with more than `left` never.
  struct Room {
    uint32_t left = 0;
    uint32_t needed = 0;  ///< Characters until an end, at most.
  };
  /// For texts read from a state. None within an escape, without an upper bound, or where the lower
  /// bound forbids some of them.
  std::optional<Room> RoomAt(uint32_t state, uint32_t count) const {
    const uint64_t length = LengthOf(count);
    if (!has_max_ || PhaseOf(count) != 0) return std::nullopt;
    if (length < min_ && !windows_->AllFit()) return std::nullopt;
    const uint64_t left = length < max_ ? max_ - length : 0;
    return Room{static_cast<uint32_t>(left), needed_[size_t{state} * num_phases_]};
  }
  /// Characters from a state, outside of escapes, until an end, at least.
  uint32_t LeastFrom(uint32_t state) const { return least_[size_t{state} * num_phases_]; }
  bool counts_escapes() const { return shift_ != 0; }
  /// One of all the counts that are alike for texts of up to that many bytes.
  uint32_t NormalCount(uint32_t count, uint32_t num_bytes) const {
    if (IsShort(count, num_bytes)) return PhaseOf(count);
    if (IsFar(count, num_bytes)) return static_cast<uint32_t>(min_) << shift_ | PhaseOf(count);
    return count;
  }
  /// The bytes that may be read in a state at a count.
  ByteSet FirstBytes(const ByteDfa& dfa, uint32_t state, uint32_t count) const;
  int64_t MemorySizeBytes() const;

 private:
  uint32_t PhaseOf(uint32_t count) const { return count & ((uint32_t{1} << shift_) - 1); }
  uint64_t LengthOf(uint32_t count) const { return count >> shift_; }
  bool CanEnd(uint32_t place, uint64_t length) const {
    if (length < min_) return windows_->Fits(place, min_ - length);
    return !has_max_ || length + least_[place] <= max_;
  }
  bool IsFarFromMax(uint32_t count, uint32_t num_bytes) const {
    return !has_max_ || LengthOf(count) + num_bytes + most_needed_ <= max_;
  }

  uint32_t shift_ = 0;
  uint32_t num_phases_ = 1;
  bool has_max_ = false;
  uint64_t min_ = 0;
  uint64_t max_ = 0;
  uint64_t most_needed_ = 0;
  uint64_t settled_ = 0;
  std::vector<uint32_t> least_;           ///< By state and phase.
  std::vector<uint32_t> needed_;          ///< The largest of `least_` from there on.
  std::optional<LengthWindows> windows_;  ///< With a lower bound.
};

}  // namespace xgrammar
