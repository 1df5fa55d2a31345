// Source: places of a text and the excerpt that an error shows.
//
// Every character of the excerpt, tabs and other controls included, takes one column, so that the
// mark stands below its character. Long lines are cut around the mark.
#include "frontend/lark/source.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "support/utf8.h"

namespace xgrammar::lark {

namespace {

/// Characters of a source line that are shown before the mark, and in all.
constexpr int64_t kShownBefore = 60;
constexpr int64_t kShown = 100;

void AppendShown(std::string_view text, size_t offset, const DecodedCodePoint& decoded,
                 std::string* out) {
  if (!decoded.valid) {
    AppendUtf8(0xFFFD, out);
  } else if (decoded.code_point < 0x20 ||
             (decoded.code_point >= 0x7F && decoded.code_point < 0xA0)) {
    out->push_back(' ');
  } else {
    out->append(text.substr(offset, decoded.size));
  }
}

/// The source line that starts at `line_start` and a mark below `column`.
std::string Excerpt(std::string_view text, size_t line_start, int64_t column) {
  const int64_t first = column > kShownBefore ? column - kShownBefore : 1;
  std::string line;
  int64_t at = 1;
  for (size_t i = line_start; i < text.size() && text[i] != '\n' && at < first + kShown; ++at) {
    const DecodedCodePoint decoded = DecodeUtf8(text, i);
    if (at >= first) AppendShown(text, i, decoded, &line);
    i += decoded.size;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line + "\n" + std::string(static_cast<size_t>(column - first), ' ') + "^";
}

}  // namespace

Source::Source(std::string_view text, std::string name, const Limits& limits)
    : text_(text), name_(std::move(name)), line_starts_({0}) {
  if (static_cast<int64_t>(text.size()) > limits.max_source_bytes) {
    ThrowLimitError("max_source_bytes", static_cast<int64_t>(text.size()), limits.max_source_bytes,
                    "the text of a Lark grammar");
  }
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_starts_.push_back(i + 1);
  }
  const size_t nul = text.find('\0');
  if (nul != std::string_view::npos && IsValidUtf8(text.substr(0, nul))) {
    Fail(nul, "a null character cannot stand in a grammar");
  }
  for (size_t i = 0; i < text.size();) {
    const DecodedCodePoint decoded = DecodeUtf8(text, i);
    if (!decoded.valid) Fail(i, "the text is not well-formed UTF-8");
    i += decoded.size;
  }
}

Source::Place Source::PlaceOf(size_t offset) const {
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  Place place;
  place.line = next - line_starts_.begin();
  place.line_start = *std::prev(next);
  place.column = CountCodePoints(text_.substr(place.line_start, offset - place.line_start)) + 1;
  return place;
}

std::string Source::DescribePlace(size_t offset) const {
  const Place place = PlaceOf(offset);
  return "line " + std::to_string(place.line) + ", column " + std::to_string(place.column);
}

Error Source::Compose(Error error, size_t offset) const {
  const Place place = PlaceOf(offset);
  error.At(place.line, place.column);
  std::string text = "Lark error at line " + std::to_string(place.line) + ", column " +
                     std::to_string(place.column) + ": ";
  if (!name_.empty()) text += "in grammar @" + QuoteForMessage(name_, 60) + ": ";
  text += error.message();
  if (error.has_pointer()) {
    text += error.pointer().empty() ? std::string(" at the schema root")
                                    : " at " + QuoteForMessage(error.pointer());
  }
  if (!error.hint().empty()) text += "; " + error.hint();
  error.WholeText(std::move(text) + "\n" + Excerpt(text_, place.line_start, place.column));
  return error;
}

Error Source::ErrorAt(ErrorKind kind, size_t offset, std::string message) const {
  return Compose(Error(kind, std::move(message)), offset);
}

void Source::Fail(size_t offset, std::string message) const {
  throw ErrorAt(ErrorKind::kGrammarSyntax, offset, std::move(message));
}

void Source::Refuse(size_t offset, std::string feature, std::string hint) const {
  Error error(ErrorKind::kUnsupported, feature + " is not supported");
  error.Feature(std::move(feature));
  error.Hint(std::move(hint));
  throw Compose(std::move(error), offset);
}

Error Source::Placed(const Error& error, size_t offset) const { return Compose(error, offset); }

}  // namespace xgrammar::lark
