// Character classes of regular expressions (ECMA-262, CharacterClass with the `u` flag).
//
// Tolerated beyond it: a `-` beside a shorthand is itself ([\w-], [\d-x]). Refused although legal
// there: the notation of POSIX classes ([[:alpha:]]), which would silently mean something else.
#include <optional>
#include <utility>
#include <vector>

#include "frontend/regex/escape.h"

namespace xgrammar {

namespace {

class ClassReader {
 public:
  ClassReader(RegexReader* reader, bool ignore_case)
      : reader_(*reader), start_(reader->position()), ignore_case_(ignore_case) {}

  CodePointSet Read() {
    reader_.Next();  // The bracket.
    const bool negated = reader_.Accept('^');
    while (!reader_.Accept(']')) ReadMember();
    CodePointSet set(std::move(ranges_));
    if (ignore_case_) set = FoldAsciiCase(set);
    return negated ? set.Complement() : set;
  }

 private:
  /// One character, or none after a shorthand, whose ranges are added at once.
  std::optional<uint32_t> ReadAtom() {
    if (reader_.AtEnd()) reader_.Fail(start_, "the character class is not closed");
    if (reader_.Peek() == '[') RefusePosixClass();
    if (reader_.Peek() != '\\') return reader_.Next();
    const RegexEscape escape = ReadRegexEscape(&reader_, true, ignore_case_);
    if (escape.kind == RegexEscape::Kind::kChar) return escape.code_point;
    ranges_.insert(ranges_.end(), escape.set.ranges().begin(), escape.set.ranges().end());
    return std::nullopt;
  }

  void RefusePosixClass() const {
    if (reader_.Peek(1) != ':') return;
    size_t i = reader_.Peek(2) == '^' ? 3 : 2;
    while (reader_.Peek(i) >= 'a' && reader_.Peek(i) <= 'z') ++i;
    if (reader_.Peek(i) != ':' || reader_.Peek(i + 1) != ']') return;
    reader_.Refuse(reader_.position(), "POSIX character classes are",
                   "use \\p{...}, \\d, \\w or ranges");
  }

  void ReadMember() {
    const size_t first_position = reader_.position();
    const std::optional<uint32_t> lo = ReadAtom();
    const bool dash =
        reader_.Peek() == '-' && reader_.Peek(1) != ']' && reader_.Peek(1) != RegexReader::kEnd;
    if (!dash) {
      if (lo) ranges_.push_back({*lo, *lo});
      return;
    }
    reader_.Next();  // The dash.
    if (!lo) {
      ranges_.push_back({'-', '-'});
      return;
    }
    const size_t last_position = reader_.position();
    const std::optional<uint32_t> hi = ReadAtom();
    if (!hi) reader_.Fail(last_position, "a range cannot end in a class of characters");
    if (*hi < *lo) reader_.Fail(first_position, "the range is out of order");
    ranges_.push_back({*lo, *hi});
  }

  RegexReader& reader_;
  const size_t start_;
  const bool ignore_case_;
  std::vector<CodePointRange> ranges_;
};

}  // namespace

CodePointSet ReadRegexClass(RegexReader* reader, bool ignore_case) {
  return ClassReader(reader, ignore_case).Read();
}

}  // namespace xgrammar
