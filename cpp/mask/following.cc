// Following: inclusion of two small automata by walking them side by side (the product construction
// of Rabin and Scott 1959), and of two sets item by item.
//
// Most items are followed by something quite different, which their first bytes tell; only then the
// states in which the outer automaton may end are collected. Grammars compare the same few automata
// after each operator, so answers about automata are kept.
#include "mask/following.h"

#include <algorithm>
#include <span>
#include <tuple>

namespace xgrammar {

namespace {

// White space with comments has some twenty states. Comparing more costs more than reading twice.
constexpr size_t kMaxStates = 32;
constexpr size_t kMaxPairs = 64;
// The first bytes of larger automata may have to be looked for.
constexpr uint32_t kMaxAutomaton = 64;

bool IsSubset(const ByteSet& a, const ByteSet& b) {
  for (size_t i = 0; i < a.words.size(); ++i) {
    if ((a.words[i] & ~b.words[i]) != 0) return false;
  }
  return true;
}

bool IsSame(const DfaItem& a, const DfaItem& b) {
  return a.unit == b.unit && a.state == b.state && a.continuation == b.continuation &&
         a.count == b.count && a.tokens == b.tokens;
}

bool IsSame(const ScanItem& a, const ScanItem& b) {
  return a.state == b.state && a.continuation == b.continuation;
}

template <typename T>
bool IsAmong(const T& item, std::span<const T> others) {
  return std::any_of(others.begin(), others.end(),
                     [&](const T& other) { return IsSame(item, other); });
}

bool AreAmong(std::span<const ScanItem> items, std::span<const ScanItem> others) {
  return std::all_of(items.begin(), items.end(),
                     [&](const ScanItem& item) { return IsAmong(item, others); });
}

/// Only items of automata and scanned bytes are compared.
bool HasOthers(const EarleySet& set) { return !set.key_items.empty() || !set.token_items.empty(); }

}  // namespace

Following FollowingSets::After(Parser* parser, const DfaItem& item) {
  const ByteDfa* dfa = item.unit->dfa.get();
  const uint64_t hash =
      (uint64_t{item.continuation} * 31 + item.state + reinterpret_cast<uintptr_t>(dfa) / 64) *
      0x9E3779B97F4A7C15ull;
  static_assert(std::tuple_size_v<decltype(entries_)> == 128);
  Entry& entry = entries_[static_cast<size_t>(hash >> 57)];
  const bool is_known = entry.round == round_ && entry.dfa == dfa && entry.state == item.state &&
                        entry.continuation == item.continuation;
  if (!is_known) entry = {round_, item.state, dfa, item.continuation, Find(parser, item)};
  return entry.following;
}

Following FollowingSets::Find(Parser* parser, const DfaItem& item) {
  Following out;
  if (item.continuation == kRootContinuation) {
    out.ends = true;
    return out;
  }
  out.set = parser->AfterReturn(item.continuation);
  const EarleySet& set = parser->set(out.set);
  out.first = set.first;
  out.ends = set.accepting;
  const bool is_comparable =
      item.unit->kind == Unit::Kind::kDfa && !HasOthers(set) && !parser->has_distinct();
  if (!is_comparable || item.unit->dfa->num_states() > kMaxAutomaton) return out;
  const size_t count = std::min<size_t>(set.dfa_items.size(), 64);
  for (size_t i = 0; i < count; ++i) {
    if (IsCovered(parser, set.dfa_items[i], item, out.set, 0)) out.covered |= uint64_t{1} << i;
  }
  if (out.covered == 0) return out;
  out.first = set.scan_first;
  for (size_t i = 0; i < set.dfa_items.size(); ++i) {
    if (i < 64 && (out.covered >> i & 1) != 0) continue;
    out.first.Merge(set.dfa_items[i].unit->dfa->first_bytes(set.dfa_items[i].state));
  }
  return out;
}

bool FollowingSets::FindEnds(const ByteDfa& dfa, uint32_t state) {
  reached_.assign(1, state);
  ends_.clear();
  for (size_t i = 0; i < reached_.size(); ++i) {
    if (reached_.size() > kMaxStates) return false;
    for (uint8_t byte : dfa.byte_runs()) {
      const uint32_t to = dfa.Next(reached_[i], byte);
      if (to == ByteDfa::kDead) continue;
      if (dfa.IsAccept(to) && std::find(ends_.begin(), ends_.end(), to) == ends_.end()) {
        ends_.push_back(to);
      }
      if (std::find(reached_.begin(), reached_.end(), to) == reached_.end()) {
        reached_.push_back(to);
      }
    }
  }
  return true;
}

bool FollowingSets::IsCovered(Parser* parser, const DfaItem& inner, const DfaItem& outer, SetId set,
                              int depth) {
  constexpr int kMaxDepth = 4;
  if (depth > kMaxDepth || inner.unit->kind != Unit::Kind::kDfa) return false;
  if (!IsIncludedAtEnds(inner, outer)) return false;
  const EarleySet& around = parser->set(set);
  // What ends there ends here, too (text_runs.h asks where the start rule may end).
  if (inner.continuation == kRootContinuation) return around.accepting;
  const EarleySet& after = parser->set(parser->AfterReturn(inner.continuation));
  if (after.accepting && !around.accepting) return false;
  if (HasOthers(after) || !AreAmong(after.scan_items, around.scan_items)) return false;
  return std::all_of(after.dfa_items.begin(), after.dfa_items.end(), [&](const DfaItem& next) {
    // White space three times in a row: after the second the third is one item with it, or not.
    return IsAmong(next, around.dfa_items) || IsCovered(parser, next, outer, set, depth + 1);
  });
}

bool FollowingSets::IsIncludedAtEnds(const DfaItem& inner, const DfaItem& outer) {
  const ByteDfaPtr& inner_dfa = inner.unit->dfa;
  const ByteDfaPtr& outer_dfa = outer.unit->dfa;
  if (inner_dfa->num_states() > kMaxAutomaton) return false;
  const uint64_t address = reinterpret_cast<uintptr_t>(inner_dfa.get()) / 64 * 31 +
                           reinterpret_cast<uintptr_t>(outer_dfa.get()) / 64;
  const uint64_t hash = ((address * 31 + inner.state) * 31 + outer.state) * 0x9E3779B97F4A7C15ull;
  static_assert(std::tuple_size_v<decltype(inclusions_)> == 64);
  Inclusion& known = inclusions_[static_cast<size_t>(hash >> 58)];
  if (known.inner != inner_dfa || known.outer != outer_dfa || known.inner_state != inner.state ||
      known.outer_state != outer.state) {
    const bool holds = CompareAtEnds(*inner_dfa, inner.state, *outer_dfa, outer.state);
    known = {inner_dfa, outer_dfa, inner.state, outer.state, holds};
  }
  return known.holds;
}

bool FollowingSets::CompareAtEnds(const ByteDfa& inner, uint32_t inner_state, const ByteDfa& outer,
                                  uint32_t outer_state) {
  // Most automata are followed by something else. Where one may end it goes on as it began, if it
  // is white space.
  const ByteSet first = inner.first_bytes(inner_state);
  if (!IsSubset(first, outer.first_bytes(outer_state))) return false;
  if (!FindEnds(outer, outer_state)) return false;
  const bool may_be = std::all_of(ends_.begin(), ends_.end(), [&](uint32_t end) {
    return IsSubset(first, outer.first_bytes(end));
  });
  return may_be && std::all_of(ends_.begin(), ends_.end(), [&](uint32_t end) {
           return IsIncluded(inner, inner_state, outer, end);
         });
}

bool FollowingSets::IsIncluded(const ByteDfa& inner, uint32_t inner_state, const ByteDfa& outer,
                               uint32_t outer_state) {
  pairs_.assign(1, {inner_state, outer_state});
  const auto visit = [&](const Pair& from, uint8_t byte) {
    const uint32_t to = inner.Next(from.inner, byte);
    if (to == ByteDfa::kDead) return true;
    const uint32_t outer_to = outer.Next(from.outer, byte);
    if (outer_to == ByteDfa::kDead) return false;
    if (inner.IsAccept(to) && !outer.IsAccept(outer_to)) return false;
    const bool is_known = std::any_of(pairs_.begin(), pairs_.end(), [&](const Pair& pair) {
      return pair.inner == to && pair.outer == outer_to;
    });
    if (!is_known) pairs_.push_back({to, outer_to});
    return true;
  };
  for (size_t i = 0; i < pairs_.size(); ++i) {
    if (pairs_.size() > kMaxPairs) return false;
    const Pair from = pairs_[i];
    for (uint8_t byte : inner.byte_runs()) {
      if (!visit(from, byte)) return false;
    }
    for (uint8_t byte : outer.byte_runs()) {
      if (!visit(from, byte)) return false;
    }
  }
  return true;
}

}  // namespace xgrammar
