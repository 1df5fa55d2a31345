// Entry points of the JSON Schema front end: text -> document -> merged locations -> grammar.
//
// Each stage is made here once for one conversion and dropped after it; only automata of formats
// live on for the process.
#include "frontend/json_schema/json_schema.h"

#include <algorithm>

#include "frontend/json_schema/merge.h"
#include "frontend/json_schema/reader.h"
#include "frontend/json_schema/string_language.h"
#include "frontend/json_schema/style_registry.h"
#include "json/parser.h"

namespace xgrammar {

namespace {

// One level of a schema is two of JSON: `properties` and what it holds, or an applicator's list.
JsonDocument ParseSchema(std::string_view text, const Limits& limits) {
  Limits json_limits = limits;
  constexpr int64_t kLargest = int64_t{1} << 40;
  json_limits.max_nesting = std::min(limits.max_nesting, kLargest) * 2;
  return ParseJson(text, json_limits);
}

}  // namespace

JsonSchemaResult JsonSchemaToGrammar(std::string_view schema_text, const JsonSchemaOptions& options,
                                     const Limits& limits) {
  return JsonSchemaToGrammar(ParseSchema(schema_text, limits), options, limits);
}

JsonSchemaResult JsonSchemaToGrammar(const JsonDocument& schema, const JsonSchemaOptions& options,
                                     const Limits& limits) {
  json_schema::SchemaReader reader(schema, limits);
  json_schema::StringLanguage strings(reader, options.lenient);
  json_schema::Merger merger(&reader, &strings, options);
  const auto converter = json_schema::MakeConverter(&merger, options, limits);
  JsonSchemaResult result;
  result.grammar = converter->Convert(merger.InternSchema(reader.Root()));
  result.report = merger.TakeReport();
  return result;
}

GrammarPtr BuiltinJsonGrammar() {
  return JsonSchemaToGrammar(R"({"type":["object","array"]})").grammar;
}

}  // namespace xgrammar
