// Dispatch: free text in which each of some patterns starts content of its own.
//
// The expression is `(run pattern content)* run`, with the automata of automata/free_run.h for what
// stands between contents; their rules say which text is free.
#pragma once

#include <string>
#include <vector>

#include "grammar/builder.h"

namespace xgrammar {

struct DispatchCase {
  std::string pattern;  ///< Non-empty, well-formed UTF-8. Equal patterns: either content.
  ExprId content = kNoExpr;
};

struct DispatchOptions {
  std::vector<std::string> excludes;  ///< Never within free text; non-empty, well-formed UTF-8.
  bool loop = true;                   ///< Otherwise the first content ends the text.
};

/// Raises kLimit past Limits::max_grammar_size, kValue for an empty or ill-formed string.
ExprId AddDispatch(const std::vector<DispatchCase>& cases, const DispatchOptions& options,
                   GrammarBuilder* builder, const Limits& limits);

}  // namespace xgrammar
