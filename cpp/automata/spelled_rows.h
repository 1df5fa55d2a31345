// SpelledRows: a code point automaton between two literals as a deterministic automaton over bytes,
// whose rows are made when they are first asked for.
//
// The code point automaton is deterministic already, so a row follows from the edges of one state:
// ASCII as it stands, other characters by a Utf8Tree that all states share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "automata/byte_set.h"
#include "automata/byte_table.h"
#include "automata/code_point_automaton.h"
#include "automata/rows_on_demand.h"
#include "automata/utf8_tree.h"

namespace xgrammar {

class SpelledRows final : public RowsOnDemand {
 public:
  /// Null where the bytes alone do not tell whether the automaton goes on or the second literal
  /// begins, and for the empty language.
  static std::unique_ptr<const SpelledRows> Make(std::string_view prefix, CodePointDfaPtr automaton,
                                                 std::string_view suffix);

  uint32_t num_states() const override {
    return first_node_ + static_cast<uint32_t>(tree_.num_nodes());
  }
  const ByteClasses& classes() const override { return classes_; }
  std::vector<uint8_t> StateFlags() const override;
  int64_t MaxMemorySizeBytes() const override;
  bool IsAccept(uint32_t state) const;
  void WriteRow(uint32_t state, uint32_t* row, ByteSet* first) const override;

 private:
  SpelledRows(std::string_view prefix, CodePointDfaPtr automaton, std::string_view suffix);

  /// The tree edges of characters above U+007F of each state, and the classes of all.
  void CollectEdges();
  bool HasEdges(uint32_t state) const;
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
};

}  // namespace xgrammar
