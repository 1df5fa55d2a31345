// LocalMask: what one state of a folded automaton says about every token, independent of the
// grammar around it.
//
// For a token read from that state there are three outcomes. It stays inside the automaton to its
// end: it is in the inside set. It leaves part-way at a point where the automaton may end and
// cannot go on (a hard exit, at most one for each token): it is in the tail group of the byte that
// comes next, and the bytes that remain are to be read by whatever follows the automaton. Or it
// could leave although the automaton could also go on (a soft exit): only the next bytes of such
// tokens are kept; they matter if what follows begins with one of them.
//
// Two forms. A whole mask holds its own sets. A difference refers to the mask of another state,
// most often the loop that nearly all tokens lead to, and holds only what is not the same; so the
// states of a trie of forbidden keys inside the loop of a string body cost next to nothing.
//
// Immutable and safe to share between threads and grammars.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "automata/byte_dfa.h"
#include "mask/kind_masks.h"
#include "tokenizer/tokenizer_info.h"

namespace xgrammar {

/// Copies of a repetition that are left at most, and that are still owed before the end. A token
/// needs room for the copies it begins and completes some copies before it leaves; both are kept
/// for each token, so that one mask serves every count.
struct CopyBounds {
  static constexpr uint32_t kManyCopies = 0xFFFFFFFF;
  uint32_t room = kManyCopies;
  uint32_t owed = 0;
  friend bool operator==(const CopyBounds&, const CopyBounds&) = default;
};

/// From which sizes on parts of the token tree are dealt with on their own.
struct PartSizes {
  uint32_t wide = 2048;  ///< Nodes below one at which words leave; their tails stay where they are.
  uint32_t known = 256;  ///< Siblings and their subtrees, in nodes, whose local masks are kept...
  int bytes = 17;        ///< ...for states that go on with so many bytes.
  uint32_t run = 16;     ///< Nodes below the end of a text, whose run is kept (text_runs.h).
  uint32_t parts = 2048;  ///< Parts read for one mask; past it, whole sets are read.
};

/// Tokens that leave an automaton and go on with one byte. Tails that are equal share one tree
/// node. The tree is made when it is first asked for: most groups (a word after white space) are
/// never followed by anything that begins with their byte.
class TailGroup {
 public:
  /// `nodes`: of the tree of whole tokens, at which the tails begin. Both must outlive the group.
  TailGroup(uint8_t byte, const TokenTrie& trie, std::span<const uint32_t> nodes)
      : byte_(byte), trie_(trie), nodes_(nodes) {}
  /// Groups move only while their mask is made.
  TailGroup(TailGroup&& other) noexcept
      : byte_(other.byte_), trie_(other.trie_), nodes_(other.nodes_) {}
  ~TailGroup() { delete tree_.load(std::memory_order_relaxed); }

  uint8_t byte() const { return byte_; }
  /// The tails as a tree. `tokenizer` is the one that the group was made for. Thread-safe.
  const TokenTrie& Tree(const TokenizerInfo& tokenizer) const;

 private:
  const uint8_t byte_;
  const TokenTrie& trie_;
  const std::span<const uint32_t> nodes_;
  mutable std::atomic<const TokenTrie*> tree_{nullptr};
};

class LocalMask : public std::enable_shared_from_this<LocalMask> {
 public:
  LocalMask() = default;
  LocalMask(const LocalMask&) = delete;
  LocalMask& operator=(const LocalMask&) = delete;
  ~LocalMask() { delete outside_tree_.load(std::memory_order_relaxed); }

  /// Adds the tokens that stay inside within the room to the row. `is_clear`: nothing is set in it
  /// yet; then a dense mask overwrites whatever the words hold.
  void AddTo(std::span<uint32_t> row, bool is_clear, uint32_t room) const;
  /// All tokens that do not stay inside, and perhaps some that do, as a tree that is made when it
  /// is first asked for: where tokens leave matters for no others. Null if they are not known, or
  /// too many, or if some do not stay inside for want of room. `tokenizer` is the one that the mask
  /// was made for. Thread-safe.
  const TokenTrie* OutsideTree(const TokenizerInfo& tokenizer, uint32_t room) const;
  /// Appends the tokens that stay inside. Precondition: a whole mask that is not dense.
  void AppendTo(std::vector<int32_t>* ids) const {
    ids->insert(ids->end(), inside_.begin(), inside_.end());
  }
  /// Many tokens: adding this mask first, to a clear row, is cheaper.
  bool is_dense() const { return base_ != nullptr ? base_->is_dense() : !words_.empty(); }

  const std::vector<TailGroup>& tail_groups() const { return tail_groups_; }
  /// Nodes of the tree of whole tokens (a space, with all words behind it) at which the automaton
  /// may end, with so many below that their tails are read there, not in groups. Of the tokens
  /// below, those that go on with a soft exit's byte do not leave.
  const std::vector<uint32_t>& wide_exits() const { return wide_exits_; }
  /// Tail groups and wide exits of this one apply too, except for tokens that HasExit refuses. Null
  /// for a whole mask.
  const LocalMask* base() const { return base_.get(); }
  /// Whether a token of the tail groups (own or of the base) really leaves from this state, within
  /// the bounds.
  bool HasExit(int32_t token, bool of_base, const CopyBounds& bounds) const;
  /// Whether HasExit may refuse tokens of the own groups, or of the base's groups.
  bool FiltersExits(bool of_base, const CopyBounds& bounds) const;
  const ByteSet& soft_exits() const { return soft_exits_; }
  /// Whether some token leaves the automaton part-way.
  bool MayBeLeft() const {
    const auto has_tails = [](const LocalMask& mask) {
      return !mask.tail_groups_.empty() || !mask.wide_exits_.empty();
    };
    return has_tails(*this) || (base_ != nullptr && has_tails(*base_)) || !soft_exits_.empty();
  }
  /// Trees that may still be made are counted in.
  int64_t MemorySizeBytes() const { return memory_size_bytes_; }

 private:
  friend class LocalMaskBuilder;

  void AddWhole(std::span<uint32_t> row, bool is_clear, uint32_t room) const;
  void AddDifference(std::span<uint32_t> row, bool is_clear) const;
  void AddSparseBase(std::span<uint32_t> row, bool is_clear) const;

  // Whole: inside_ lists the tokens, in a repetition by the copies they need, and inside_end_[k]
  // ends those that need at most k; words_ are the same as bits if they are many.
  std::vector<int32_t> inside_;
  std::vector<uint32_t> inside_end_;
  std::vector<uint32_t> words_;
  std::vector<int32_t> outside_;  // If known_ is set.
  // Difference; of one with many tokens words_ are all that stay inside.
  std::shared_ptr<const LocalMask> base_;
  std::vector<int32_t> added_;
  std::vector<int32_t> removed_;
  std::vector<int32_t> removed_exits_;  // Sorted.

  std::shared_ptr<const KindMasks::Tokens> known_;  // Owns the tree of the groups, if not null.
  std::vector<uint32_t> exit_nodes_;                // Of all groups.
  std::vector<TailGroup> tail_groups_;
  std::vector<uint32_t> wide_exits_;
  bool counts_copies_ = false;      // Of a repetition.
  uint32_t usual_exit_copies_ = 0;  // Completed before the exit of most tokens.
  std::vector<std::pair<int32_t, uint32_t>> exit_copies_;  // Sorted; those of all other tokens.
  uint32_t max_exit_copies_ = 0;
  uint32_t min_exit_copies_ = 0;
  ByteSet soft_exits_;
  mutable std::atomic<const TokenTrie*> outside_tree_{nullptr};
  int64_t memory_size_bytes_ = 0;
};

}  // namespace xgrammar
