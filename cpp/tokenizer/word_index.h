// WordIndex: the tokens below one place of the token tree by the kinds of word characters that they
// are made of, and the nodes at which they go on with anything else.
//
// Stage: tokenizer. Names, words and numbers are most of a vocabulary, and automata loop on them:
// what such a loop takes is a union of a few lists, and what leaves it are a few hundred nodes,
// while a walk would read tens of thousands. The kinds are finer than those of byte_kind.h, since
// names with `_` are not names with `-`. Made in one pass that ends at every other byte. Immutable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tokenizer/token_trie.h"

namespace xgrammar {

class WordIndex {
 public:
  /// Sets of kinds, a bit each: lower and upper case letters, digits, space, `_`, `-`, `.`.
  using Kinds = uint8_t;
  static constexpr int kNumKinds = 7;
  static constexpr Kinds kLetters = 1;  ///< Lower case.

  WordIndex() = default;
  /// Of the siblings [begin, end) and their subtrees.
  WordIndex(const TokenTrie& trie, uint32_t begin, uint32_t end, int32_t vocab_size);

  /// The kinds of which all bytes are in the set (a bit for each of 256).
  static Kinds KindsWithin(const std::array<uint64_t, 4>& bytes);
  /// The bytes of the kinds.
  static std::array<uint64_t, 4> BytesOf(Kinds kinds);

  /// How many tokens are made of these kinds alone.
  size_t NumTokens(Kinds kinds) const;
  /// Sets their bits. Precondition: `words` has one for each 32 ids of the vocabulary.
  void AddTokens(Kinds kinds, std::span<uint32_t> words) const;
  /// Calls `visit(node)` where a text of these kinds, or the empty text, goes on with another byte.
  template <typename Visit>
  void ForEachLeaving(Kinds kinds, Visit visit) const {
    ForEachPart(kinds, [&](size_t part) {
      for (size_t by = 0; by <= kNumKinds; ++by) {
        if (by < kNumKinds && (kinds >> by & 1) != 0) continue;
        const size_t group = part * (kNumKinds + 1) + by;
        for (uint32_t i = leaving_ends_[group]; i < leaving_ends_[group + 1]; ++i)
          visit(leaving_[i]);
      }
    });
  }
  int64_t MemorySizeBytes() const {
    return static_cast<int64_t>((tokens_.size() + token_ends_.size() + words_.size() +
                                 leaving_.size() + leaving_ends_.size()) *
                                sizeof(uint32_t));
  }

 private:
  static constexpr size_t kNumParts = size_t{1} << kNumKinds;

  std::span<const int32_t> TokensOf(size_t part) const {
    return std::span(tokens_).subspan(token_ends_[part], token_ends_[part + 1] - token_ends_[part]);
  }
  /// All subsets of the kinds, the empty one last.
  template <typename Visit>
  void ForEachPart(Kinds kinds, Visit visit) const {
    if (token_ends_.empty()) return;
    for (uint32_t part = kinds;; part = (part - 1) & kinds) {
      visit(size_t{part});
      if (part == 0) return;
    }
  }

  std::vector<int32_t> tokens_;       ///< By exactly their kinds.
  std::vector<uint32_t> token_ends_;  ///< Part i begins at [i] and ends at [i + 1].
  size_t num_words_ = 0;
  std::vector<uint32_t> words_;  ///< Those of large parts as bits.
  std::array<uint32_t, kNumParts> first_word_ =
      {};  ///< One more than its place; 0 for small parts.
  /// Nodes that are the first of their kind on their path: by exactly the kinds before them, then
  /// by their own, where kNumKinds stands for all other bytes.
  std::vector<uint32_t> leaving_;
  std::vector<uint32_t> leaving_ends_;
};

}  // namespace xgrammar
