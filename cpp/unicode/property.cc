// FindUnicodeProperty: binary search by name, then decoding of the byte-coded ranges
// (make_unicode_tables.py).
//
// The tables are generated and sorted by name; ranges are differences in 7-bit groups (LEB128).
// Case folding and normal forms have no tables.
#include "unicode/property.h"

#include <algorithm>
#include <span>

#include "unicode/unicode_tables.h"

namespace xgrammar {

namespace {

uint32_t DecodeNumber(const uint8_t** at) {
  uint32_t value = 0;
  for (int shift = 0;; shift += 7) {
    const uint8_t byte = *(*at)++;
    value |= static_cast<uint32_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
}

std::vector<UnicodeRange> DecodeRanges(const UnicodeTable& table) {
  std::vector<UnicodeRange> ranges;
  const uint8_t* at = kUnicodeRangeBytes + table.offset;
  const uint8_t* const end = at + table.size;
  uint32_t last = 0;
  while (at < end) {
    const uint32_t lo = last + DecodeNumber(&at);
    last = lo + DecodeNumber(&at);
    ranges.push_back({lo, last});
  }
  return ranges;
}

std::optional<std::vector<UnicodeRange>> Find(std::span<const UnicodeTable> tables,
                                              std::string_view name) {
  const auto it = std::lower_bound(tables.begin(), tables.end(), name,
                                   [](const UnicodeTable& table, std::string_view n) {
                                     return std::string_view(table.name) < n;
                                   });
  if (it == tables.end() || it->name != name) return std::nullopt;
  return DecodeRanges(*it);
}

}  // namespace

std::optional<std::vector<UnicodeRange>> FindUnicodeProperty(std::string_view name,
                                                             std::string_view value) {
  const std::span categories(kGeneralCategories, kGeneralCategoriesSize);
  if (value.empty()) {
    auto found = Find(categories, name);
    return found ? found : Find(std::span(kBinaryProperties, kBinaryPropertiesSize), name);
  }
  if (name == "General_Category" || name == "gc") return Find(categories, value);
  if (name == "Script" || name == "sc") return Find(std::span(kScripts, kScriptsSize), value);
  if (name == "Script_Extensions" || name == "scx") {
    return Find(std::span(kScriptExtensions, kScriptExtensionsSize), value);
  }
  return std::nullopt;
}

}  // namespace xgrammar
