// Escapes of regular expressions (ECMA-262, AtomEscape and ClassEscape with the `u` flag).
//
// The result is a set of characters or an assertion. Back references and escapes without a meaning
// are errors at their place; properties are looked up in unicode/property.h.
#include "frontend/regex/escape.h"

#include <string>
#include <string_view>
#include <utility>

#include "support/error.h"
#include "support/utf8.h"
#include "unicode/property.h"

namespace xgrammar {

namespace {

using Kind = RegexEscape::Kind;

bool IsDigit(uint32_t c) { return c >= '0' && c <= '9'; }
bool IsLetter(uint32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

int HexValue(uint32_t c) {
  if (IsDigit(c)) return static_cast<int>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<int>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<int>(c - 'A') + 10;
  return -1;
}

bool IsHighSurrogate(uint32_t c) { return c >= 0xD800 && c <= 0xDBFF; }
bool IsLowSurrogate(uint32_t c) { return c >= 0xDC00 && c <= 0xDFFF; }

CodePointSet DigitSet() { return CodePointSet({{'0', '9'}}); }
CodePointSet WordSet() { return CodePointSet({{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}); }
/// WhiteSpace and LineTerminator of ECMA-262: controls, the category Zs, and U+FEFF.
CodePointSet SpaceSet() {
  return CodePointSet({{0x09, 0x0D},
                       {0x20, 0x20},
                       {0xA0, 0xA0},
                       {0x1680, 0x1680},
                       {0x2000, 0x200A},
                       {0x2028, 0x2029},
                       {0x202F, 0x202F},
                       {0x205F, 0x205F},
                       {0x3000, 0x3000},
                       {0xFEFF, 0xFEFF}});
}

class EscapeReader {
 public:
  EscapeReader(RegexReader* reader, bool in_class, bool ignore_case)
      : reader_(*reader),
        start_(reader->position()),
        in_class_(in_class),
        ignore_case_(ignore_case) {}

  RegexEscape Read() {
    reader_.Next();  // The backslash.
    if (reader_.AtEnd())
      reader_.Fail(start_, "a backslash at the end of the pattern escapes nothing");
    const uint32_t c = reader_.Next();
    RegexEscape out;
    if (ReadShorthand(c, &out) || ReadAssertion(c, &out)) return out;
    out.code_point = ReadCharacter(c);
    return out;
  }

 private:
  static void SetTo(CodePointSet set, RegexEscape* out) {
    out->kind = Kind::kSet;
    out->set = std::move(set);
  }

  bool ReadShorthand(uint32_t c, RegexEscape* out) {
    switch (c) {
      case 'd':
        SetTo(DigitSet(), out);
        return true;
      case 'D':
        SetTo(DigitSet().Complement(), out);
        return true;
      case 'w':
        SetTo(WordSet(), out);
        return true;
      case 'W':
        SetTo(WordSet().Complement(), out);
        return true;
      case 's':
        SetTo(SpaceSet(), out);
        return true;
      case 'S':
        SetTo(SpaceSet().Complement(), out);
        return true;
      case 'p':
        SetTo(ReadProperty(), out);
        return true;
      case 'P':
        SetTo(ReadProperty().Complement(), out);
        return true;
      default:
        return false;
    }
  }

  bool ReadAssertion(uint32_t c, RegexEscape* out) {
    if (in_class_) return false;
    switch (c) {
      case 'b':
        out->kind = Kind::kWordBoundary;
        return true;
      case 'B':
        out->kind = Kind::kNotWordBoundary;
        return true;
      case 'A':
        out->kind = Kind::kTextStart;
        return true;
      case 'z':
      case 'Z':
        out->kind = Kind::kTextEnd;
        return true;
      default:
        return false;
    }
  }

  uint32_t ReadCharacter(uint32_t c) {
    switch (c) {
      case 't':
        return 0x09;
      case 'n':
        return 0x0A;
      case 'v':
        return 0x0B;
      case 'f':
        return 0x0C;
      case 'r':
        return 0x0D;
      case 'a':
        return 0x07;
      case 'e':
        return 0x1B;
      case 'c':
        return ReadControl();
      case 'x':
        return ReadHex(2);
      case 'u':
        return ReadUnicode();
      case 'U':
        return CheckRange(ReadHex(8));
      case 'k':
        reader_.Refuse(start_, "back-references are", "repeat the group's pattern instead");
      default:
        return ReadDigitOrIdentity(c);
    }
  }

  uint32_t ReadDigitOrIdentity(uint32_t c) {
    if (c == '0') {
      if (IsDigit(reader_.Peek())) reader_.Fail(start_, "octal escapes do not exist; write \\xHH");
      return 0;
    }
    if (IsDigit(c)) {
      if (in_class_) reader_.Fail(start_, "a digit cannot be escaped in a character class");
      reader_.Refuse(start_, "back-references are", "repeat the group's pattern instead");
    }
    if (c == 'b' && in_class_) return 0x08;
    const bool punctuation = c >= 0x20 && c < 0x7F && !IsLetter(c);
    if (punctuation) return c;
    std::string quoted = "\\";
    AppendUtf8(c, &quoted);
    reader_.Fail(start_, "unknown escape " + QuoteForMessage(quoted));
  }

  uint32_t ReadControl() {
    if (!IsLetter(reader_.Peek())) reader_.Fail(start_, "\\c must be followed by a letter");
    return reader_.Next() % 32;
  }

  /// Exactly `digits` hexadecimal digits.
  uint32_t ReadHex(int digits) {
    uint32_t value = 0;
    for (int i = 0; i < digits; ++i) {
      const int digit = HexValue(reader_.Peek());
      if (digit < 0) {
        reader_.Fail(start_,
                     "the escape needs exactly " + std::to_string(digits) + " hexadecimal digits");
      }
      reader_.Next();
      value = value * 16 + static_cast<uint32_t>(digit);
    }
    return value;
  }

  uint32_t CheckRange(uint32_t value) {
    if (value > kMaxCodePoint)
      reader_.Fail(start_, "the escape is beyond the last code point U+10FFFF");
    return value;
  }

  uint32_t ReadUnicode() {
    if (reader_.Accept('{')) return ReadBracedUnicode();
    const uint32_t first = ReadHex(4);
    if (!IsHighSurrogate(first) || reader_.Peek() != '\\' || reader_.Peek(1) != 'u') return first;
    // A low surrogate in the very next escape completes the pair; anything else stays an escape of
    // its own.
    uint32_t second = 0;
    for (size_t i = 2; i < 6; ++i) {
      const int digit = HexValue(reader_.Peek(i));
      if (digit < 0) return first;
      second = second * 16 + static_cast<uint32_t>(digit);
    }
    if (!IsLowSurrogate(second)) return first;
    reader_.Skip(6);
    return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
  }

  uint32_t ReadBracedUnicode() {
    uint32_t value = 0;
    bool any = false;
    while (HexValue(reader_.Peek()) >= 0) {
      value = CheckRange(value * 16 + static_cast<uint32_t>(HexValue(reader_.Next())));
      any = true;
    }
    if (!any || !reader_.Accept('}'))
      reader_.Fail(start_, "\\u{...} needs hexadecimal digits and a closing brace");
    return value;
  }

  CodePointSet ReadProperty() {
    if (!reader_.Accept('{')) reader_.Fail(start_, "\\p must be followed by a property in braces");
    std::string name;
    std::string value;
    std::string* part = &name;
    while (reader_.Peek() != '}') {
      const uint32_t c = reader_.Peek();
      if (c == '=' && part == &name) {
        part = &value;
      } else if (IsLetter(c) || IsDigit(c) || c == '_') {
        part->push_back(static_cast<char>(c));
      } else {
        reader_.Fail(start_, "the property in \\p{...} is malformed");
      }
      reader_.Next();
    }
    reader_.Next();
    const bool value_missing = part == &value && value.empty();
    const auto ranges = FindUnicodeProperty(name, value);
    if (value_missing || !ranges) {
      const std::string shown = part == &value ? name + "=" + value : name;
      reader_.Fail(start_, "unknown Unicode property \\p{" + QuoteForMessage(shown) + "}");
    }
    std::vector<CodePointRange> code_points;
    code_points.reserve(ranges->size());
    for (const UnicodeRange& range : *ranges) code_points.push_back({range.lo, range.hi});
    CodePointSet set(std::move(code_points));
    return ignore_case_ ? FoldAsciiCase(set) : set;
  }

  RegexReader& reader_;
  const size_t start_;
  const bool in_class_;
  const bool ignore_case_;
};

}  // namespace

RegexEscape ReadRegexEscape(RegexReader* reader, bool in_class, bool ignore_case) {
  return EscapeReader(reader, in_class, ignore_case).Read();
}

CodePointSet FoldAsciiCase(const CodePointSet& set) {
  constexpr uint32_t kCaseBit = 0x20;
  std::vector<CodePointRange> ranges(set.ranges().begin(), set.ranges().end());
  const CodePointSet upper = set.Intersect(CodePointSet({{'A', 'Z'}}));
  const CodePointSet lower = set.Intersect(CodePointSet({{'a', 'z'}}));
  for (const CodePointRange& r : upper.ranges())
    ranges.push_back({r.lo | kCaseBit, r.hi | kCaseBit});
  for (const CodePointRange& r : lower.ranges())
    ranges.push_back({r.lo & ~kCaseBit, r.hi & ~kCaseBit});
  return CodePointSet(std::move(ranges));
}

}  // namespace xgrammar
