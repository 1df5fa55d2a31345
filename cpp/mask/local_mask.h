// LocalMask: what one state of a folded automaton says about every token, independent of the grammar around it.
//
// For a token read from that state there are three outcomes. It stays inside the automaton to its end: its bit is set
// here. It leaves part-way at a point where the automaton may end and cannot go on: the bytes that remain are in `tails`,
// to be read by whatever follows the automaton. Or it could leave although the automaton could also go on: the next
// bytes of such tokens are in `soft_exits`; they matter only if what follows begins with such a byte.
//
// Immutable; shared between grammars.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "automata/byte_dfa.h"
#include "tokenizer/token_trie.h"

namespace xgrammar {

class LocalMask {
 public:
  /// Repetitions: copies left at most, and copies still owed before the end, seen from the state asked about.
  struct CopyBounds {
    static constexpr uint32_t kManyCopies = 0xFFFFFFFF;
    uint32_t room = kManyCopies;
    uint32_t owed = 0;
    friend bool operator==(const CopyBounds&, const CopyBounds&) = default;
  };

  bool is_dense() const { return !words_.empty(); }
  /// Dense form: one bit a token.
  std::span<const uint32_t> words() const { return words_; }
  /// Sparse form: ids in no order.
  std::span<const int32_t> ids() const { return ids_; }
  const TokenTrie& tails() const { return tails_; }
  const ByteSet& soft_exits() const { return soft_exits_; }
  /// The most copies of a repetition that one token completes.
  uint32_t max_copies() const { return max_copies_; }
  int64_t MemorySizeBytes() const;

 private:
  friend class LocalMaskBuilder;
  std::vector<uint32_t> words_;
  std::vector<int32_t> ids_;
  TokenTrie tails_;
  ByteSet soft_exits_;
  uint32_t max_copies_ = 0;
};

}  // namespace xgrammar
