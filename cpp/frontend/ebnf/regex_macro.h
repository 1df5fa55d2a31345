// The macro `Regex("pattern", json_string=false, flags="isu")` of EBNF.
//
// The pattern is the business of frontend/regex; this adds the arguments and the place of the call
// to its errors.
#pragma once

#include <string_view>

#include "frontend/ebnf/lexer.h"
#include "frontend/ebnf/macro.h"
#include "grammar/builder.h"
#include "support/limits.h"

namespace xgrammar::ebnf {

/// The expression of a call within the rule of that name. Raises kGrammarSyntax, kUnsupported,
/// kUnsatisfiable or kLimit with the line and column of the first argument.
ExprId BuildRegexMacro(const MacroCall& call, const Lexer& lexer, std::string_view rule_name,
                       GrammarBuilder* builder, const Limits& limits);

}  // namespace xgrammar::ebnf
