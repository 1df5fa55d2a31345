// Byte kinds: the 256 byte values in 16 groups that grammars tend to treat alike.
//
// A tree node knows which kinds stand below it; an automaton state that stays where it is for all of them takes the
// whole subtree in one step. Finer groups find more such states, coarser ones cost less memory: these fit 16 bits.
#pragma once

#include <cstdint>

namespace xgrammar {

constexpr int kNumByteKinds = 16;

constexpr int ByteKind(uint8_t byte) {
  if (byte >= 'a' && byte <= 'z') return 0;
  if (byte >= 'A' && byte <= 'Z') return 1;
  if (byte >= '0' && byte <= '9') return 2;
  if (byte == ' ') return 3;
  if (byte == '\t' || byte == '\n' || byte == '\r') return 4;
  if (byte < 0x20) return 5;
  if (byte == '"') return 6;
  if (byte == '\\') return 7;
  if (byte == '_' || byte == '-') return 8;
  if (byte == '.' || byte == ',') return 9;
  if (byte == ':') return 10;
  if (byte == '<' || byte == '>' || byte == '/') return 11;
  if (byte < 0x7F) return 12;
  if (byte == 0x7F) return 13;
  return byte < 0xC0 ? 14 : 15;
}

constexpr uint16_t KindBit(uint8_t byte) { return static_cast<uint16_t>(1u << ByteKind(byte)); }

}  // namespace xgrammar
