// CopyKinds: ASCII by a look at each byte, other characters by a search in step with the
// well-formed byte table of UTF-8.
//
// A kind counts only as a whole: one character of it that is no copy, or the beginning of one,
// takes it out. Classes that are cut to many places within characters are given up.
#include "mask/copy_kinds.h"

#include <vector>

#include "tokenizer/byte_kind.h"

namespace xgrammar {

namespace {

bool IsCopy(const ByteDfa& dfa, uint32_t state) {
  return state != ByteDfa::kDead && dfa.IsAccept(state);
}

/// Within a character.
struct Place {
  uint32_t state;
  Utf8State utf8;
  friend bool operator==(const Place&, const Place&) = default;
};

/// Whether every character that begins with the byte is a copy.
bool AreCopies(const ByteDfa& dfa, uint8_t lead) {
  // Classes of characters are a few states; others are left to be read byte by byte.
  constexpr size_t kMaxPlaces = 64;
  std::vector<Place> places;
  const auto add = [&](uint32_t state, Utf8State utf8) {
    if (utf8 == Utf8State::kBoundary) return IsCopy(dfa, state);
    if (state == ByteDfa::kDead || dfa.IsAccept(state)) return false;
    for (const Place& known : places) {
      if (known == Place{state, utf8}) return true;
    }
    places.push_back({state, utf8});
    return places.size() <= kMaxPlaces;
  };
  if (!add(dfa.Next(0, lead), NextUtf8State(Utf8State::kBoundary, lead))) return false;
  for (size_t i = 0; i < places.size(); ++i) {
    const Place from = places[i];
    for (uint32_t byte = 0x80; byte <= 0xBF; ++byte) {
      const Utf8State utf8 = NextUtf8State(from.utf8, static_cast<uint8_t>(byte));
      if (utf8 == Utf8State::kIllFormed) continue;
      if (!add(dfa.Next(from.state, static_cast<uint8_t>(byte)), utf8)) return false;
    }
  }
  return true;
}

}  // namespace

uint16_t KindsOfCopies(const ByteDfa& dfa) {
  uint16_t others = kIllFormedBelow;
  for (uint32_t b = 0; b < 0x80; ++b) {
    const auto byte = static_cast<uint8_t>(b);
    if (!IsCopy(dfa, dfa.Next(0, byte))) others |= KindBit(byte);
  }
  for (uint32_t b = 0xC2; b <= 0xF4; ++b) {
    const auto lead = static_cast<uint8_t>(b);
    if ((others & KindBit(lead)) == 0 && !AreCopies(dfa, lead)) others |= KindBit(lead);
  }
  return static_cast<uint16_t>(~others);
}

}  // namespace xgrammar
