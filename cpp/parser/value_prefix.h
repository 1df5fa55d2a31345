// ValuePrefix: the beginning of a JSON text, or a whole one, as the value that it spells; and which
// bytes lead on to a spelling of a given value.
//
// Equality is that of values: numbers by value, strings by decoded text (an unpaired surrogate
// escape stands for itself), objects without regard to the order of members; of a name that occurs
// twice every member counts. Reads one byte after the other, without recursion. Not a validator:
// the grammar that the text comes from has decided what is JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "automata/byte_dfa.h"
#include "json/value.h"

namespace xgrammar {

class ValuePrefix {
 public:
  /// A beginning, without what makes no difference to what comes of it: escapes, the order of
  /// members, zeros. Of two with one form and another `read`, and of two that differ in `zeros`
  /// when a later digit is not zero, one and the same text makes different values, save that it
  /// may be the one or the other node of a value that is being read.
  struct Reading {
    std::string form;  ///< The place, and all else in an exponent.
    std::string read;
    size_t zeros = 0;          ///< At the end of a fraction.
    bool in_exponent = false;  ///< `read` is the digits of an exponent.
  };

  explicit ValuePrefix(std::string_view text);

  /// Whether the text is a value that may end here.
  bool IsComplete() const;
  /// Equal for equal values and for nothing else. Precondition: IsComplete().
  std::string Key() const { return KeyOf(0); }

  /// What must come next for a longer text to spell `value`: every byte that may, and perhaps some
  /// that may not. Empty if no longer text spells it. A number that is complete and equal may be
  /// followed by what ends a number; every byte may follow if `value` is no JSON text.
  ByteSet BytesTowards(const ValuePrefix& value) const;
  /// The decoded text so far, if the value is a string that is neither closed nor in an escape.
  std::optional<std::string_view> OpenString() const;
  /// The decoded text, if the value is a string. Precondition: IsComplete().
  std::optional<std::string_view> StringText() const;
  /// Whether nothing but a longer number can come of the text: it is a whole value, or none at all.
  bool HasEnded() const {
    return place_ == Place::kIllFormed || (IsComplete() && place_ != Place::kNumber);
  }
  Reading reading() const;
  /// Values inside, and itself.
  size_t num_nodes() const { return nodes_.size(); }
  /// Whether the text ends within a string, where white space counts.
  bool IsInString() const { return place_ == Place::kString; }

 private:
  using NodeId = int32_t;
  enum class Place : uint8_t {
    kValue,      ///< Before a value.
    kFirstItem,  ///< Before an item or the end of an array.
    kFirstName,
    kName,
    kColon,
    kAfter,  ///< After a value.
    kString,
    kNumber,
    kWord,
    kIllFormed,
  };
  struct Node {
    JsonKind kind = JsonKind::kNull;
    NodeId end = 0;                  ///< After the last node inside.
    std::string text;                ///< Decoded text, number or word.
    std::vector<std::string> names;  ///< Of the members; the last may have no value yet.
    std::vector<NodeId> children;
  };

  void Read(char c);
  void ReadPlace(char c);
  void BeginValue(char c);
  void BeginString(bool is_name);
  void ReadString(char c);
  void ReadEscape(char c);
  void EndEscape(uint32_t code_unit);
  void FlushSurrogate();
  void EndString();
  void EndValue();
  void Close(JsonKind kind);
  const Node& node(NodeId id) const { return nodes_[static_cast<size_t>(id)]; }
  std::string KeyOf(NodeId id) const;
  std::string OpenKey() const;
  void ReadNumber(Reading* reading) const;

  /// A string value, number or word is being read; it is the last node.
  bool IsInScalar() const {
    return place_ == Place::kNumber || place_ == Place::kWord ||
           (place_ == Place::kString && !is_name_);
  }
  /// Whether the first `num_done` children are children of `other`; `left`: its other ones.
  bool TakeDone(const Node& own, size_t num_done, const ValuePrefix& value, const Node& other,
                std::vector<size_t>* left) const;
  ByteSet PlaceBytes(const Node& own, const ValuePrefix& value, const Node& other,
                     const std::vector<size_t>& left) const;
  /// What follows a number that is equal, if it is the last or not the last of a container: one of
  /// `,]}`; all of them where nothing is around it.
  static constexpr std::string_view kAfterRoot = ",]}";
  ByteSet ScalarBytes(const Node& other, std::string_view after = kAfterRoot) const;
  ByteSet NumberBytes(const Node& other, std::string_view after) const;
  void AddStringBytes(std::string_view text, ByteSet* out) const;

  std::vector<Node> nodes_;
  std::vector<NodeId> open_;  ///< Open containers, outermost first.
  Place place_ = Place::kValue;
  bool is_name_ = false;    ///< The string is a name.
  std::string string_;      ///< Of the current string, decoded.
  std::string escape_;      ///< What was read of an escape.
  uint32_t surrogate_ = 0;  ///< A high surrogate that a low one may follow.
};

}  // namespace xgrammar
