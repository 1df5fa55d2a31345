// LiteralWriter: the escapes of printed strings and classes.
//
// Words are looked at in the printed text, escapes included: the `name` of a printed `\name` is a
// word too. Since no rule name begins like a numeric escape (printed_names.h), writing the first
// character of a word as one always helps.
#include "grammar/literal_writer.h"

#include <cstdio>

#include "support/utf8.h"

namespace xgrammar {

namespace {

bool IsHexDigit(uint32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool IsWordChar(uint32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

char LetterOfControl(uint32_t code_point) {
  switch (code_point) {
    case 0x00:
      return '0';
    case 0x07:
      return 'a';
    case 0x08:
      return 'b';
    case 0x09:
      return 't';
    case 0x0A:
      return 'n';
    case 0x0B:
      return 'v';
    case 0x0C:
      return 'f';
    case 0x0D:
      return 'r';
    case 0x1B:
      return 'e';
    default:
      return 0;
  }
}

// `\x` takes every hexadecimal digit that follows, so the form of fixed length is used before one.
std::string NumericEscape(uint32_t code_point, bool hex_digit_follows) {
  char text[16];
  const char* format = code_point < 0x100 && !hex_digit_follows ? "\\x%02x"
                       : code_point < 0x10000                   ? "\\u%04x"
                                                                : "\\U%08x";
  std::snprintf(text, sizeof(text), format, code_point);
  return text;
}

bool IsSpelledRaw(uint32_t code_point) { return code_point >= 0x20 && code_point < 0x7F; }

}  // namespace

void LiteralWriter::Begin(Context context, std::string_view opening) {
  context_ = context;
  out_ += opening;
  literal_start_ = out_.size();
  in_word_ = false;
}

void LiteralWriter::End(char closing) {
  EndWord();
  out_ += closing;
}

void LiteralWriter::PutDash() {
  EndWord();
  out_ += '-';
}

// Punctuation that a backslash takes out of its meaning.
bool LiteralWriter::NeedsEscape(uint32_t code_point) const {
  if (code_point == '\\') return true;
  if (context_ == Context::kString) return code_point == '"';
  return code_point == ']' || code_point == '-' ||
         (code_point == '^' && out_.size() == literal_start_ && out_.back() == '[');
}

void LiteralWriter::PutCodePoint(uint32_t code_point, bool hex_digit_follows) {
  bool completes_assign = code_point == '=' && out_.size() >= literal_start_ + 2 &&
                          std::string_view(out_).substr(out_.size() - 2) == "::";
  size_t start = out_.size();
  char letter = LetterOfControl(code_point);
  if (letter != 0) {
    EndWord();
    out_ += '\\';
    out_ += letter;
  } else if (!IsSpelledRaw(code_point) || completes_assign) {
    EndWord();
    out_ += NumericEscape(code_point, hex_digit_follows);
  } else if (NeedsEscape(code_point)) {
    EndWord();
    out_ += '\\';
    out_ += static_cast<char>(code_point);
    return;
  } else if (IsWordChar(code_point)) {
    out_ += static_cast<char>(code_point);
  } else {
    EndWord();
    out_ += static_cast<char>(code_point);
    return;
  }
  if (in_word_) return;
  in_word_ = true;
  word_first_ = code_point;
  word_first_start_ = start;
  word_first_size_ = out_.size() - start;
  word_start_ = out_[start] == '\\' ? start + 1 : start;
}

void LiteralWriter::EndWord() {
  if (!in_word_) return;
  in_word_ = false;
  if (!names_.IsUsed(std::string_view(out_).substr(word_start_))) return;
  size_t after = word_first_start_ + word_first_size_;
  bool hex_digit_follows =
      after < out_.size() && IsHexDigit(static_cast<unsigned char>(out_[after]));
  out_.replace(word_first_start_, word_first_size_, NumericEscape(word_first_, hex_digit_follows));
}

void LiteralWriter::AppendString(std::string_view bytes) {
  Begin(Context::kString, "\"");
  for (size_t i = 0; i < bytes.size();) {
    DecodedCodePoint decoded = DecodeUtf8(bytes, i);
    i += decoded.size;
    bool hex_digit_follows = i < bytes.size() && IsHexDigit(static_cast<unsigned char>(bytes[i]));
    PutCodePoint(decoded.code_point, hex_digit_follows);
  }
  End('"');
}

void LiteralWriter::AppendCharClass(std::span<const CodePointRange> ranges) {
  if (ranges.size() == 1 && ranges[0].lo == ranges[0].hi) {
    std::string bytes;
    AppendUtf8(ranges[0].lo, &bytes);
    AppendString(bytes);
    return;
  }
  AppendTextClass(ranges);
}

void LiteralWriter::AppendTextClass(std::span<const CodePointRange> ranges) {
  // A class that holds the last code point is most likely a negation, and shorter as one.
  bool negated = !ranges.empty() && ranges.back().hi == kMaxCodePoint;
  CodePointSet complement;
  if (negated) {
    complement = CodePointSet({ranges.begin(), ranges.end()}).Complement();
    ranges = complement.ranges();
  }
  Begin(Context::kCharClass, negated ? "[^" : "[");
  for (size_t i = 0; i < ranges.size(); ++i) {
    const CodePointRange& range = ranges[i];
    bool hex_after_range = i + 1 < ranges.size() && IsHexDigit(ranges[i + 1].lo);
    bool has_dash = range.hi > range.lo + 1;
    if (range.hi == range.lo) {
      PutCodePoint(range.lo, hex_after_range);
      continue;
    }
    PutCodePoint(range.lo, !has_dash && IsHexDigit(range.hi));
    if (has_dash) PutDash();
    PutCodePoint(range.hi, hex_after_range);
  }
  End(']');
}

}  // namespace xgrammar
