// AnyOrderUnit: numbering the parts, the tree of their literals, and what may follow a set.
//
// Sets are bits by part and a count, in words (member_set.h). All questions of the parser and the
// mask builder are answered from the tree and the set; nothing is built while matching.
#include "lowering/any_order_unit.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace xgrammar {

namespace {

size_t NumWords(size_t num_bits) { return (num_bits + 63) / 64; }

void SetBit(uint32_t bit, std::vector<uint64_t>* words) {
  (*words)[bit >> 6] |= uint64_t{1} << (bit & 63);
}

}  // namespace

AnyOrderUnit::AnyOrderUnit(std::vector<Part> parts, UnitId separator, bool may_join, Bounds bounds)
    : parts_(std::move(parts)), separator_(separator), bounds_(bounds) {
  std::stable_sort(parts_.begin(), parts_.end(),
                   [](const Part& a, const Part& b) { return a.literal < b.literal; });
  required_.assign(NumWords(parts_.size()), 0);
  once_.assign(required_.size(), 0);
  std::vector<std::pair<std::string_view, int32_t>> literals;
  int64_t num_required = 0;
  bool is_finite = true;
  for (uint32_t i = 0; i < num_parts(); ++i) {
    Part& part = parts_[i];
    if (part.literal.empty()) {
      ++num_without_literal_;
    } else {
      literals.emplace_back(part.literal, static_cast<int32_t>(i));
    }
    if (part.required) SetBit(i, &required_);
    if (part.once) SetBit(i, &once_);
    num_required += part.required ? 1 : 0;
    is_finite = is_finite && part.once;
  }
  keys_ = TokenTrie(std::move(literals));
  for (Part& part : parts_) part.literal = {};
  // Bounds that the parts hold by themselves need no count.
  if (num_required > 0 && bounds_.min <= num_required) bounds_.min = 0;
  const bool is_held = is_finite && bounds_.max >= static_cast<int64_t>(parts_.size());
  if (is_held) bounds_.max = kUnbounded;
  if (!may_join) bounds_.max = 1;
}

std::pair<uint32_t, uint32_t> AnyOrderUnit::Children(uint32_t state) const {
  if (state == kBefore) return {0, keys_.num_nodes()};
  return {state, keys_.node(state - 1).subtree_end};
}

std::pair<uint32_t, uint32_t> AnyOrderUnit::EndsAt(uint32_t state) const {
  if (state == kBefore) return {0, num_without_literal_};
  const auto ends = keys_.tokens(state - 1);
  if (ends.empty()) return {0, 0};
  return {static_cast<uint32_t>(ends.front()), static_cast<uint32_t>(ends.back()) + 1};
}

uint32_t AnyOrderUnit::Next(uint32_t state, uint8_t byte, std::span<const uint64_t> allowed) const {
  const auto [begin, end] = Children(state);
  for (uint32_t node = begin; node < end; node = keys_.node(node).subtree_end) {
    if (keys_.node(node).byte != byte) continue;
    return IsOpen(node, allowed) ? node : kNoNode;
  }
  return kNoNode;
}

int64_t AnyOrderUnit::NumMissing(const MemberSet& seen) const {
  int64_t missing = 0;
  for (size_t i = 0; i < required_.size(); ++i)
    missing += std::popcount(required_[i] & ~seen.word(i));
  return missing;
}

std::vector<uint64_t> AnyOrderUnit::Allowed(const MemberSet& seen) const {
  std::vector<uint64_t> allowed(required_.size(), 0);
  const bool is_bounded = bounds_.max != kUnbounded;
  const int64_t room = bounds_.max - int64_t{seen.count};
  if (is_bounded && room <= 0) return allowed;
  // The last places are kept for what must still come.
  const bool only_missing = is_bounded && room <= NumMissing(seen);
  for (size_t i = 0; i < allowed.size(); ++i) {
    allowed[i] = only_missing ? required_[i] & ~seen.word(i) : ~(once_[i] & seen.word(i));
  }
  const uint32_t past_end = num_parts() & 63;
  if (past_end != 0) allowed.back() &= (uint64_t{1} << past_end) - 1;
  return allowed;
}

bool AnyOrderUnit::MayEnd(const MemberSet& seen) const {
  return int64_t{seen.count} >= bounds_.min && NumMissing(seen) == 0;
}

bool AnyOrderUnit::MayGoOn(const MemberSet& seen) const {
  const std::vector<uint64_t> allowed = Allowed(seen);
  return HasBitIn(allowed, 0, num_parts());
}

MemberSet AnyOrderUnit::After(const MemberSet& seen, uint32_t part,
                              std::vector<uint64_t>* words) const {
  words->assign(seen.words.begin(), seen.words.end());
  if (parts_[part].once || parts_[part].required) {
    if (words->size() <= part / 64) words->resize(part / 64 + 1, 0);
    SetBit(part, words);
  }
  // Counts past an open end do not matter; one member at least tells this set from the start.
  const int64_t count = int64_t{seen.count} + 1;
  const bool is_past = bounds_.max == kUnbounded && count > std::max<int64_t>(bounds_.min, 1);
  return {is_past ? seen.count : static_cast<uint32_t>(count), *words};
}

uint32_t AnyOrderUnit::MaskCount(const MemberSet& seen, uint32_t horizon) const {
  const int64_t count = seen.count;
  const int64_t reached = count + int64_t{horizon} + 1;
  if (count == 0) return 0;
  const bool end_is_far = bounds_.max == kUnbounded || reached + NumMissing(seen) < bounds_.max;
  if (reached < bounds_.min && end_is_far) return 1;
  if (count >= bounds_.min && end_is_far)
    return static_cast<uint32_t>(std::max<int64_t>(bounds_.min, 1));
  return seen.count;
}

int64_t AnyOrderUnit::MemorySizeBytes() const {
  return keys_.MemorySizeBytes() +
         static_cast<int64_t>(parts_.size() * sizeof(Part) +
                              (required_.size() + once_.size()) * sizeof(uint64_t));
}

}  // namespace xgrammar
