// DistinctValues: what parser sets know about distinct items: the text of the items that are being
// read (records) and the values of the ones before (lists).
//
// Both are interned chains: a record is a shorter one and a byte, a list is a shorter one and a
// value, so a byte more and an item more cost the same whatever came before. White space outside of
// strings is no part of a record, so that a run of it is a loop. Owned by the parser; one thread at
// a time, under its growth lock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "parser/value_prefix.h"
#include "support/id_table.h"

namespace xgrammar {

class DistinctValues {
 public:
  /// The record without text, and the list without values.
  static constexpr uint32_t kEmpty = 0;
  /// In place of a record: items are not compared. Sets for masks are like that (note 0021).
  static constexpr uint32_t kUnchecked = 0xFFFFFFFF;

  DistinctValues();

  uint32_t Extend(uint32_t record, uint8_t byte);
  uint32_t Shorter(uint32_t record) const { return records_[record].shorter; }
  uint32_t SizeOf(uint32_t record) const { return records_[record].size; }
  bool IsInString(uint32_t record) const { return records_[record].place != Place::kOutside; }
  uint8_t FirstByte(uint32_t record) const { return records_[record].first; }
  std::string TextFrom(uint32_t record, uint32_t begin) const;

  uint32_t Append(uint32_t list, uint32_t value);
  bool Contains(uint32_t list, uint32_t value);
  /// The list without its last value, and that value. Precondition: not empty.
  uint32_t ShorterList(uint32_t list) const { return lists_[list].shorter; }
  uint32_t LastOf(uint32_t list) const { return lists_[list].value; }
  std::vector<uint32_t> ValuesOf(uint32_t list) const;

  /// The number of the value that a text spells; a text that is no JSON value is one by itself.
  uint32_t ValueOf(std::string_view text);
  const ValuePrefix& value(uint32_t number) const { return *values_[number]; }

  int64_t MemorySizeBytes() const;

 private:
  enum class Place : uint8_t { kOutside, kString, kEscape };
  struct Record {
    uint32_t shorter = 0;
    uint32_t size = 0;
    uint8_t byte = 0;
    uint8_t first = 0;
    Place place = Place::kOutside;
  };
  struct List {
    uint32_t shorter = 0;
    uint32_t value = 0;
  };

  std::vector<Record> records_;
  IdTable record_index_;
  std::vector<List> lists_;
  IdTable list_index_;
  // The values of one list, a beginning of those that are asked for.
  uint32_t indexed_list_ = kEmpty;
  std::unordered_set<uint32_t> indexed_;
  std::unordered_map<std::string, uint32_t> value_of_key_;
  std::vector<std::unique_ptr<const ValuePrefix>> values_;
  int64_t value_bytes_ = 0;
};

/// The values of a list that a text may still come to spell, and the bytes that lead on to them.
struct NearList {
  std::vector<uint32_t> values;
  ByteSet bytes;
};

/// The text of an item so far, without white space outside of strings, and the values of a list
/// that a longer text may spell.
struct ItemText {
  std::string text;
  std::vector<const ValuePrefix*> near;
};

}  // namespace xgrammar
