// LocalMask: what one state of a folded automaton says about every token, independent of the grammar around it.
//
// For a token read from that state there are three outcomes. It stays inside the automaton to its end: its bit is set
// here. It leaves part-way at a point where the automaton may end and cannot go on: it is in the tail group of the byte
// that comes next, and the bytes that remain are to be read by whatever follows the automaton. Or it could leave although
// the automaton could also go on: the next bytes of such tokens are in `soft_exits`; they matter only if what follows
// begins with such a byte.
//
// Immutable and safe to share between threads and grammars. The tree of a tail group is made when it is first asked for:
// most groups (a word after white space) are never followed by anything that begins with their byte.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "automata/byte_dfa.h"
#include "tokenizer/tokenizer_info.h"

namespace xgrammar {

/// Tokens that leave an automaton and go on with one byte. Tails that are equal share one tree node.
class TailGroup {
 public:
  TailGroup(uint8_t byte, std::vector<uint32_t> nodes) : byte_(byte), nodes_(std::move(nodes)) {}
  ~TailGroup() { delete tree_.load(std::memory_order_relaxed); }

  uint8_t byte() const { return byte_; }
  /// The tails as a tree. `tokenizer` is the one that the group was made for. Thread-safe.
  const TokenTrie& Tree(const TokenizerInfo& tokenizer) const;

 private:
  const uint8_t byte_;
  const std::vector<uint32_t> nodes_;  ///< Nodes of the token tree at which the tails begin.
  mutable std::atomic<const TokenTrie*> tree_{nullptr};
};

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
  const std::deque<TailGroup>& tail_groups() const { return tail_groups_; }
  const ByteSet& soft_exits() const { return soft_exits_; }
  /// The most copies of a repetition that one token completes.
  uint32_t max_copies() const { return max_copies_; }
  /// Trees that may still be made are counted in.
  int64_t MemorySizeBytes() const { return memory_size_bytes_; }

 private:
  friend class LocalMaskBuilder;
  std::vector<uint32_t> words_;
  std::vector<int32_t> ids_;
  std::deque<TailGroup> tail_groups_;  // A deque: groups do not move.
  ByteSet soft_exits_;
  uint32_t max_copies_ = 0;
  int64_t memory_size_bytes_ = 0;
};

}  // namespace xgrammar
