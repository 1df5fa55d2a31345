// Lark front end: text -> Grammar. The language is docs/reference/lark.md.
//
// The stages are files: lexer.h makes tokens, parser.h a tree (ast.h), names.h resolves and judges
// names, compiler.h adds the tree to a grammar under construction.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/json_schema/json_schema.h"
#include "grammar/grammar.h"
#include "support/limits.h"
#include "tokenizer/tokenizer_info.h"

namespace xgrammar {

/// What `@name` stands for: a grammar, or Lark text if that is null.
struct NamedGrammar {
  std::string name;
  std::string text;
  GrammarPtr grammar;
};

struct LarkResult {
  GrammarPtr grammar;
  /// Attributes that change no language and are not acted on (the pointer is the name of the rule),
  /// and what the schemas of `%json` report.
  std::vector<JsonSchemaReportRecord> report;
};

/// `tokenizer` resolves tokens that are named by their text; without it they are refused. Raises
/// kGrammarSyntax, kUnsupported, kUnsatisfiable (a pattern that matches nothing), what the JSON
/// Schema front end raises, and kLimit; with line and column (1-based, code points) except for a
/// text that is too long.
LarkResult LarkToGrammar(std::string_view text, const std::vector<NamedGrammar>& named_grammars,
                         const TokenizerInfo* tokenizer, const Limits& limits = {});

}  // namespace xgrammar
