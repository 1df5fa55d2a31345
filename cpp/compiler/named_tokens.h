// Tokens that a grammar names by their text: resolved when the grammar meets a vocabulary.
#pragma once

#include "grammar/grammar.h"
#include "support/limits.h"
#include "tokenizer/tokenizer_info.h"

namespace xgrammar {

/// The grammar with every kNamedToken replaced by the kTokenSet of the ids whose token has exactly
/// that text; the same object if there is none. Raises kGrammarSyntax for a text that no token has.
GrammarPtr ResolveNamedTokens(GrammarPtr grammar, const TokenizerInfo& tokenizer_info,
                              const Limits& limits);

}  // namespace xgrammar
