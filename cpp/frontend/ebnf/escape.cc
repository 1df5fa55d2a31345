// Escape sequences of EBNF strings and character classes: letters, `\xH...` (greedy), `\uHHHH`,
// `\UHHHHHHHH`.
//
// Every sequence names a code point, never a raw byte. UTF-16 surrogate pairs are joined (RFC 8259,
// section 7, spells characters above U+FFFF that way) and lone surrogates refused, since they have
// no UTF-8 form.
#include "frontend/ebnf/escape.h"

#include "support/utf8.h"

namespace xgrammar::ebnf {

namespace {

constexpr uint32_t kLowSurrogateFirst = 0xDC00;

struct LetterEscape {
  char letter;
  uint32_t code_point;
};

constexpr LetterEscape kLetterEscapes[] = {
    {'n', 0x0A}, {'r', 0x0D}, {'t', 0x09}, {'b', 0x08}, {'f', 0x0C},
    {'a', 0x07}, {'v', 0x0B}, {'0', 0x00}, {'e', 0x1B},
};
constexpr std::string_view kStringPunctuation = "\"\\/'?[]-";
constexpr std::string_view kClassPunctuation = "\"\\/'?^$.*+()[]{}|-";
constexpr std::string_view kClassShorthands = "dDwWsS";

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsSurrogate(uint32_t value) { return value >= kSurrogateFirst && value <= kSurrogateLast; }

Escape Invalid(const char* problem, const char* hint = nullptr) {
  Escape escape;
  escape.problem = problem;
  escape.hint = hint;
  return escape;
}

// The value may be a surrogate or too large; larger values stay too large while further digits are
// read.
Escape ReadHex(std::string_view source, size_t offset) {
  char letter = source[offset + 1];
  size_t wanted = letter == 'u' ? 4 : 8;
  Escape escape;
  size_t position = offset + 2;
  while (position < source.size() && HexValue(source[position]) >= 0 &&
         (letter == 'x' || position < offset + 2 + wanted)) {
    if (escape.code_point <= kMaxCodePoint) {
      escape.code_point =
          escape.code_point * 16 + static_cast<uint32_t>(HexValue(source[position]));
    }
    ++position;
  }
  size_t digits = position - offset - 2;
  if (letter == 'x' && digits == 0) {
    return Invalid("Invalid escape sequence", "\\x needs at least one hexadecimal digit");
  }
  if (letter != 'x' && digits != wanted) {
    return Invalid("Invalid escape sequence", letter == 'u'
                                                  ? "\\u needs exactly four hexadecimal digits"
                                                  : "\\U needs exactly eight hexadecimal digits");
  }
  escape.size = position - offset;
  return escape;
}

bool IsHexEscape(std::string_view source, size_t offset) {
  return offset + 1 < source.size() && source[offset] == '\\' &&
         (source[offset + 1] == 'x' || source[offset + 1] == 'u' || source[offset + 1] == 'U');
}

Escape ReadCodePoint(std::string_view source, size_t offset) {
  Escape first = ReadHex(source, offset);
  if (first.size == 0) return first;
  if (first.code_point > kMaxCodePoint) {
    return Invalid("Invalid escape sequence: the value is above U+10FFFF");
  }
  if (!IsSurrogate(first.code_point)) return first;
  if (first.code_point < kLowSurrogateFirst && IsHexEscape(source, offset + first.size)) {
    Escape second = ReadHex(source, offset + first.size);
    if (second.size > 0 && second.code_point >= kLowSurrogateFirst &&
        second.code_point <= kSurrogateLast) {
      first.code_point = 0x10000 + ((first.code_point - kSurrogateFirst) << 10) +
                         (second.code_point - kLowSurrogateFirst);
      first.size += second.size;
      return first;
    }
  }
  return Invalid("Invalid escape sequence: a lone surrogate is not a character",
                 "write the pair or \\U with eight digits");
}

}  // namespace

Escape ReadEscape(std::string_view source, size_t offset, EscapeContext context) {
  if (offset + 1 >= source.size()) return Invalid("Invalid escape sequence");
  if (IsHexEscape(source, offset)) return ReadCodePoint(source, offset);
  char c = source[offset + 1];
  Escape escape;
  escape.size = 2;
  for (const LetterEscape& entry : kLetterEscapes) {
    if (entry.letter == c) {
      escape.code_point = entry.code_point;
      return escape;
    }
  }
  bool in_class = context == EscapeContext::kCharClass;
  std::string_view punctuation = in_class ? kClassPunctuation : kStringPunctuation;
  if (punctuation.find(c) != std::string_view::npos) {
    escape.code_point = static_cast<uint32_t>(c);
    return escape;
  }
  if (in_class && kClassShorthands.find(c) != std::string_view::npos) {
    return Invalid("Character class escape is not supported yet in EBNF",
                   "write the range, such as [0-9], or use Regex(...)");
  }
  return Invalid("Invalid escape sequence");
}

}  // namespace xgrammar::ebnf
