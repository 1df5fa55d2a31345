// LocalMask: writing itself into a row, and which tails apply.
//
// Rows are words of 32 tokens. A difference writes the base first and then sets and clears what is
// not the same; a mask of a repetition leaves out tokens that need more copies than there is room
// for. Building masks is local_mask_builder.cc.
#include "mask/local_mask.h"

#include <algorithm>
#include <string_view>

namespace xgrammar {

namespace {

void SetBit(std::span<uint32_t> row, int32_t id) {
  row[static_cast<size_t>(id) >> 5] |= 1u << (id & 31);
}
void ClearBit(std::span<uint32_t> row, int32_t id) {
  row[static_cast<size_t>(id) >> 5] &= ~(1u << (id & 31));
}
bool TestBit(std::span<const uint32_t> row, int32_t id) {
  return ((row[static_cast<size_t>(id) >> 5] >> (id & 31)) & 1u) != 0;
}

/// Adds `words` without the bits of `removed`, which keep the value that they have in the row.
void AddWordsWithout(std::span<const uint32_t> words, std::span<const int32_t> removed,
                     bool is_clear, std::span<uint32_t> row) {
  if (is_clear) {
    std::copy(words.begin(), words.end(), row.begin());
    for (int32_t id : removed) ClearBit(row, id);
    return;
  }
  std::vector<int32_t> to_clear;
  for (int32_t id : removed) {
    if (!TestBit(row, id)) to_clear.push_back(id);
  }
  for (size_t i = 0; i < row.size(); ++i) row[i] |= words[i];
  for (int32_t id : to_clear) ClearBit(row, id);
}

}  // namespace

const TokenTrie& TailGroup::Tree(const TokenizerInfo& tokenizer) const {
  const TokenTrie* known = tree_.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  std::vector<std::pair<std::string_view, int32_t>> tails;
  for (uint32_t node : nodes_) {
    const size_t offset = trie_.node(node).depth - 1;
    for (int32_t token : trie_.subtree_tokens(node)) {
      const std::string& bytes = tokenizer.decoded_vocab()[static_cast<size_t>(token)];
      tails.emplace_back(std::string_view(bytes).substr(offset), token);
    }
  }
  auto made = std::make_unique<const TokenTrie>(std::move(tails));
  if (tree_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel))
    return *made.release();
  return *known;
}

const TokenTrie* LocalMask::OutsideTree(const TokenizerInfo& tokenizer, uint32_t room) const {
  const LocalMask& whole = base_ != nullptr ? *base_ : *this;
  // With most of a vocabulary in it, the tree is no help.
  constexpr size_t kMaxTokens = 4096;
  if (room < inside_end_.size() || whole.known_ == nullptr) return nullptr;
  if (base_ != nullptr && !words_.empty()) return nullptr;
  if (whole.outside_.size() + removed_.size() > kMaxTokens) return nullptr;
  if (removed_.empty() && base_ != nullptr) return base_->OutsideTree(tokenizer, room);
  const TokenTrie* known = outside_tree_.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  std::vector<std::pair<std::string_view, int32_t>> tokens;
  tokens.reserve(whole.outside_.size() + removed_.size());
  for (const std::vector<int32_t>* ids : {&whole.outside_, &removed_}) {
    for (int32_t id : *ids) {
      tokens.emplace_back(tokenizer.decoded_vocab()[static_cast<size_t>(id)], id);
    }
  }
  auto made = std::make_unique<const TokenTrie>(std::move(tokens));
  if (outside_tree_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel))
    return made.release();
  return known;
}

void LocalMask::AddTo(std::span<uint32_t> row, bool is_clear, uint32_t room) const {
  if (base_ != nullptr) {
    AddDifference(row, is_clear);
  } else {
    AddWhole(row, is_clear, room);
  }
}

void LocalMask::AddWhole(std::span<uint32_t> row, bool is_clear, uint32_t room) const {
  const size_t fitting =
      room >= inside_end_.size() ? inside_.size() : inside_end_[static_cast<size_t>(room)];
  const std::span<const int32_t> all(inside_);
  // Words first and then taking out what does not fit, or one by one: whichever touches less.
  if (!words_.empty() && (inside_.empty() || fitting > inside_.size() - fitting)) {
    AddWordsWithout(words_, all.subspan(fitting), is_clear, row);
    return;
  }
  if (is_clear) std::fill(row.begin(), row.end(), 0u);
  for (int32_t id : all.first(fitting)) SetBit(row, id);
}

void LocalMask::AddDifference(std::span<uint32_t> row, bool is_clear) const {
  if (!words_.empty()) {
    AddWordsWithout(words_, {}, is_clear, row);
  } else if (base_->is_dense()) {
    AddWordsWithout(base_->words_, removed_, is_clear, row);
  } else {
    AddSparseBase(row, is_clear);
  }
  for (int32_t id : added_) SetBit(row, id);
}

void LocalMask::AddSparseBase(std::span<uint32_t> row, bool is_clear) const {
  std::vector<int32_t> to_clear;
  if (is_clear) {
    std::fill(row.begin(), row.end(), 0u);
  } else {
    for (int32_t id : removed_) {
      if (!TestBit(row, id)) to_clear.push_back(id);
    }
  }
  for (int32_t id : base_->inside_) SetBit(row, id);
  for (int32_t id : is_clear ? removed_ : to_clear) ClearBit(row, id);
}

bool LocalMask::HasExit(int32_t token, bool of_base, const CopyBounds& bounds) const {
  if (of_base) return !std::binary_search(removed_exits_.begin(), removed_exits_.end(), token);
  if (!counts_copies_) return true;
  const auto it = std::lower_bound(exit_copies_.begin(), exit_copies_.end(), std::pair{token, 0u});
  const bool is_usual = it == exit_copies_.end() || it->first != token;
  const uint32_t copies = is_usual ? usual_exit_copies_ : it->second;
  return copies >= bounds.owed && copies <= bounds.room;
}

bool LocalMask::FiltersExits(bool of_base, const CopyBounds& bounds) const {
  if (of_base) return !removed_exits_.empty();
  return counts_copies_ && (bounds.owed > min_exit_copies_ || bounds.room < max_exit_copies_);
}

}  // namespace xgrammar
