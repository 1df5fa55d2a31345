// Rule options of EBNF: the `[max_tokens=5, lazy]` between a rule name and `::=`.
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
