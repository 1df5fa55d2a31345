// JsonDocument -> JSON text in one line, with chosen separators, and the canonical spelling of one
// string.
//
// The inverse of parser.h up to white space and escapes. Indented layouts are expressions of a
// grammar (frontend/json_schema/whitespace.h), not text written here.
#pragma once

#include <string>
#include <string_view>

#include "json/value.h"

namespace xgrammar {

/// The literals between members and between a key and its value.
struct JsonSeparators {
  std::string_view item = ",";
  std::string_view key = ":";
};

/// The value as text: numbers as in the source, strings through AppendJsonString, keys in document
/// order.
std::string WriteJson(const JsonDocument& document, JsonId id,
                      const JsonSeparators& separators = {});

/// Appends the quoted string: raw UTF-8, with escapes only for `"`, `\` and the controls below
/// U+0020 (short form where there is one, else \u00xx in lower case). Precondition: well-formed
/// UTF-8.
void AppendJsonString(std::string_view text, std::string* out);

/// The same without the quotes.
void AppendJsonStringBody(std::string_view text, std::string* out);

}  // namespace xgrammar
