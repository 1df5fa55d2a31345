// LocalMaskCache: spelling what a state can reach, choosing a base, look-up.
//
// A base is the state that most bytes lead to, if it loops on itself. Large parts, and states that
// few bytes lead on from, are known by automaton and state only: two alike are unlikely, or the
// spelling would cost more than the mask.
#include "mask/local_mask_cache.h"

#include <array>
#include <utility>
#include <vector>

#include "mask/local_mask_builder.h"
#include "mask/mask_builder.h"

namespace xgrammar {

namespace {

// Parts with more states than this are known by their automaton only: two alike are unlikely.
constexpr size_t kMaxSpelledStates = 64;
// A base must be where at least this many of the 256 bytes lead, and stay there itself.
constexpr int kMinLoopBytes = 64;
// A state that goes on with fewer bytes has a mask that costs less than its spelling.
constexpr int kMinSpelledBytes = 17;

void AppendNumber(uint32_t value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

/// Spells the automaton as seen from `state`, breadth first, edges as byte runs; empty if it is too
/// large. In a repetition the start state is part of it, because every copy goes on there.
std::string SpellReachable(const ByteDfa& dfa, uint32_t state, bool counted, uint32_t below) {
  std::string out(1, counted ? 'c' : 'p');
  AppendNumber(below, &out);
  std::vector<uint32_t> order{state};
  if (counted && state != 0) order.push_back(0);
  for (size_t i = 0; i < order.size(); ++i) {
    if (order.size() > kMaxSpelledStates) return {};
    out.push_back(dfa.IsAccept(order[i]) ? 'a' : 'n');
    uint32_t run_target = ByteDfa::kDead;
    for (uint8_t b : dfa.byte_runs()) {
      const uint32_t target = dfa.Next(order[i], b);
      if (target == run_target) continue;
      run_target = target;
      size_t number = 0;
      if (target != ByteDfa::kDead) {
        while (number < order.size() && order[number] != target) ++number;
        if (number == order.size()) order.push_back(target);
      }
      out.push_back(static_cast<char>(b));
      AppendNumber(target == ByteDfa::kDead ? ByteDfa::kDead : static_cast<uint32_t>(number), &out);
    }
    AppendNumber(ByteDfa::kDead - 1, &out);  // End of the state.
  }
  return out;
}

LocalMaskCache::TextTokens FindTextTokens(const TokenizerInfo& tokenizer) {
  LocalMaskCache::TextTokens out;
  out.words.assign((static_cast<size_t>(tokenizer.vocab_size()) + 31) / 32, 0);
  for (size_t id = 0; id < tokenizer.decoded_vocab().size(); ++id) {
    if (!tokenizer.decoded_vocab()[id].empty()) out.words[id >> 5] |= 1u << (id & 31);
  }
  return out;
}

struct MostCommon {
  uint32_t target = ByteDfa::kDead;
  int num_bytes = 0;
};

MostCommon MostCommonTarget(const ByteDfa& dfa, uint32_t state) {
  // Boyer and Moore's majority vote (1981) is not enough: the winner need not hold a majority. Of
  // more targets than these, none has many bytes or it comes early.
  std::array<MostCommon, 32> counts;
  size_t num_targets = 0;
  const std::span<const uint8_t> runs = dfa.byte_runs();
  for (size_t r = 0; r < runs.size(); ++r) {
    const uint32_t target = dfa.Next(state, runs[r]);
    if (target == ByteDfa::kDead) continue;
    size_t i = 0;
    while (i < num_targets && counts[i].target != target) ++i;
    if (i == num_targets) {
      if (num_targets == counts.size()) continue;
      counts[num_targets++] = {target, 0};
    }
    counts[i].num_bytes += (r + 1 < runs.size() ? runs[r + 1] : 256) - runs[r];
  }
  MostCommon best;
  for (size_t i = 0; i < num_targets; ++i) {
    if (counts[i].num_bytes > best.num_bytes) best = counts[i];
  }
  return best;
}

/// The loop that most bytes lead to, or kDead if there is none besides the state itself.
uint32_t FindBase(const ByteDfa& dfa, uint32_t state) {
  if (dfa.first_bytes(state).size() < kMinLoopBytes) return ByteDfa::kDead;
  const MostCommon to = MostCommonTarget(dfa, state);
  if (to.num_bytes < kMinLoopBytes || to.target == state) return ByteDfa::kDead;
  // Where few of the loop's bytes lead on (within a character), nearly all tokens would differ.
  if (dfa.first_bytes(state).size() * 2 < dfa.first_bytes(to.target).size()) return ByteDfa::kDead;
  const MostCommon loop = MostCommonTarget(dfa, to.target);
  return loop.target == to.target && loop.num_bytes >= kMinLoopBytes ? to.target : ByteDfa::kDead;
}

/// Whether words leave the automaton after a space: most tokens of a vocabulary, whose tails are
/// better kept once than for every automaton that ends in white space.
bool WordsLeave(const ByteDfa& dfa, uint32_t state) {
  const uint32_t after = dfa.Next(state, ' ');
  return after != ByteDfa::kDead && dfa.IsAccept(after);
}

}  // namespace

size_t LocalMaskCache::KeyHash::operator()(const Key& key) const {
  uint64_t h = reinterpret_cast<uintptr_t>(key.dfa.get());
  h = (h ^ (uint64_t{key.state} << 1 | (key.counted ? 1u : 0u))) * 0x9E3779B97F4A7C15ull;
  h = (h ^ key.below) * 0xFF51AFD7ED558CCDull;
  return static_cast<size_t>(h ^ (h >> 32));
}

LocalMaskCache::LocalMaskCache(TokenizerInfoPtr tokenizer, int64_t max_bytes,
                               const PartSizes& part_sizes)
    : tokenizer_(std::move(tokenizer)),
      markers_(*tokenizer_),
      text_tokens_(FindTextTokens(*tokenizer_)),
      dfa_cache_(std::make_shared<DfaCache>()),
      max_bytes_(max_bytes),
      part_sizes_(part_sizes),
      kind_masks_(*tokenizer_, LiveKinds::kMaxSteps) {}

LocalMaskCache::~LocalMaskCache() = default;

std::shared_ptr<const LocalMask> LocalMaskCache::Get(const ByteDfaPtr& dfa, uint32_t state,
                                                     bool counted, LocalMaskBuilder* builder) {
  const Key key{dfa, state, counted};
  if (MaskPtr known = FindByState(key)) return known;
  // In a large automaton a difference is cheaper to make than what it reaches is to spell.
  const uint32_t base = counted ? ByteDfa::kDead : FindBase(*dfa, state);
  const bool is_worth_it =
      dfa->first_bytes(state).size() >= kMinSpelledBytes || WordsLeave(*dfa, state);
  const bool is_spelled =
      counted ||
      (is_worth_it && (dfa->num_states() <= kMaxSpelledStates || base == ByteDfa::kDead));
  std::string spelling;
  if (is_spelled) spelling = SpellReachable(*dfa, state, counted, kWholeTree);
  if (MaskPtr known = FindBySpelling(key, spelling)) return known;
  return Keep(key, std::move(spelling), Compute(key, base, builder));
}

std::shared_ptr<const LocalMask> LocalMaskCache::GetBelow(const ByteDfaPtr& dfa, uint32_t state,
                                                          uint32_t node,
                                                          LocalMaskBuilder* builder) {
  const Key key{dfa, state, false, node};
  if (MaskPtr known = FindByState(key)) return known;
  std::string spelling = SpellReachable(*dfa, state, false, node);
  if (MaskPtr known = FindBySpelling(key, spelling)) return known;
  return Keep(key, std::move(spelling), builder->BuildBelow(*dfa, state, node));
}

LocalMaskCache::MaskPtr LocalMaskCache::FindByState(const Key& key) {
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  const auto it = by_state_.find(key);
  return it != by_state_.end() ? it->second : nullptr;
}

LocalMaskCache::MaskPtr LocalMaskCache::FindBySpelling(const Key& key,
                                                       const std::string& spelling) {
  if (spelling.empty()) return nullptr;
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  const auto it = by_spelling_.find(spelling);
  if (it == by_spelling_.end()) return nullptr;
  MaskPtr known = it->second;
  MakeRoomLocked(kEntryBytes);
  return by_state_.try_emplace(key, std::move(known)).first->second;
}

LocalMaskCache::MaskPtr LocalMaskCache::Keep(const Key& key, std::string spelling, MaskPtr mask) {
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  MakeRoomLocked(mask->MemorySizeBytes() + static_cast<int64_t>(2 * spelling.size()) + kEntryBytes);
  if (!spelling.empty())
    mask = by_spelling_.try_emplace(std::move(spelling), std::move(mask)).first->second;
  return by_state_.try_emplace(key, std::move(mask)).first->second;
}

LocalMaskCache::MaskPtr LocalMaskCache::Compute(const Key& key, uint32_t base,
                                                LocalMaskBuilder* builder) {
  if (base != ByteDfa::kDead) {
    MaskPtr mask = Get(key.dfa, base, false, builder);
    // The base of a base would be itself: it is the most common target of its own bytes.
    if (mask->base() == nullptr && mask->is_dense()) {
      return builder->BuildDifference(*key.dfa, key.state, base, std::move(mask));
    }
  }
  if (MaskPtr mask = ComputeBeforeLoop(key, builder); mask != nullptr) return mask;
  return builder->BuildWhole(*key.dfa, key.state, key.counted);
}

LocalMaskCache::MaskPtr LocalMaskCache::ComputeBeforeLoop(const Key& key,
                                                          LocalMaskBuilder* builder) {
  const ByteDfa& dfa = *key.dfa;
  const ByteSet first = dfa.first_bytes(key.state);
  if (key.counted || first.size() != 1) return nullptr;
  const uint8_t byte = first.First();
  const uint32_t after = dfa.Next(key.state, byte);
  const uint32_t loop = FindBase(dfa, after);
  if (loop == ByteDfa::kDead) return nullptr;
  BeforeLoop before{Get(key.dfa, loop, false, builder), byte};
  MaskPtr base;
  {
    std::lock_guard<ForkSafeMutex> lock(mutex_);
    const auto it = before_loops_.find(before);
    if (it != before_loops_.end()) base = it->second;
  }
  if (base == nullptr) {
    base = builder->BuildBefore(dfa, byte, loop);
    std::lock_guard<ForkSafeMutex> lock(mutex_);
    MakeRoomLocked(base->MemorySizeBytes() + static_cast<int64_t>(sizeof(BeforeLoop)) + 64);
    base = before_loops_.try_emplace(std::move(before), std::move(base)).first->second;
  }
  return builder->BuildDifferenceBefore(dfa, byte, after, loop, std::move(base));
}

const SpanningTokens& LocalMaskCache::spanning_tokens() {
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  if (spanning_tokens_ == nullptr)
    spanning_tokens_ = std::make_unique<const SpanningTokens>(*tokenizer_);
  return *spanning_tokens_;
}

const LengthOrder& LocalMaskCache::length_order(bool escapes) {
  std::unique_ptr<const LengthOrder>& order = length_orders_[escapes ? 1 : 0];
  {
    std::lock_guard<ForkSafeMutex> lock(mutex_);
    if (order != nullptr) return *order;
  }
  auto made = std::make_unique<const LengthOrder>(*tokenizer_, &kind_masks_, escapes);
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  if (order == nullptr) order = std::move(made);
  return *order;
}

int64_t LocalMaskCache::SizeBytes() const {
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  int64_t bytes = size_bytes_ + dfa_cache_->SizeBytes() + kind_masks_.SizeBytes();
  for (const auto& order : length_orders_) {
    if (order != nullptr) bytes += order->MemorySizeBytes();
  }
  return bytes;
}

void LocalMaskCache::MakeRoomLocked(int64_t bytes) {
  if (size_bytes_ + bytes > max_bytes_) ClearLocked();
  size_bytes_ += bytes;
}

void LocalMaskCache::ClearLocked() {
  by_state_.clear();
  by_spelling_.clear();
  before_loops_.clear();
  size_bytes_ = 0;
}

void LocalMaskCache::Clear() {
  kind_masks_.Clear();
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  ClearLocked();
}

}  // namespace xgrammar
