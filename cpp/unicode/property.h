// Unicode properties by name, for `\p{...}` in regular expressions.
//
// The names are those that ECMA-262 allows: General_Category (gc), Script (sc) and
// Script_Extensions (scx) with short and long value names, the general categories alone, and the
// binary properties. Matching is case sensitive and exact, as ECMA-262 wants it (no loose matching
// of UAX 44).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace xgrammar {

/// Inclusive range of code points. Not a CodePointRange, because automata/ may use this folder and
/// not the reverse.
struct UnicodeRange {
  uint32_t lo = 0;
  uint32_t hi = 0;
  friend bool operator==(const UnicodeRange&, const UnicodeRange&) = default;
};

/// The ranges of `\p{name}` (empty value) or `\p{name=value}`, sorted and disjoint; nothing if
/// there is no such property or value. The result may hold surrogates (Cs, Any).
std::optional<std::vector<UnicodeRange>> FindUnicodeProperty(std::string_view name,
                                                             std::string_view value);

}  // namespace xgrammar
