// ExprToDfa: expressions without recursion as automata over code points, and what lazy rules and
// limits make of them.
//
// Used where a front end or a pass needs the language of a rule as a whole. Lowering, which folds
// expressions for speed, has its own way to automata over bytes (lowering/fold_to_dfa.h).
#pragma once

#include <functional>
#include <optional>

#include "grammar/grammar.h"
#include "support/limits.h"

namespace xgrammar {

/// What a rule stands for in place of its body, or null to take the body.
using RuleAutomaton = std::function<CodePointDfaPtr(RuleId)>;

/// The automaton of an expression whose rules are reachable without recursion. Returns nullopt if a
/// whole token or a rule with limits is among its parts. Raises kLimit past
/// Limits::max_dfa_states. Precondition: no rule is reachable from itself.
std::optional<CodePointDfa> ExprToDfa(const Grammar& grammar, ExprId expr,
                                      const RuleAutomaton& rule_automaton, const Limits& limits);

/// The texts of the language of which no other is a proper prefix: "ends at the first possible
/// position".
CodePointDfa ShortestOnly(const CodePointDfa& dfa);

/// The texts that a budget of `max_chars` characters (at least 0) leaves: from the character on
/// that uses it up, a text ends where it first can. Raises kLimit if the states times the budget
/// pass `max_states`.
CodePointDfa WithinChars(const CodePointDfa& dfa, int64_t max_chars, int64_t max_states);

}  // namespace xgrammar
