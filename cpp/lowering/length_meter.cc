// LengthMeter: the automaton as a graph of places, which are pairs of state and phase that some
// text leads to.
//
// What can follow each place is automata/text_lengths.h.
#include "lowering/length_meter.h"

#include <algorithm>

#include "support/error.h"

namespace xgrammar {

namespace {

// A table of 8 MiB: thousands of states whose texts differ in length for hundreds of characters.
constexpr int64_t kMaxTableBits = int64_t{1} << 26;

[[noreturn]] void ThrowTooLarge(bool is_escaped) {
  Error error(ErrorKind::kUnsupported,
              "The least length of a rule needs too large a table beside its automaton");
  error.Feature(is_escaped ? "min_escaped_length" : "min_length");
  throw error.Hint("lower the bound, or put it on a rule with fewer kinds of texts");
}

LengthGraph GraphOf(const ByteDfa& dfa, uint32_t num_phases) {
  return LengthGraph::Reached(dfa.num_states() * num_phases, [&](uint32_t place, const auto& add) {
    const uint32_t state = place / num_phases;
    const uint32_t phase = place % num_phases;
    for (uint32_t b = 0; b < 256; ++b) {
      const auto byte = static_cast<uint8_t>(b);
      const uint32_t target = dfa.Next(state, byte);
      if (target == ByteDfa::kDead) continue;
      const uint32_t next_phase = num_phases > 1 ? EscapePhaseAfter(phase, byte) : 0;
      add(target * num_phases + next_phase, phase == 0 && (byte & 0xC0) != 0x80);
    }
    return dfa.IsAccept(state);
  });
}

}  // namespace

LengthMeter::LengthMeter(const ByteDfa& dfa, Characters characters, int64_t min, int64_t max) {
  const bool is_escaped = characters == Characters::kEscaped;
  const int64_t largest = is_escaped ? kLargestEscapedBound : kLargestBound;
  if (min > largest) ThrowTooLarge(is_escaped);
  shift_ = is_escaped ? 3 : 0;
  num_phases_ = is_escaped ? kNumEscapePhases : 1;
  has_max_ = max != kNoMax;
  min_ = static_cast<uint64_t>(min);
  max_ = static_cast<uint64_t>(std::min(max, largest));
  const LengthGraph graph = GraphOf(dfa, num_phases_);
  least_ = graph.LeastLengths();
  needed_ = graph.MostNeeded(least_);
  for (const uint32_t least : least_) {
    if (least != LengthGraph::kNever) most_needed_ = std::max<uint64_t>(most_needed_, least);
  }
  if (min == 0) return;
  const int64_t width = has_max_ ? std::max<int64_t>(max - min, 0) : LengthWindows::kAnyWidth;
  windows_ = LengthWindows::Make(graph, min, width, kMaxTableBits);
  if (!windows_) ThrowTooLarge(is_escaped);
  settled_ = std::max<uint64_t>(windows_->settled_from(), 1);
}

ByteSet LengthMeter::FirstBytes(const ByteDfa& dfa, uint32_t state, uint32_t count) const {
  if (TakesAllInside(count, 1)) return dfa.first_bytes(state);
  ByteSet bytes;
  for (uint32_t b = 0; b < 256; ++b) {
    const auto byte = static_cast<uint8_t>(b);
    const uint32_t target = dfa.Next(state, byte);
    uint32_t after = count;
    if (target != ByteDfa::kDead && Read(target, byte, &after)) bytes.Add(byte);
  }
  return bytes;
}

int64_t LengthMeter::MemorySizeBytes() const {
  const int64_t table = windows_ ? windows_->MemorySizeBytes() : 0;
  return static_cast<int64_t>(sizeof(LengthMeter) +
                              (least_.size() + needed_.size()) * sizeof(uint32_t)) +
         table;
}

}  // namespace xgrammar
