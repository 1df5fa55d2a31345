// The macros `TagDispatch(("tag", rule), ...)` and `TokenTagDispatch((id, rule), ...)` of EBNF:
// free text, or free tokens, in which a tag starts a rule.
//
// The first of them is grammar/dispatch.h in the spelling of EBNF; structural tags have their own
// way to it.
#pragma once

#include "frontend/ebnf/lexer.h"
#include "frontend/ebnf/macro.h"
#include "grammar/builder.h"
#include "support/limits.h"

namespace xgrammar::ebnf {

/// The expression of a call. Raises kGrammarSyntax or kLimit with the line and column of the first
/// argument.
ExprId BuildTagDispatch(const MacroCall& call, const Lexer& lexer, GrammarBuilder* builder,
                        const Limits& limits);
ExprId BuildTokenTagDispatch(const MacroCall& call, const Lexer& lexer, GrammarBuilder* builder);

}  // namespace xgrammar::ebnf
