// ReadJson: a JSON reader counts lines from the begin of its own text; the user counts those of the
// grammar, so places are translated.
//
// The reading itself is json/parser.h. Limits and other errors get the place of the value.
#include "frontend/lark/json_place.h"

#include "json/parser.h"
#include "support/error.h"
#include "support/utf8.h"

namespace xgrammar::lark {

namespace {

/// The byte of a line and column of `text`, both 1-based.
size_t OffsetOf(std::string_view text, int64_t line, int64_t column) {
  size_t offset = 0;
  for (; line > 1; --line) {
    const size_t line_end = text.find('\n', offset);
    if (line_end == std::string_view::npos) return text.size();
    offset = line_end + 1;
  }
  for (; column > 1 && offset < text.size(); --column) offset += DecodeUtf8(text, offset).size;
  return offset;
}

}  // namespace

JsonDocument ReadJson(std::string_view text, size_t offset, const Source& source,
                      const Limits& limits) {
  try {
    return ParseJson(text, limits);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kBudget) throw;
    if (error.kind() != ErrorKind::kInvalidJson) throw source.Placed(error, offset);
    source.Fail(offset + OffsetOf(text, error.line(), error.column()), error.message());
  }
}

}  // namespace xgrammar::lark
