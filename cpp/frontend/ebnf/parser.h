// EBNF front end: text -> Grammar. The language is docs/reference/ebnf.md.
//
// A parser over the tokens of lexer.h whose groups are on a stack of its own. Macros are read by
// macro.h and built by files of their own; automata are made only for what needs them (patterns,
// lazy rules, printed automata).
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
