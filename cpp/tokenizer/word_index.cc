// WordIndex: the pass over the tree, and sorting what it finds by counting.
//
// A subtree is left at the first byte that is of no kind of a word: no set of kinds holds what is
// below.
#include "tokenizer/word_index.h"

#include <utility>

namespace xgrammar {

namespace {

constexpr uint8_t WordKind(uint8_t byte) {
  if (byte >= 'a' && byte <= 'z') return 0;
  if (byte >= 'A' && byte <= 'Z') return 1;
  if (byte >= '0' && byte <= '9') return 2;
  if (byte == ' ') return 3;
  if (byte == '_') return 4;
  if (byte == '-') return 5;
  if (byte == '.') return 6;
  return WordIndex::kNumKinds;
}

constexpr std::array<uint8_t, 256> kWordKinds = [] {
  std::array<uint8_t, 256> kinds{};
  for (size_t b = 0; b < kinds.size(); ++b) kinds[b] = WordKind(static_cast<uint8_t>(b));
  return kinds;
}();

constexpr std::array<std::array<uint64_t, 4>, WordIndex::kNumKinds> kBytesOfKind = [] {
  std::array<std::array<uint64_t, 4>, WordIndex::kNumKinds> sets{};
  for (size_t b = 0; b < kWordKinds.size(); ++b) {
    if (kWordKinds[b] < WordIndex::kNumKinds)
      sets[kWordKinds[b]][b >> 6] |= uint64_t{1} << (b & 63);
  }
  return sets;
}();

template <typename T>
using Found = std::vector<std::pair<uint32_t, T>>;

/// In the order of their groups; within one as they were found.
template <typename T>
void SortByGroup(const Found<T>& found, size_t num_groups, std::vector<T>* sorted,
                 std::vector<uint32_t>* ends) {
  ends->assign(num_groups + 1, 0);
  for (const auto& [group, value] : found) ++(*ends)[group + 1];
  for (size_t g = 1; g <= num_groups; ++g) (*ends)[g] += (*ends)[g - 1];
  std::vector<uint32_t> place = *ends;
  sorted->resize(found.size());
  for (const auto& [group, value] : found) (*sorted)[place[group]++] = value;
}

}  // namespace

WordIndex::WordIndex(const TokenTrie& trie, uint32_t begin, uint32_t end, int32_t vocab_size)
    : num_words_((static_cast<size_t>(vocab_size) + 31) / 32) {
  if (begin >= end) return;
  Found<int32_t> tokens;
  Found<uint32_t> leaving;
  // Before each level.
  std::vector<Kinds> before(size_t{trie.max_token_bytes()} + 2, 0);
  const uint32_t base_depth = trie.node(begin).depth;
  for (uint32_t i = begin; i < end;) {
    const TokenTrie::Node& node = trie.node(i);
    const uint32_t level = node.depth - base_depth;
    const uint8_t kind = kWordKinds[node.byte];
    const Kinds kinds = before[level];
    if (kind == kNumKinds || (kinds >> kind & 1) == 0)
      leaving.emplace_back(kinds * (kNumKinds + 1u) + kind, i);
    if (kind == kNumKinds) {
      i = node.subtree_end;
      continue;
    }
    const auto here = static_cast<Kinds>(kinds | 1u << kind);
    for (int32_t token : trie.tokens(i)) tokens.emplace_back(here, token);
    before[level + 1] = here;
    ++i;
  }
  SortByGroup(tokens, kNumParts, &tokens_, &token_ends_);
  SortByGroup(leaving, kNumParts * (kNumKinds + 1), &leaving_, &leaving_ends_);
  for (size_t part = 0; part < kNumParts; ++part) {
    if (TokensOf(part).size() * 4 <= num_words_) continue;
    first_word_[part] = static_cast<uint32_t>(words_.size() + 1);
    words_.resize(words_.size() + num_words_, 0);
    const std::span<uint32_t> words = std::span(words_).last(num_words_);
    for (int32_t id : TokensOf(part)) words[static_cast<size_t>(id) >> 5] |= 1u << (id & 31);
  }
}

WordIndex::Kinds WordIndex::KindsWithin(const std::array<uint64_t, 4>& bytes) {
  Kinds kinds = 0;
  for (size_t k = 0; k < kBytesOfKind.size(); ++k) {
    bool all = true;
    for (size_t w = 0; w < bytes.size(); ++w) all = all && (kBytesOfKind[k][w] & ~bytes[w]) == 0;
    if (all) kinds |= static_cast<Kinds>(1u << k);
  }
  return kinds;
}

std::array<uint64_t, 4> WordIndex::BytesOf(Kinds kinds) {
  std::array<uint64_t, 4> bytes{};
  for (size_t k = 0; k < kBytesOfKind.size(); ++k) {
    if ((kinds >> k & 1) == 0) continue;
    for (size_t w = 0; w < bytes.size(); ++w) bytes[w] |= kBytesOfKind[k][w];
  }
  return bytes;
}

size_t WordIndex::NumTokens(Kinds kinds) const {
  size_t num = 0;
  ForEachPart(kinds, [&](size_t part) { num += TokensOf(part).size(); });
  return num;
}

void WordIndex::AddTokens(Kinds kinds, std::span<uint32_t> words) const {
  ForEachPart(kinds, [&](size_t part) {
    if (first_word_[part] == 0) {
      for (int32_t id : TokensOf(part)) words[static_cast<size_t>(id) >> 5] |= 1u << (id & 31);
      return;
    }
    const uint32_t* from = words_.data() + (first_word_[part] - 1);
    for (size_t w = 0; w < num_words_; ++w) words[w] |= from[w];
  });
}

}  // namespace xgrammar
