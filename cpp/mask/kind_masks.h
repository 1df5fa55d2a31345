// KindMasks: for a set of byte kinds, the tokens that hold no other bytes, as a mask, and all other
// tokens as a tree.
//
// Stage: mask. Most of the tokens that stay inside a permissive automaton state are of the first
// sort; the others are few, and a walk of their own small tree stays in the cache. Both are made at
// first use and kept for as many sets of kinds as automata have in practice. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "support/fork_safety.h"
#include "tokenizer/tokenizer_info.h"

namespace xgrammar {

class KindMasks {
 public:
  struct Tokens {
    std::vector<uint32_t> words;  ///< A bit for each token of the kinds.
    TokenTrie rest;               ///< All others.
  };
  /// Tokens with more bytes are in no mask. `min_share`: a tree of others is made if they are at
  /// most one token in so many. `tokenizer` must outlive this.
  KindMasks(const TokenizerInfo& tokenizer, uint32_t max_token_bytes, uint32_t min_share = 8)
      : tokenizer_(tokenizer), max_token_bytes_(max_token_bytes), min_share_(min_share) {}

  /// The non-empty tokens that can begin well-formed UTF-8 and whose bytes are all of these kinds.
  /// Null if there are so many others that their tree would be no help.
  std::shared_ptr<const Tokens> Get(uint16_t kinds);
  /// Makes those for the text of strings, of lines and before tags, one of which most grammars
  /// need.
  void MakeCommon();
  /// Bytes of the masks and trees.
  int64_t SizeBytes() const;
  /// Forgets them; whoever uses one keeps it.
  void Clear();

 private:
  std::shared_ptr<const Tokens> Make(uint16_t kinds) const;

  const TokenizerInfo& tokenizer_;
  const uint32_t max_token_bytes_;
  const uint32_t min_share_;
  mutable ForkSafeMutex mutex_;
  std::unordered_map<uint16_t, std::shared_ptr<const Tokens>> masks_;  // Guarded by mutex_.
};

}  // namespace xgrammar
