// SpelledRows: a code point automaton between two literals as a deterministic automaton over bytes,
// whose rows are made when they are first asked for.
//
// A key that must not be one of a thousand names is an automaton of ten thousand states, of which a
// request visits a few hundred. The code point automaton is deterministic already, so a row follows
// from the edges of one state: ASCII as it stands, other characters by a Utf8Tree that all states
// share. What is made at once is what the other parts of the library must know beforehand: the
// number of states, where the automaton may end, and which bytes no state tells apart.
//
// Safe to share: a row is made once under a lock, published, and read without one.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "automata/byte_set.h"
#include "automata/byte_table.h"
#include "automata/code_point_automaton.h"
#include "automata/utf8_tree.h"
#include "support/arena.h"
#include "support/fork_safety.h"

namespace xgrammar {

class SpelledRows {
 public:
  /// Null where the bytes alone do not tell whether the automaton goes on or the second literal
  /// begins, and for the empty language.
  static std::unique_ptr<const SpelledRows> Make(std::string_view prefix, CodePointDfaPtr automaton,
                                                 std::string_view suffix);

  uint32_t num_states() const { return first_node_ + static_cast<uint32_t>(tree_.num_nodes()); }
  const ByteClasses& classes() const { return classes_; }
  bool IsAccept(uint32_t state) const;
  bool HasEdges(uint32_t state) const;
  /// The target of each byte class, ByteDfa::kDead for none.
  void WriteRow(uint32_t state, uint32_t* row) const;
  /// The same, once for all threads: stored in `place` and owned by this. FirstBytesOf reads what
  /// stands before it.
  const uint32_t* MakeRow(uint32_t state, std::atomic<const uint32_t*>* place) const;
  static ByteSet FirstBytesOf(const uint32_t* row) {
    ByteSet bytes;
    std::memcpy(bytes.words.data(), row - kWordsOfFirstBytes, sizeof(bytes.words));
    return bytes;
  }
  /// With all rows.
  int64_t MaxMemorySizeBytes() const;

 private:
  static constexpr size_t kWordsOfFirstBytes = sizeof(ByteSet) / sizeof(uint32_t);

  SpelledRows(std::string_view prefix, CodePointDfaPtr automaton, std::string_view suffix);

  /// The tree edges of characters above U+007F of each state, and the classes of all.
  void CollectEdges();
  /// Calls visit(lo, hi, target) for each edge.
  template <typename Visit>
  void ForEachEdge(uint32_t state, Visit visit) const;
  uint32_t StateOf(int32_t tree_target) const {
    return Utf8Tree::IsLabel(tree_target)
               ? first_code_point_state_ + static_cast<uint32_t>(Utf8Tree::LabelTarget(tree_target))
               : first_node_ + static_cast<uint32_t>(tree_target);
  }

  // States: the prefix, the code point automaton, the suffix, and then nodes inside characters.
  const std::string prefix_;
  const CodePointDfaPtr automaton_;
  const std::string suffix_;
  const uint32_t first_code_point_state_;
  const uint32_t first_suffix_state_;
  const uint32_t first_node_;
  Utf8Tree tree_;
  std::vector<std::vector<Utf8Tree::Edge>> lead_edges_;
  std::vector<uint32_t> lead_edges_of_;  ///< By state of the code point automaton.
  ByteClasses classes_;

  mutable ForkSafeMutex mutex_;
  mutable Arena arena_;  ///< Holds the rows. Guarded by mutex_.
};

}  // namespace xgrammar
