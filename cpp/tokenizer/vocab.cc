// Decoding of vocabulary spellings to bytes.
//
// The byte-level table is the one of GPT-2's `bytes_to_unicode` (Radford et al. 2019): printable
// Latin-1 characters stand for themselves, the other 68 bytes for U+0100, U+0101, ... in order. The
// byte-fallback spelling is SentencePiece's (Kudo and Richardson 2018).
#include "tokenizer/vocab.h"

#include <array>

#include "support/utf8.h"

namespace xgrammar {

namespace {

constexpr uint32_t kByteLevelEnd = 0x100 + 68;  // One past the last character of the table.
constexpr int16_t kNotInTable = -1;
constexpr std::string_view kSpaceMarker = "\xE2\x96\x81";  // U+2581.

constexpr bool IsSelfMapped(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr std::array<int16_t, kByteLevelEnd> MakeByteLevelTable() {
  std::array<int16_t, kByteLevelEnd> table{};
  for (int16_t& entry : table) entry = kNotInTable;
  size_t next = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    if (IsSelfMapped(byte)) {
      table[static_cast<size_t>(byte)] = static_cast<int16_t>(byte);
    } else {
      table[next++] = static_cast<int16_t>(byte);
    }
  }
  return table;
}

constexpr std::array<int16_t, kByteLevelEnd> kByteLevelTable = MakeByteLevelTable();

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string DecodeByteFallback(std::string_view encoded) {
  if (encoded.size() == 6 && encoded.substr(0, 3) == "<0x" && encoded[5] == '>') {
    const int high = HexValue(encoded[3]);
    const int low = HexValue(encoded[4]);
    if (high >= 0 && low >= 0) return std::string(1, static_cast<char>(high * 16 + low));
  }
  std::string decoded;
  decoded.reserve(encoded.size());
  size_t begin = 0;
  for (size_t at; (at = encoded.find(kSpaceMarker, begin)) != std::string_view::npos;) {
    decoded.append(encoded.substr(begin, at - begin));
    decoded.push_back(' ');
    begin = at + kSpaceMarker.size();
  }
  decoded.append(encoded.substr(begin));
  return decoded;
}

std::string DecodeByteLevel(std::string_view encoded) {
  std::string decoded;
  decoded.reserve(encoded.size());
  for (size_t i = 0; i < encoded.size();) {
    const DecodedCodePoint character = DecodeUtf8(encoded, i);
    if (!character.valid || character.code_point >= kByteLevelEnd) return std::string(encoded);
    const int16_t byte = kByteLevelTable[character.code_point];
    if (byte == kNotInTable) return std::string(encoded);
    decoded.push_back(static_cast<char>(byte));
    i += character.size;
  }
  return decoded;
}

}  // namespace

std::string DecodeToken(std::string_view encoded, VocabType vocab_type) {
  switch (vocab_type) {
    case VocabType::kByteFallback:
      return DecodeByteFallback(encoded);
    case VocabType::kByteLevel:
      return DecodeByteLevel(encoded);
    case VocabType::kRaw:
      break;
  }
  return std::string(encoded);
}

}  // namespace xgrammar
