// Substring: every contiguous run of a list of chunks, the empty one included.
//
// Serves the substring forms of `%regex` in Lark and the macro of EBNF. By a suffix automaton
// (Blumer et al. 1985), so linear where listing the runs would be quadratic.
#pragma once

#include <span>
#include <string>

#include "grammar/builder.h"

namespace xgrammar {

/// All concatenations of chunks i to j. Chunks are taken whole; they may be empty or repeat.
/// `rule_name` is a hint for helper rules. Linear in the chunks' total length.
ExprId AddSubstring(std::span<const std::string> chunks, std::string_view rule_name,
                    GrammarBuilder* builder, const Limits& limits);

}  // namespace xgrammar
