// LiveKinds: the search from one state.
//
// A search that grows too large is given up, and the kinds are narrowed to those that lead back to
// the state itself, which is a search of one state. States are stepped by the runs of bytes that
// the automaton does not tell apart.
#include "mask/live_kinds.h"

#include <algorithm>
#include <bit>
#include <span>

namespace xgrammar {

namespace {

// More states than this are hardly a loop or a chain; looking at them costs more than reading
// nodes.
constexpr size_t kMaxReached = 96;
// A loop that remembers a character, as within a character class of which the lower end of a range
// is known, has a state for each one. What takes any word is worth a few searches of that size.
constexpr size_t kMaxReachedByWords = 512;
constexpr int kMaxLargeSearches = 4;
// Most tokens are alive if texts of this length are.
constexpr uint32_t kManySteps = 6;
constexpr uint16_t kAsciiKinds = static_cast<uint16_t>(~(kNonAsciiKinds | kIllFormedBelow));

struct ByteRange {
  uint8_t lo;
  uint8_t hi;
};
// Lead bytes of one kind, and continuation bytes, that NextUtf8State treats alike.
constexpr std::array<ByteRange, 10> kLeads{{{0xC2, 0xC2},
                                            {0xC3, 0xDF},
                                            {0xE0, 0xE0},
                                            {0xE1, 0xE3},
                                            {0xE4, 0xEC},
                                            {0xED, 0xED},
                                            {0xEE, 0xEF},
                                            {0xF0, 0xF0},
                                            {0xF1, 0xF3},
                                            {0xF4, 0xF4}}};
constexpr std::array<ByteRange, 3> kContinuations{{{0x80, 0x8F}, {0x90, 0x9F}, {0xA0, 0xBF}}};

constexpr std::array<ByteSet, 16> kBytesOfKind = [] {
  std::array<ByteSet, 16> sets{};
  for (size_t b = 0; b < 0x80; ++b) {
    const auto byte = static_cast<uint8_t>(b);
    sets[static_cast<size_t>(ByteKind(byte))].words[b >> 6] |= uint64_t{1} << (b & 63);
  }
  return sets;
}();

}  // namespace

uint16_t LiveKinds::FindKindsThatLeadOn(uint32_t state) const {
  const ByteSet& first = dfa_.first_bytes(state);
  uint16_t kinds = 0;
  for (size_t k = 0; k < kBytesOfKind.size(); ++k) {
    const ByteSet& bytes = kBytesOfKind[k];
    const bool all =
        (bytes.words[0] & ~first.words[0]) == 0 && (bytes.words[1] & ~first.words[1]) == 0;
    if (all) kinds |= static_cast<uint16_t>(1u << k);
  }
  return static_cast<uint16_t>(kinds & ~kIllFormedBelow);
}

void LiveKinds::Find(uint32_t state) {
  Answer answer{KindsThatLeadOn(state), 0, false, true};
  while (answer.kinds != 0 && Narrow(state, &answer)) {
  }
  answer.may_end = may_end_;
  if (answer.kinds != 0) Share(state, answer);
  answers_[state] = answer;
}

bool LiveKinds::Narrow(uint32_t state, Answer* answer) {
  ++search_;
  reached_.clear();
  may_end_ = false;
  answer->steps = kMaxSteps;
  kinds_ = answer->kinds;
  is_dead_ = false;
  size_t max_reached = kMaxReached;
  Add({state, Utf8State::kBoundary, 0, 0});
  for (size_t i = 0; i < reached_.size(); ++i) {
    const Reached from = reached_[i];
    if (reached_.size() > max_reached && !TakesLargeSearch(*answer, &max_reached)) {
      return !IsFarEnough(from, answer) && DropWhatLeadsAway(state, answer);
    }
    if (from.steps >= kMaxSteps) continue;
    if (from.utf8 == Utf8State::kBoundary) {
      may_end_ = may_end_ || dfa_.IsAccept(from.state);
      StepAscii(from);
    }
    const uint16_t failing = is_dead_ ? uint16_t{0} : StepCharacter(from);
    if (is_dead_) return NarrowToDead(answer);
    if (failing != 0) {
      if (IsFarEnough(from, answer)) return false;
      answer->kinds &= static_cast<uint16_t>(~failing);
      return true;
    }
  }
  return false;
}

bool LiveKinds::NarrowToDead(Answer* answer) {
  const Reached at = reached_.back();
  const auto dead = static_cast<uint16_t>(answer->kinds & ~leading_on_[at.state]);
  // The end of a word that text must not hold: without the kind of its last byte the length
  // does not matter, and tokens of the others are known (kind_masks.h).
  if (IsBesideWords(at, dead, *answer) || !IsFarEnough(at, answer))
    return DropDead(at, dead, answer);
  for (const Reached& nearer : reached_) {
    may_end_ = may_end_ || (nearer.utf8 == Utf8State::kBoundary && nearer.steps < at.steps &&
                            dfa_.IsAccept(nearer.state));
  }
  return false;
}

bool LiveKinds::TakesLargeSearch(const Answer& answer, size_t* max_reached) {
  if (*max_reached > kMaxReached || (answer.kinds & KindBit('a')) == 0) return false;
  if (num_large_searches_ == kMaxLargeSearches) return false;
  ++num_large_searches_;
  *max_reached = kMaxReachedByWords;
  return true;
}

bool LiveKinds::IsFarEnough(const Reached& at, Answer* answer) {
  // Breadth first: whatever is nearer has been looked at.
  if (at.steps < kManySteps) return false;
  answer->steps = static_cast<uint8_t>(at.steps);
  return true;
}

bool LiveKinds::LeavesWords(uint16_t dropped, const Answer& answer) {
  constexpr uint16_t kWords = KindBit('a') | KindBit(' ');
  return std::popcount(dropped) == 1 && (answer.kinds & ~dropped & kWords) == kWords;
}

bool LiveKinds::IsBesideWords(const Reached& at, uint16_t dead, const Answer& answer) {
  return LeavesWords(dead, answer) ||
         LeavesWords(static_cast<uint16_t>(answer.kinds & at.by), answer);
}

bool LiveKinds::DropDead(const Reached& at, uint16_t dead, Answer* answer) const {
  const auto by = static_cast<uint16_t>(answer->kinds & at.by);
  bool drops_by = by != 0 && std::popcount(by) < std::popcount(dead);
  // Of two kinds, the space is the one that most tokens hold.
  if (std::popcount(by) == 1 && std::popcount(dead) == 1)
    drops_by = LeavesWords(by, *answer) && !LeavesWords(dead, *answer);
  answer->kinds &= static_cast<uint16_t>(drops_by ? ~by : ~dead);
  return true;
}

bool LiveKinds::DropWhatLeadsAway(uint32_t state, Answer* answer) const {
  // Those kinds are left that lead back to the state.
  uint16_t back = answer->kinds;
  const std::span<const uint8_t> runs = dfa_.byte_runs();
  for (size_t r = 0; r < runs.size(); ++r) {
    if (dfa_.Next(state, runs[r]) != state) back &= static_cast<uint16_t>(~run_kinds_[r]);
  }
  if (back == answer->kinds) back &= kAsciiKinds;  // Characters cut to too many pieces.
  answer->kinds = back != answer->kinds ? back : uint16_t{0};
  return answer->kinds != 0;
}

void LiveKinds::Share(uint32_t state, const Answer& answer) {
  const bool is_bounded = answer.steps < kMaxSteps || reached_.back().steps >= kMaxSteps;
  for (const Reached& at : reached_) {
    if (at.utf8 != Utf8State::kBoundary || at.steps >= answer.steps) continue;
    if (answers_[at.state].is_known) continue;
    const auto others =
        static_cast<uint16_t>(KindsThatLeadOn(at.state) & ~answer.kinds & kAsciiKinds);
    if (others != 0 && (is_bounded || !LeadsTo(at.state, state))) continue;
    answers_[at.state] = answer;
    if (is_bounded) answers_[at.state].steps = static_cast<uint8_t>(answer.steps - at.steps);
  }
}

bool LiveKinds::LeadsTo(uint32_t from, uint32_t to) const {
  const std::span<const uint8_t> runs = dfa_.byte_runs();
  return std::ranges::any_of(runs, [&](uint8_t byte) { return dfa_.Next(from, byte) == to; });
}

void LiveKinds::StepAscii(const Reached& from) {
  const std::span<const uint8_t> runs = dfa_.byte_runs();
  for (size_t r = 0; r < runs.size() && runs[r] < 0x80 && !is_dead_; ++r) {
    if ((run_kinds_[r] & kinds_) == 0) continue;
    const uint32_t target = dfa_.Next(from.state, runs[r]);
    // A run may begin with bytes of other kinds; they lead where the rest of it leads.
    if (target == ByteDfa::kDead) continue;
    Add({target, Utf8State::kBoundary, from.steps + 1, run_kinds_[r]});
  }
}

uint16_t LiveKinds::StepCharacter(const Reached& from) {
  const std::span<const uint8_t> runs = dfa_.byte_runs();
  const bool begins = from.utf8 == Utf8State::kBoundary;
  const std::span<const ByteRange> ranges =
      begins ? std::span<const ByteRange>(kLeads) : std::span<const ByteRange>(kContinuations);
  for (const ByteRange& range : ranges) {
    const Utf8State utf8 = NextUtf8State(from.utf8, range.lo);
    if (utf8 == Utf8State::kIllFormed) continue;
    const uint16_t by = begins ? KindBit(range.lo) : from.by;
    if ((by & kinds_ & kNonAsciiKinds) == 0) continue;
    for (size_t r = run_of_byte_[range.lo]; r < runs.size() && runs[r] <= range.hi; ++r) {
      const uint32_t target = dfa_.Next(from.state, std::max(range.lo, runs[r]));
      if (target == ByteDfa::kDead) return by;
      if (utf8 != Utf8State::kBoundary && dfa_.IsAccept(target)) return by;
      Add({target, utf8, from.steps + 1, by});
      if (is_dead_) return 0;
    }
  }
  return 0;
}

void LiveKinds::Add(const Reached& to) {
  if (to.utf8 == Utf8State::kBoundary) {
    if (seen_[to.state] == search_) return;
    seen_[to.state] = search_;
    const Answer& known = answers_[to.state];
    if (known.is_known && (kinds_ & ~known.kinds) == 0 && known.steps == kMaxSteps) {
      may_end_ = may_end_ || known.may_end;  // Nothing on the way from there is dead.
      return;
    }
  } else {
    Within& within = seen_within_[to.state];
    if (within.search == search_) {
      if (within.utf8 == to.utf8) return;
      // Two places within a character at one state are rare.
      for (const Reached& known : reached_) {
        if (known.state == to.state && known.utf8 == to.utf8) return;
      }
    }
    within = {search_, to.utf8};
  }
  reached_.push_back(to);
  // Nothing but what is as near has been reached, so this is the nearest such state.
  is_dead_ = to.utf8 == Utf8State::kBoundary && to.steps < kMaxSteps &&
             (kinds_ & ~KindsThatLeadOn(to.state)) != 0;
}

void LiveKinds::Begin() {
  const std::span<const uint8_t> runs = dfa_.byte_runs();
  run_kinds_.assign(runs.size(), 0);
  size_t run = 0;
  for (size_t b = 0; b < 256; ++b) {
    if (run + 1 < runs.size() && runs[run + 1] == b) ++run;
    run_of_byte_[b] = static_cast<uint8_t>(run);
    if (b < 0x80) run_kinds_[run] |= kKindBits[b];
  }
  answers_.resize(dfa_.num_states());
  leading_on_.assign(dfa_.num_states(), 0);
  seen_.assign(dfa_.num_states(), 0);
  seen_within_.assign(dfa_.num_states(), Within());
}

}  // namespace xgrammar
