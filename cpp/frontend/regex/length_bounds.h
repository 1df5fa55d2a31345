// Bounds on the length of the whole text that a pattern states by look-aheads at its start, or by
// being a long repetition of one set.
//
// `^C{0,99999}$` is: characters of one set, and so many of them. `^(?=.{1,255}$)P` is: P,
// characters of one set, and 1 to 255 of them. Counted beside the automaton, the bounds cost no
// states. Works on the syntax tree; what is not of this form stays as it is.
#pragma once

#include "frontend/regex/ast.h"
#include "frontend/regex/regex.h"

namespace xgrammar {

/// Takes the bounds out of the tree: its language between them is what its language was. With
/// `search` they are only bounds of the whole text behind a `^`.
RegexLength TakeLengthBounds(bool search, RegexAst* ast);

}  // namespace xgrammar
