// Lexer: string literals of Lark grammars.
//
// Escapes are those of JSON (RFC 8259, section 7) and, beyond them, `\xHH` for a code point below
// 256. Surrogate pairs are joined; other surrogates have no UTF-8 form and are refused.
#include "frontend/lark/lexer.h"
#include "support/utf8.h"

namespace xgrammar::lark {

namespace {

constexpr uint32_t kLowSurrogateFirst = 0xDC00;

bool IsWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// What a one-letter escape stands for, or NUL.
char Unescape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return '\0';
  }
}

}  // namespace

void Lexer::LexString(Token* token) {
  token->kind = TokenKind::kString;
  ++position_;
  while (Peek() != '"') {
    if (position_ >= text_.size() || Peek() == '\n') {
      source_.Fail(token->offset, "unterminated string");
    }
    if (static_cast<unsigned char>(Peek()) < 0x20) {
      source_.Fail(position_, "control characters in a string must be escaped");
    }
    if (Peek() == '\\') {
      LexEscape(token);
    } else {
      token->text.push_back(text_[position_++]);
    }
  }
  ++position_;
  if (Peek() == 'i' && !IsWordChar(Peek(1))) {
    token->flags = "i";
    ++position_;
  }
}

void Lexer::LexEscape(Token* token) {
  const size_t offset = position_;
  const char letter = Peek(1);
  position_ += 2;
  if (const char c = Unescape(letter)) {
    token->text.push_back(c);
    return;
  }
  if (letter == 'x') {
    AppendUtf8(LexHexDigits(2, offset), &token->text);
    return;
  }
  if (letter != 'u') {
    source_.Fail(offset, "unknown escape in a string; only JSON escapes and \\xHH are allowed");
  }
  uint32_t code_point = LexHexDigits(4, offset);
  if (code_point >= kSurrogateFirst && code_point < kLowSurrogateFirst && Peek() == '\\' &&
      Peek(1) == 'u') {
    position_ += 2;
    const uint32_t low = LexHexDigits(4, offset);
    if (low >= kLowSurrogateFirst && low <= kSurrogateLast) {
      code_point = 0x10000 + ((code_point - kSurrogateFirst) << 10) + (low - kLowSurrogateFirst);
    }
  }
  if (code_point >= kSurrogateFirst && code_point <= kSurrogateLast) {
    source_.Fail(offset, "unpaired surrogate in a string");
  }
  AppendUtf8(code_point, &token->text);
}

uint32_t Lexer::LexHexDigits(size_t count, size_t escape_offset) {
  uint32_t value = 0;
  for (size_t i = 0; i < count; ++i, ++position_) {
    const char c = Peek();
    uint32_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<uint32_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<uint32_t>(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = static_cast<uint32_t>(c - 'A') + 10;
    } else {
      source_.Fail(escape_offset, "expected hexadecimal digits in an escape");
    }
    value = value * 16 + digit;
  }
  return value;
}

}  // namespace xgrammar::lark
