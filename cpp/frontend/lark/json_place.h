// JSON values inside Lark grammars: schemas, options and the texts of `%regex`.
//
// The lexer finds where a value ends by its brackets; this reads it and places its faults in the
// grammar.
#pragma once

#include <cstddef>
#include <string_view>

#include "frontend/lark/source.h"
#include "json/value.h"
#include "support/limits.h"

namespace xgrammar::lark {

/// Reads the JSON text that stands at a byte offset of the source. Raises kGrammarSyntax with the
/// place of the fault in the source, kLimit.
JsonDocument ReadJson(std::string_view text, size_t offset, const Source& source,
                      const Limits& limits);

}  // namespace xgrammar::lark
