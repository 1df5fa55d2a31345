// JSON Schema front end: schema text -> Grammar. What each keyword does is docs/json-schema.md.
//
// The stages are reader (one schema object at a time), Merger (conjunctions to branches) and a
// converter (branches to rules, in one of the styles); design note 0006 has the reasons.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/grammar.h"
#include "json/value.h"
#include "support/limits.h"

namespace xgrammar {

class AutomatonMemo;

struct JsonSchemaOptions {
  bool any_whitespace = true;
  std::optional<int64_t> indent;  ///< Used when any_whitespace is false.
  std::optional<std::pair<std::string, std::string>> separators;  ///< Item and key separator.
  bool strict_mode = true;
  std::optional<int64_t> max_whitespace_cnt;
  bool any_order = false;
  /// How values are spelled, by a name of StyleNames() (style_registry.h).
  std::string style = "json";
  /// Texts that string values without `pattern` or `format`, and property names, must not contain
  /// as they are spelled (docs/reference/styles.md). Well-formed UTF-8, not empty.
  std::vector<std::string> excludes;
  /// Automata shared with other conversions of one request; null: none.
  std::shared_ptr<AutomatonMemo> memo;
  bool lenient = false;  ///< Drop keywords that cannot be enforced and report them, instead of
                         ///< raising kUnsupported.
};

/// One keyword that was not enforced.
struct JsonSchemaReportRecord {
  std::string pointer;
  std::string keyword;
  std::string reason;
  std::string effect;  ///< "ignored" or "annotation".
};

struct JsonSchemaResult {
  GrammarPtr grammar;
  std::vector<JsonSchemaReportRecord> report;
};

/// Raises kInvalidJson, kJsonSchema (with pointer), kUnsupported, kUnsatisfiable, kLimit, kValue
/// (bad option).
JsonSchemaResult JsonSchemaToGrammar(std::string_view schema_text,
                                     const JsonSchemaOptions& options = {},
                                     const Limits& limits = {});

/// The same for a schema that has been parsed.
JsonSchemaResult JsonSchemaToGrammar(const JsonDocument& schema, const JsonSchemaOptions& options,
                                     const Limits& limits);

/// JSON whose top value is an object or an array, free white space between tokens, none around.
GrammarPtr BuiltinJsonGrammar();

}  // namespace xgrammar
