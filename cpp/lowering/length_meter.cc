// LengthMeter: the characters needed to end, by a search from the accepting states backwards.
//
// Breadth-first search with weights 0 and 1 (a deque; Dial 1969 in its simplest form) over the
// pairs of state and phase that some text leads to.
#include "lowering/length_meter.h"

#include <algorithm>
#include <deque>

namespace xgrammar {

namespace {

struct Edge {
  uint32_t from;
  uint32_t to;
  uint32_t weight;
  friend bool operator==(const Edge&, const Edge&) = default;
};

}  // namespace

LengthMeter::LengthMeter(const ByteDfa& dfa, Characters characters, int64_t max) {
  const bool is_escaped = characters == Characters::kEscaped;
  shift_ = is_escaped ? 3 : 0;
  num_phases_ = is_escaped ? kNumEscapePhases : 1;
  max_ = static_cast<uint64_t>(is_escaped ? std::min(max, kLargestEscapedBound) : max);
  const size_t num_pairs = size_t{dfa.num_states()} * num_phases_;
  needed_.assign(num_pairs, kNever);
  std::vector<bool> reached(num_pairs, false);
  std::vector<uint32_t> work{0};
  std::vector<std::vector<Edge>> into(num_pairs);
  std::deque<uint32_t> ready;
  reached[0] = true;
  while (!work.empty()) {
    const uint32_t pair = work.back();
    work.pop_back();
    const uint32_t state = pair / num_phases_;
    const uint32_t phase = pair % num_phases_;
    if (dfa.IsAccept(state)) {
      needed_[pair] = 0;
      ready.push_back(pair);
    }
    for (uint32_t b = 0; b < 256; ++b) {
      const auto byte = static_cast<uint8_t>(b);
      const uint32_t target = dfa.Next(state, byte);
      if (target == ByteDfa::kDead) continue;
      const uint32_t next_phase = is_escaped ? EscapePhaseAfter(phase, byte) : 0;
      const uint32_t weight = phase == 0 && (byte & 0xC0) != 0x80 ? 1 : 0;
      const uint32_t next = target * num_phases_ + next_phase;
      std::vector<Edge>& edges = into[next];
      const Edge edge{pair, next, weight};
      if (edges.empty() || !(edges.back() == edge)) edges.push_back(edge);
      if (reached[next]) continue;
      reached[next] = true;
      work.push_back(next);
    }
  }
  while (!ready.empty()) {
    const uint32_t pair = ready.front();
    ready.pop_front();
    for (const Edge& edge : into[pair]) {
      const uint32_t needed = needed_[pair] + edge.weight;
      if (needed >= needed_[edge.from]) continue;
      needed_[edge.from] = needed;
      if (edge.weight == 0) {
        ready.push_front(edge.from);
      } else {
        ready.push_back(edge.from);
      }
    }
  }
  for (const uint32_t needed : needed_) {
    if (needed != kNever) most_needed_ = std::max<uint64_t>(most_needed_, needed);
  }
}

ByteSet LengthMeter::FirstBytes(const ByteDfa& dfa, uint32_t state, uint32_t count) const {
  if (IsFar(count, 1)) return dfa.first_bytes(state);
  ByteSet bytes;
  for (uint32_t b = 0; b < 256; ++b) {
    const auto byte = static_cast<uint8_t>(b);
    const uint32_t target = dfa.Next(state, byte);
    uint32_t after = count;
    if (target != ByteDfa::kDead && Read(target, byte, &after)) bytes.Add(byte);
  }
  return bytes;
}

}  // namespace xgrammar
