// Byte kinds: the 256 byte values in groups that grammars tend to treat alike, and whether what
// they spell is UTF-8.
//
// A tree node knows which kinds stand below it; an automaton state that stays where it is for all
// of them takes the whole subtree in one step. Finer groups find more such states, coarser ones
// cost less memory: these fit 16 bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace xgrammar {

constexpr int ByteKind(uint8_t byte) {
  if (byte >= 'a' && byte <= 'z') return 0;
  if (byte >= 'A' && byte <= 'Z') return 1;
  if (byte >= '0' && byte <= '9') return 2;
  if (byte == ' ') return 3;
  if (byte == '\t' || byte == '\n' || byte == '\r') return 4;
  if (byte == '"') return 6;
  if (byte == '\\' || byte < 0x20) return 7;
  if (byte == '_' || byte == '-') return 8;
  if (byte == '.' || byte == ',') return 9;
  if (byte == ':') return 10;
  if (byte == '<' || byte == '>' || byte == '/') return 11;
  if (byte < 0x80) return 12;
  if (byte >= 0xF0 && byte <= 0xF4) return 14;
  // White space, line ends and the end of the basic plane, which patterns leave out, begin with
  // C2, E1, E2, E3, EE and EF; most letters do not. Above it are scripts and signs of their own.
  return byte == 0xC2 || (byte >= 0xE1 && byte <= 0xE3) || byte == 0xEE || byte == 0xEF ? 15 : 5;
}

/// Not a kind of byte: below this node stands something that is no beginning of well-formed UTF-8,
/// or the node itself ends within a character.
constexpr uint16_t kIllFormedBelow = 1u << 13;
/// The kinds of characters above U+007F, which are those of their first bytes.
constexpr uint16_t kNonAsciiKinds = (1u << 5) | (1u << 14) | (1u << 15);

/// 0 for bytes that continue a character.
constexpr uint16_t KindBit(uint8_t byte) {
  const bool continues = byte >= 0x80 && byte < 0xC0;
  return static_cast<uint16_t>(continues ? 0 : 1u << ByteKind(byte));
}

/// KindBit of every byte.
constexpr std::array<uint16_t, 256> kKindBits = [] {
  std::array<uint16_t, 256> bits{};
  for (size_t b = 0; b < bits.size(); ++b) bits[b] = KindBit(static_cast<uint8_t>(b));
  return bits;
}();

/// Where a sequence of bytes stands in the well-formed byte table of UTF-8 (Unicode standard, table
/// 3-7).
enum class Utf8State : uint8_t {
  kBoundary,  ///< Between characters.
  kOneMore,   ///< One continuation byte to come.
  kTwoMore,
  kThreeMore,
  kAfterE0,  ///< A0..BF, then one more.
  kAfterED,  ///< 80..9F, then one more: no surrogates.
  kAfterF0,  ///< 90..BF, then two more.
  kAfterF4,  ///< 80..8F, then two more.
  kIllFormed,
};

constexpr Utf8State NextUtf8State(Utf8State state, uint8_t byte) {
  const auto within = [byte](uint8_t lo, uint8_t hi, Utf8State next) {
    return byte >= lo && byte <= hi ? next : Utf8State::kIllFormed;
  };
  switch (state) {
    case Utf8State::kBoundary:
      if (byte < 0x80) return Utf8State::kBoundary;
      if (byte >= 0xC2 && byte <= 0xDF) return Utf8State::kOneMore;
      if (byte == 0xE0) return Utf8State::kAfterE0;
      if (byte == 0xED) return Utf8State::kAfterED;
      if (byte >= 0xE1 && byte <= 0xEF) return Utf8State::kTwoMore;
      if (byte == 0xF0) return Utf8State::kAfterF0;
      if (byte >= 0xF1 && byte <= 0xF3) return Utf8State::kThreeMore;
      return byte == 0xF4 ? Utf8State::kAfterF4 : Utf8State::kIllFormed;
    case Utf8State::kOneMore:
      return within(0x80, 0xBF, Utf8State::kBoundary);
    case Utf8State::kTwoMore:
      return within(0x80, 0xBF, Utf8State::kOneMore);
    case Utf8State::kThreeMore:
      return within(0x80, 0xBF, Utf8State::kTwoMore);
    case Utf8State::kAfterE0:
      return within(0xA0, 0xBF, Utf8State::kOneMore);
    case Utf8State::kAfterED:
      return within(0x80, 0x9F, Utf8State::kOneMore);
    case Utf8State::kAfterF0:
      return within(0x90, 0xBF, Utf8State::kTwoMore);
    case Utf8State::kAfterF4:
      return within(0x80, 0x8F, Utf8State::kTwoMore);
    case Utf8State::kIllFormed:
      break;
  }
  return Utf8State::kIllFormed;
}

}  // namespace xgrammar
