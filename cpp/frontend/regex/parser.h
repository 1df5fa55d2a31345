// ParseRegex: pattern text -> RegexAst.
//
// The dialect is ECMA-262 with the `u` flag and the tolerances of docs/reference/regex.md, the same
// for every caller (from_regex, the Regex macro, JSON Schema's pattern, Lark).
#pragma once

#include <string_view>

#include "frontend/regex/ast.h"
#include "frontend/regex/regex.h"

namespace xgrammar {

/// Raises kGrammarSyntax or kUnsupported with a position, kLimit for a pattern that is too long,
/// too deeply nested or too large. Linear in the pattern; no recursion.
RegexAst ParseRegex(std::string_view pattern, const RegexOptions& options, const Limits& limits);

}  // namespace xgrammar
