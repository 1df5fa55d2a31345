// Rule options of EBNF: the `[max_tokens=5, lazy]` between a rule name and `::=`.
//
// Reading and checking one list. What options do is elsewhere: limits are counted by the parser
// (design note 0018), lazy rules become automata (lazy_rules.h), captures and temperatures are
// notes of the rule.
#pragma once

#include "frontend/ebnf/lexer.h"
#include "grammar/grammar.h"

namespace xgrammar::ebnf {

struct RuleOptionList {
  RuleOptions options;
  RuleNotes notes;
  bool captures_by_name = false;  ///< `capture` without a value: under the name of the rule.
  bool lazy = false;              ///< The rule ends at the first position where it can.
};

/// Reads the option list of a kOptions token. Raises kGrammarSyntax where it is malformed and
/// kUnsupported, with the option as feature, for one that cannot be honoured.
RuleOptionList ReadRuleOptions(const Lexer& lexer, const Token& options);

}  // namespace xgrammar::ebnf
