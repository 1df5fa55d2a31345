// Rule options of EBNF: the `[max_tokens=5, lazy]` between a rule name and `::=`.
#pragma once

#include "frontend/ebnf/lexer.h"

namespace xgrammar::ebnf {

/// Checks the option list of a kOptions token. Raises kGrammarSyntax where it is malformed and
/// kUnsupported, with the option as feature, where it is well-formed: no option can be enforced
/// yet.
[[noreturn]] void RefuseRuleOptions(const Lexer& lexer, const Token& options);

}  // namespace xgrammar::ebnf
