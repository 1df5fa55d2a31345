// Structural tag front end: the JSON description of what a model may emit -> Grammar.
//
// The language is docs/reference/structural-tag.md. The stages are files: reader.h makes the tree
// of formats (schema.h) and judges every field, check.h judges what fields mean together, lower.h
// and the lower_*.cc files, one a kind of format, add the tree to a grammar under construction.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "frontend/json_schema/automaton_memo.h"
#include "frontend/json_schema/json_schema.h"
#include "grammar/grammar.h"
#include "support/limits.h"
#include "tokenizer/tokenizer_info.h"

namespace xgrammar {

struct StructuralTagResult {
  GrammarPtr grammar;
  /// What the schemas and Lark grammars in the tag report, with the pointer of their format in
  /// front.
  std::vector<JsonSchemaReportRecord> report;
};

/// `tokenizer` resolves tokens that are named by their text and bounds token ids; it may be null:
/// then a named token is an error and ids are unchecked. Raises kInvalidJson with line and column;
/// kStructuralTag with the JSON pointer of the faulty format; what the JSON Schema, regular
/// expression and EBNF front ends raise, with the pointer of the format; kUnsupported; kLimit.
/// `store`: automata of earlier tags with the same limits; null: none.
StructuralTagResult StructuralTagToGrammar(std::string_view text, const TokenizerInfo* tokenizer,
                                           const Limits& limits = {},
                                           std::shared_ptr<AutomatonStore> store = nullptr);

}  // namespace xgrammar
