// EBNF front end: text -> Grammar. The language is docs/reference/ebnf.md.
#pragma once

#include <string_view>

#include "grammar/grammar.h"
#include "support/limits.h"

namespace xgrammar {

/// Parses EBNF text (well-formed UTF-8) whose start rule is `root_rule_name`.
/// Raises kGrammarSyntax, kUnsupported (some rule options), kUnsatisfiable (a Regex macro that
/// matches nothing) and kLimit, all with line and column (1-based, code points) except
/// for a text that is too long.
GrammarPtr ParseEbnf(std::string_view text, std::string_view root_rule_name = "root",
                     const Limits& limits = {});

}  // namespace xgrammar
