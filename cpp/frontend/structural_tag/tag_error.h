// Errors of structural tags: the text that callers look for, and the place of the faulty format.
//
// All files of this front end make their kStructuralTag errors here; errors of embedded schemas,
// grammars and patterns keep the kind of their own front end.
#pragma once

#include <string>

#include "json/value.h"
#include "support/error.h"

namespace xgrammar::structural_tag {

/// JSON pointer (RFC 6901) of a value: "" is the document. Searches the document, for errors only:
/// linear in its size for each level of the value.
std::string PointerTo(const JsonDocument& document, JsonId id);

/// A kStructuralTag error: `Invalid structural tag error: ` and the message, at the place of
/// `format`.
Error TagError(const JsonDocument& document, JsonId format, const std::string& message);

}  // namespace xgrammar::structural_tag
