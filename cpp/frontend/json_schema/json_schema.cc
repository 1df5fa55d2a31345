// Entry points of the JSON Schema front end: text -> document -> merged locations -> grammar.
#include "frontend/json_schema/json_schema.h"

#include "frontend/json_schema/merge.h"
#include "frontend/json_schema/reader.h"
#include "frontend/json_schema/string_language.h"
#include "frontend/json_schema/style_registry.h"
#include "json/parser.h"

namespace xgrammar {

JsonSchemaResult JsonSchemaToGrammar(std::string_view schema_text, const JsonSchemaOptions& options,
                                     const Limits& limits) {
  const JsonDocument document = ParseJson(schema_text, limits);
  json_schema::SchemaReader reader(document, limits);
  json_schema::StringLanguage strings(reader);
  JsonSchemaResult result;
  json_schema::Merger merger(&reader, &strings, options, &result.report);
  const auto converter = json_schema::MakeConverter(&merger, options, limits);
  result.grammar = converter->Convert(merger.InternSchema(reader.Root()));
  return result;
}

GrammarPtr BuiltinJsonGrammar() {
  return JsonSchemaToGrammar(R"({"type":["object","array"]})").grammar;
}

}  // namespace xgrammar
