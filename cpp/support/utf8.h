// UTF-8: strict decoding (no overlong forms, no surrogates, nothing above U+10FFFF; RFC 3629) and
// encoding.
//
// Used by every stage that reads text of a user. Whoever finds a text malformed raises the error of
// its own kind; nothing is replaced silently.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xgrammar {

constexpr uint32_t kMaxCodePoint = 0x10FFFF;
constexpr uint32_t kSurrogateFirst = 0xD800;
constexpr uint32_t kSurrogateLast = 0xDFFF;

struct DecodedCodePoint {
  uint32_t code_point = 0;
  uint8_t size = 0;    ///< Bytes of the sequence; 1 when invalid.
  bool valid = false;  ///< False for ill-formed or truncated input.
};

/// Decodes the sequence that starts at byte `offset`. Precondition: offset < text.size().
DecodedCodePoint DecodeUtf8(std::string_view text, size_t offset);

/// Appends the UTF-8 form of a scalar value (not a surrogate, at most U+10FFFF).
void AppendUtf8(uint32_t code_point, std::string* out);

/// Whether all of `text` is well-formed UTF-8.
bool IsValidUtf8(std::string_view text);

/// Number of code points in well-formed text.
int64_t CountCodePoints(std::string_view text);

/// Length of the longest prefix of `text` that does not end inside a (so far well-formed)
/// character.
size_t CompletePrefixSize(std::string_view text);

}  // namespace xgrammar
