// Grammar algebra: union and concatenation of grammars. The inputs stay unchanged; the former roots
// become `root_1`, `root_2`, ... and the new start rule is `root`.
//
// Nothing is simplified, so both are linear in the inputs. Intersection and complement are not
// offered: context-free languages are not closed under them.
#pragma once

#include <span>

#include "grammar/grammar.h"
#include "support/limits.h"

namespace xgrammar {

/// Any of the grammars. Precondition: at least one.
GrammarPtr UnionGrammars(std::span<const GrammarPtr> grammars, const Limits& limits = {});
/// The grammars in order; none gives the grammar of the empty string.
GrammarPtr ConcatGrammars(std::span<const GrammarPtr> grammars, const Limits& limits = {});

}  // namespace xgrammar
