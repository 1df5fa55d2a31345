// RegexReader: decoding, look-ahead and error texts.
//
// The pattern is decoded once into code points, so positions in errors count characters as users
// do. The reader knows nothing of the syntax.
#include "frontend/regex/reader.h"

#include "support/error.h"
#include "support/utf8.h"

namespace xgrammar {

namespace {

std::string At(size_t position, const std::string& message) {
  return "Regex parsing error at position " + std::to_string(position + 1) + ": " + message;
}

}  // namespace

RegexReader::RegexReader(std::string_view pattern) {
  text_.reserve(pattern.size());
  for (size_t i = 0; i < pattern.size();) {
    const DecodedCodePoint decoded = DecodeUtf8(pattern, i);
    if (!decoded.valid) Fail(text_.size(), "the pattern is not well-formed UTF-8");
    if (decoded.code_point == 0) {
      Fail(text_.size(), "a null character cannot stand in a pattern; write \\0");
    }
    text_.push_back(decoded.code_point);
    i += decoded.size;
  }
}

bool RegexReader::Accept(uint32_t c) {
  if (Peek() != c) return false;
  ++position_;
  return true;
}

bool RegexReader::Accept(std::string_view ascii) {
  for (size_t i = 0; i < ascii.size(); ++i) {
    if (Peek(i) != static_cast<unsigned char>(ascii[i])) return false;
  }
  position_ += ascii.size();
  return true;
}

void RegexReader::Fail(size_t position, const std::string& message) const {
  Error error(ErrorKind::kGrammarSyntax, At(position, message));
  error.AtPosition(static_cast<int64_t>(position) + 1);
  throw error;
}

void RegexReader::Refuse(size_t position, const std::string& construct,
                         const std::string& hint) const {
  Error error(ErrorKind::kUnsupported, At(position, construct + " not supported"));
  error.AtPosition(static_cast<int64_t>(position) + 1).Feature(construct).Hint(hint);
  throw error;
}

}  // namespace xgrammar
