// Whole tokens in a grammar: what must be known or checked when it meets a vocabulary.
//
// A stage between a finished grammar and the parser, so that grammars with tokens named by their
// text can be written, printed and combined without a tokenizer.
#pragma once

#include "grammar/grammar.h"
#include "support/limits.h"
#include "tokenizer/tokenizer_info.h"

namespace xgrammar {

/// The grammar with every kNamedToken replaced by the kTokenSet of the ids whose token has exactly
/// that text; the same object if there is none. Raises kGrammarSyntax for a text that no token has
/// and for an id outside the vocabulary (unless that is empty, as in tests by text).
GrammarPtr ResolveNamedTokens(GrammarPtr grammar, const TokenizerInfo& tokenizer_info,
                              const Limits& limits);

}  // namespace xgrammar
