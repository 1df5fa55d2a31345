// SameGrammar: whether two grammars have the same rules with the same bodies, whatever their rules
// and nodes are numbered or called.
//
// Equal printed texts alone would not do to judge a printer: one that loses something loses it in
// both. The start rule counts as the first one; automata are compared state by state.
#pragma once

#include "grammar/grammar.h"

namespace xgrammar::fuzz {

/// Options and promises of rules count, kinds of rules (how they are lowered) do not.
bool SameGrammar(const Grammar& left, const Grammar& right);

}  // namespace xgrammar::fuzz
