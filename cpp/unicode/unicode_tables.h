// Generated tables of Unicode properties: declarations. Data: unicode_tables.cc, made by
// make_unicode_tables.py.
//
// Internal to unicode/; property.h is the interface.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xgrammar {

/// A property or property value by one of its names, and the place of its ranges in
/// kUnicodeRangeBytes.
struct UnicodeTable {
  const char* name;
  uint32_t offset;
  uint32_t size;
};

// Each array is sorted by name (bytewise).
extern const UnicodeTable kGeneralCategories[];
extern const size_t kGeneralCategoriesSize;
extern const UnicodeTable kScripts[];
extern const size_t kScriptsSize;
extern const UnicodeTable kScriptExtensions[];
extern const size_t kScriptExtensionsSize;
extern const UnicodeTable kBinaryProperties[];
extern const size_t kBinaryPropertiesSize;
extern const uint8_t kUnicodeRangeBytes[];

}  // namespace xgrammar
