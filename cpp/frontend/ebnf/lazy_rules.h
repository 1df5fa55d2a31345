// Lazy rules of EBNF: a rule that ends at the first position where its body can end.
//
// A pass over all rules once the text has been read, because a body may use rules that come later.
// Afterwards such a rule is an ordinary one with an automaton as its body; no later stage knows of
// laziness.
#pragma once

#include <cstddef>
#include <vector>

#include "frontend/ebnf/lexer.h"
#include "grammar/builder.h"
#include "support/limits.h"

namespace xgrammar::ebnf {

struct LazyRule {
  RuleId rule = -1;
  size_t offset = 0;  ///< Of its name in the source.
};

/// Gives each lazy rule the body that matches only the shortest texts of its own. Raises
/// kUnsupported for a body that is not regular, kLimit past Limits::max_dfa_states.
void ShortenLazyRules(const std::vector<LazyRule>& lazy_rules, const Lexer& lexer,
                      GrammarBuilder* builder, const Limits& limits);

}  // namespace xgrammar::ebnf
