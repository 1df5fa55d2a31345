// The macros `Token(id, ...)` and `ExcludeToken(id, ...)` of EBNF: one whole token, by id.
//
// The EBNF front end knows no vocabulary, so ids are checked for their range only;
// compiler/named_tokens.h looks whether they exist.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "frontend/ebnf/lexer.h"
#include "frontend/ebnf/macro.h"
#include "grammar/builder.h"

namespace xgrammar::ebnf {

constexpr int64_t kMaxTokenId = std::numeric_limits<int32_t>::max();

/// The message for an id above kMaxTokenId.
std::string TokenIdTooLarge(int64_t id);

/// The expression of a call. Raises kGrammarSyntax with the line and column of the first argument.
ExprId BuildTokenMacro(const MacroCall& call, const Lexer& lexer, GrammarBuilder* builder);

}  // namespace xgrammar::ebnf
