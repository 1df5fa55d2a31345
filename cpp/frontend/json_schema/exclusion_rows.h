// ExclusionRows: all strings but some names, in all spellings, between two literals, as rows on
// demand.
//
// The free keys of an object are as large an automaton as its names together, and a text comes to a
// few of its states. A row follows from the sorted names and the number of its state alone: the
// number says which beginning of which name was read, and where in an escape the text stands. So
// nothing is made beforehand. For names of ASCII only: characters of several bytes are then no
// name's. The same language as an automaton of characters, for all names, is spellings_except.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "automata/rows_on_demand.h"

namespace xgrammar::json_schema {

class ExclusionRows final : public RowsOnDemand {
 public:
  /// `names` are sorted. Null for names that are not ASCII, without a prefix, and where the bytes
  /// alone do not tell where the suffix begins: it must begin with a quote.
  static std::unique_ptr<const RowsOnDemand> Make(std::string_view prefix,
                                                  const std::vector<std::string>& names,
                                                  std::string_view suffix);

  uint32_t num_states() const override { return num_states_; }
  const ByteClasses& classes() const override { return classes_; }
  std::vector<uint8_t> StateFlags() const override;
  int64_t MaxMemorySizeBytes() const override;

 protected:
  void WriteRow(uint32_t state, uint32_t* row, ByteSet* first) const override;

 private:
  // What has been read of a string: the first `depth` characters, which the names [first, end)
  // begin with.
  struct Node {
    size_t first = 0;
    size_t end = 0;
    size_t depth = 0;
  };
  // A node has a number for itself, four within an escape of the next character, and one before the
  // last digit of its own last character.
  enum Place : uint32_t { kRead, kEscape, kFourDigits, kThreeDigits, kTwoDigits, kLastDigit };
  static constexpr uint32_t kNumPlaces = 6;
  // States that all names share. Strings that are no name whatever follows have numbers like a
  // node's; kNameRead comes after a name that no other goes on from.
  static constexpr uint32_t kOther = 0;
  static constexpr uint32_t kNameRead = kNumPlaces;
  static constexpr uint32_t kNumShared = kNumPlaces + 1;

  class Row;

  ExclusionRows(std::string_view prefix, std::vector<std::string> names, std::string_view suffix);

  ByteClasses FindClasses() const;
  uint8_t Character(const Node& node) const {
    return static_cast<uint8_t>(names_[node.first][node.depth - 1]);
  }
  bool IsName(const Node& node) const { return names_[node.first].size() == node.depth; }
  bool IsLast(const Node& node) const { return names_[node.end - 1].size() == node.depth; }
  /// The node of the first `depth` characters of a name, which is the first to have them.
  Node NodeOf(size_t name, size_t depth) const;
  /// Calls visit(child) for each character that names go on with, in order.
  template <typename Visit>
  void ForEachChild(const Node& node, Visit visit) const;
  uint32_t StateAt(const Node& node, Place place) const;
  /// The state after the whole of a node's last character.
  uint32_t StateAfter(const Node& node) const;
  uint32_t OtherAt(Place place) const { return machine_ + kOther + place; }

  void WriteShared(uint32_t number, Row* row) const;
  void WriteNode(uint32_t number, Place place, Row* row) const;
  void WriteLastDigit(const Node& node, Row* row) const;

  // States: the prefix, those that names share, those of nodes, the suffix, and those between the
  // bytes of a character.
  const std::string prefix_;
  const std::vector<std::string> names_;
  const std::string suffix_;
  std::vector<uint32_t> common_;      ///< By name: characters in common with the name before.
  std::vector<uint32_t> first_node_;  ///< By name: the number of the node after those.
  uint32_t machine_ = 0;
  uint32_t first_suffix_state_ = 0;
  uint32_t first_wide_state_ = 0;
  uint32_t num_states_ = 0;
  ByteClasses classes_;
};

}  // namespace xgrammar::json_schema
