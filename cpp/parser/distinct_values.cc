// DistinctValues: interning of records, lists and values.
//
// Chains are looked up by their last link, values by their key (value_prefix.h). Nothing is ever
// taken out.
#include "parser/distinct_values.h"

#include <algorithm>
#include <utility>

namespace xgrammar {

namespace {

uint64_t HashPair(uint32_t a, uint32_t b) {
  uint64_t hash = ((uint64_t{a} << 32) | b) * 0x9E3779B97F4A7C15ull;
  hash ^= hash >> 29;
  return hash * 0xFF51AFD7ED558CCDull;
}

}  // namespace

DistinctValues::DistinctValues() : records_(1), lists_(1) {}

uint32_t DistinctValues::Extend(uint32_t record, uint8_t byte) {
  const Place place = records_[record].place;
  if (place == Place::kOutside && IsJsonSpace(static_cast<char>(byte))) return record;
  const uint64_t hash = HashPair(record, byte);
  const uint32_t known = record_index_.Find(hash, [&](uint32_t id) {
    return records_[id].shorter == record && records_[id].byte == byte;
  });
  if (known != IdTable::kNotFound) return known;
  Place next = Place::kString;
  if (place == Place::kOutside) next = byte == '"' ? Place::kString : Place::kOutside;
  if (place == Place::kString && byte == '"') next = Place::kOutside;
  if (place == Place::kString && byte == '\\') next = Place::kEscape;
  const auto id = static_cast<uint32_t>(records_.size());
  const uint8_t first = record == kEmpty ? byte : records_[record].first;
  records_.push_back({record, records_[record].size + 1, byte, first, next});
  record_index_.Insert(hash, id);
  return id;
}

std::string DistinctValues::TextFrom(uint32_t record, uint32_t begin) const {
  const uint32_t size = SizeOf(record);
  std::string text(size > begin ? size - begin : 0, '\0');
  for (size_t i = text.size(); i-- > 0; record = records_[record].shorter)
    text[i] = static_cast<char>(records_[record].byte);
  return text;
}

uint32_t DistinctValues::Append(uint32_t list, uint32_t value) {
  const uint64_t hash = HashPair(list, value);
  const uint32_t known = list_index_.Find(
      hash, [&](uint32_t id) { return lists_[id].shorter == list && lists_[id].value == value; });
  if (known != IdTable::kNotFound) return known;
  const auto id = static_cast<uint32_t>(lists_.size());
  lists_.push_back({list, value});
  list_index_.Insert(hash, id);
  return id;
}

// The last few values of a list are looked at, those before are in an index: lists that are asked
// for one after the other have all but their last values in common.
bool DistinctValues::Contains(uint32_t list, uint32_t value) {
  constexpr int kMaxSteps = 64;
  uint32_t middle = list;
  for (int steps = 0; steps < kMaxSteps; ++steps) {
    if (list == indexed_list_) return indexed_.contains(value);
    if (list == kEmpty) return false;
    if (lists_[list].value == value) return true;
    list = lists_[list].shorter;
    if (steps == kMaxSteps / 2) middle = list;
  }
  std::vector<uint32_t> added;
  uint32_t at = middle;
  for (; at != kEmpty && at != indexed_list_; at = lists_[at].shorter)
    added.push_back(lists_[at].value);
  if (at != indexed_list_) indexed_.clear();
  indexed_.insert(added.begin(), added.end());
  indexed_list_ = middle;
  return indexed_.contains(value);
}

std::vector<uint32_t> DistinctValues::ValuesOf(uint32_t list) const {
  std::vector<uint32_t> values;
  for (; list != kEmpty; list = lists_[list].shorter) values.push_back(lists_[list].value);
  return values;
}

uint32_t DistinctValues::ValueOf(std::string_view text) {
  auto value = std::make_unique<const ValuePrefix>(text);
  std::string key = value->IsComplete() ? value->Key() : "?" + std::string(text);
  const auto [place, is_new] =
      value_of_key_.try_emplace(std::move(key), static_cast<uint32_t>(values_.size()));
  if (is_new) {
    constexpr int64_t kEntryBytes = 256;
    value_bytes_ += kEntryBytes + 8 * static_cast<int64_t>(text.size());
    values_.push_back(std::move(value));
  }
  return place->second;
}

int64_t DistinctValues::MemorySizeBytes() const {
  return static_cast<int64_t>(records_.size() * sizeof(Record) + lists_.size() * sizeof(List)) +
         static_cast<int64_t>(indexed_.size() * 4 * sizeof(void*)) +
         record_index_.MemorySizeBytes() + list_index_.MemorySizeBytes() + value_bytes_;
}

}  // namespace xgrammar
