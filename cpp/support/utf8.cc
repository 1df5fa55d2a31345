// UTF-8 decoding and encoding (RFC 3629, table 3-7 of the Unicode standard for the well-formed byte
// ranges).
//
// Plain loops, byte by byte: sources are short beside what is done with them. Normal forms and
// properties of characters are not known here (unicode/).
#include "support/utf8.h"

namespace xgrammar {

namespace {

bool IsContinuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

}  // namespace

DecodedCodePoint DecodeUtf8(std::string_view text, size_t offset) {
  const auto lead = static_cast<unsigned char>(text[offset]);
  DecodedCodePoint out;
  out.size = 1;
  if (lead < 0x80) {
    out.code_point = lead;
    out.valid = true;
    return out;
  }
  uint8_t size = 0;
  uint32_t minimum = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    size = 2;
    minimum = 0x80;
    out.code_point = lead & 0x1Fu;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    size = 3;
    minimum = 0x800;
    out.code_point = lead & 0x0Fu;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    size = 4;
    minimum = 0x10000;
    out.code_point = lead & 0x07u;
  } else {
    return out;
  }
  if (text.size() - offset < size) return out;
  for (uint8_t i = 1; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(text[offset + i]);
    if (!IsContinuation(byte)) return out;
    out.code_point = (out.code_point << 6) | (byte & 0x3Fu);
  }
  if (out.code_point < minimum || out.code_point > kMaxCodePoint) return out;
  if (out.code_point >= kSurrogateFirst && out.code_point <= kSurrogateLast) return out;
  out.size = size;
  out.valid = true;
  return out;
}

void AppendUtf8(uint32_t code_point, std::string* out) {
  if (code_point < 0x80) {
    out->push_back(static_cast<char>(code_point));
  } else if (code_point < 0x800) {
    out->push_back(static_cast<char>(0xC0 | (code_point >> 6)));
    out->push_back(static_cast<char>(0x80 | (code_point & 0x3F)));
  } else if (code_point < 0x10000) {
    out->push_back(static_cast<char>(0xE0 | (code_point >> 12)));
    out->push_back(static_cast<char>(0x80 | ((code_point >> 6) & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (code_point & 0x3F)));
  } else {
    out->push_back(static_cast<char>(0xF0 | (code_point >> 18)));
    out->push_back(static_cast<char>(0x80 | ((code_point >> 12) & 0x3F)));
    out->push_back(static_cast<char>(0x80 | ((code_point >> 6) & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (code_point & 0x3F)));
  }
}

bool IsValidUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    DecodedCodePoint d = DecodeUtf8(text, i);
    if (!d.valid) return false;
    i += d.size;
  }
  return true;
}

int64_t CountCodePoints(std::string_view text) {
  int64_t count = 0;
  for (char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

size_t CompletePrefixSize(std::string_view text) {
  // At most three bytes of an unfinished character can stand at the end.
  for (size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if (IsContinuation(byte)) continue;
    const size_t needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return needed > back ? text.size() - back : text.size();
  }
  return text.size();
}

}  // namespace xgrammar
