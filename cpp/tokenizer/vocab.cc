// Decoding of vocabulary spellings to bytes.
//
// The byte-level table is the one of GPT-2's `bytes_to_unicode` (Radford et al. 2019): printable
// Latin-1 characters stand for themselves, the other 68 bytes for U+0100, U+0101, ... in order. The
// byte-fallback spelling is SentencePiece's (Kudo and Richardson 2018).
#include "tokenizer/vocab.h"

#include <array>
#include <bitset>

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

// The byte that a character of the table stands for, read at `*i`, which moves behind it; or
// kNotInTable. The characters of the table have one or two bytes in UTF-8.
int16_t ReadByteLevel(std::string_view encoded, size_t* i) {
  const auto lead = static_cast<unsigned char>(encoded[*i]);
  if (lead < 0x80) {
    ++*i;
    return kByteLevelTable[lead];
  }
  if (lead < 0xC2 || lead > 0xC5 || *i + 1 >= encoded.size()) return kNotInTable;
  const auto next = static_cast<unsigned char>(encoded[*i + 1]);
  const auto character = static_cast<uint32_t>((lead & 0x1F) << 6 | (next & 0x3F));
  if ((next & 0xC0) != 0x80 || character >= kByteLevelEnd) return kNotInTable;
  *i += 2;
  return kByteLevelTable[character];
}

std::string DecodeByteLevel(std::string_view encoded) {
  // Most tokens are short, and shorter still when decoded: no more memory than they need.
  std::array<char, 64> buffer;
  std::string long_buffer;
  char* decoded = buffer.data();
  if (encoded.size() > buffer.size()) {
    long_buffer.resize(encoded.size());
    decoded = long_buffer.data();
  }
  size_t size = 0;
  for (size_t i = 0; i < encoded.size();) {
    const int16_t byte = ReadByteLevel(encoded, &i);
    if (byte == kNotInTable) return std::string(encoded);
    decoded[size++] = static_cast<char>(byte);
  }
  return std::string(decoded, size);
}

bool IsByteLevelText(std::string_view encoded) {
  for (size_t i = 0; i < encoded.size();) {
    if (ReadByteLevel(encoded, &i) == kNotInTable) return false;
  }
  return true;
}

// The byte of a token of the form <0xHH> with upper-case digits, or -1.
int ByteFallbackToken(std::string_view encoded) {
  if (encoded.size() != 6 || encoded.substr(0, 3) != "<0x" || encoded[5] != '>') return -1;
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'f'; };
  if (is_lower(encoded[3]) || is_lower(encoded[4])) return -1;
  const int high = HexValue(encoded[3]);
  const int low = HexValue(encoded[4]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

// Half of the byte tokens settle the kind, even if a tokenizer dropped unused ones.
constexpr size_t kEnoughByteTokens = 128;
// Added tokens are text outside of the alphabet, and few: one in so many.
constexpr size_t kByteLevelExceptions = 100;

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

std::optional<VocabType> KindOfVocabulary(std::span<const std::string_view> encoded_vocab) {
  std::bitset<256> fallback_bytes;
  std::bitset<256> level_bytes;
  size_t num_tokens = 0;
  size_t num_level_tokens = 0;
  for (const std::string_view token : encoded_vocab) {
    if (token.empty()) continue;
    ++num_tokens;
    if (const int byte = ByteFallbackToken(token); byte >= 0) {
      fallback_bytes.set(static_cast<size_t>(byte));
    }
    if (!IsByteLevelText(token)) continue;
    ++num_level_tokens;
    size_t end = 0;
    const int16_t byte = ReadByteLevel(token, &end);
    if (end == token.size()) level_bytes.set(static_cast<size_t>(byte));
  }
  if (fallback_bytes.count() >= kEnoughByteTokens) return VocabType::kByteFallback;
  const size_t num_others = num_tokens - num_level_tokens;
  if (level_bytes.count() >= kEnoughByteTokens && num_others * kByteLevelExceptions <= num_tokens) {
    return VocabType::kByteLevel;
  }
  return std::nullopt;
}

}  // namespace xgrammar
