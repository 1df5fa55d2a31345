// Empty limits: rules that their own bounds on lengths leave no text of.
//
// A stage between a finished grammar and the parser. Such a rule is like any other part that can
// never be completed: what may do without it goes on, and only a grammar of which nothing is left
// is an error. Whether limits can be enforced at all is found out here, too, before a text is
// begun.
#pragma once

#include "grammar/grammar.h"
#include "lowering/fold_to_dfa.h"
#include "support/limits.h"
#include "tokenizer/token_trie.h"

namespace xgrammar {

/// The grammar in which rules without a text of an allowed length match nothing; the same object if
/// there is none. Rules of kind kLexeme are taken for checked: front ends make them. `dfa_cache`
/// and `markers` as for UnitTable. Raises kUnsupported for limits that cannot be enforced,
/// kUnsatisfiable if nothing is left.
GrammarPtr DropEmptyLimits(GrammarPtr grammar, DfaCache* dfa_cache, const TokenTrie* markers,
                           const Limits& limits);

}  // namespace xgrammar
