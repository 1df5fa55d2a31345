// Reading the formats of other languages: json_schema, its deprecated name qwen_xml_parameter, and
// grammar.
//
// Only that there is a schema or a text, and how it is to be spelled; what it says is read by the
// front end of its language when it is lowered.
#include <algorithm>

#include "frontend/json_schema/style_registry.h"
#include "frontend/structural_tag/reader.h"

namespace xgrammar::structural_tag {

JsonId FormatReader::Schema(const FieldReader& fields) const {
  const JsonId schema = fields.Find("json_schema");
  if (schema == kNoJson || !(document_.IsObject(schema) || document_.IsBool(schema))) {
    fields.Fail("format must have a json_schema field with a object or boolean value");
  }
  return schema;
}

std::string FormatReader::Style(const FieldReader& fields) const {
  const JsonId style = fields.Find("style");
  if (style == kNoJson) return JsonSchema().style;
  const std::string_view chosen = document_.IsString(style) ? document_.text(style) : "";
  const auto names = json_schema::StyleNames();
  if (std::find(names.begin(), names.end(), chosen) == names.end()) {
    std::string message = "format: style must be ";
    for (std::string_view name : names) message += "\"" + std::string(name) + "\", ";
    message.resize(message.size() - 2);
    fields.Fail(message);
  }
  return std::string(chosen);
}

FormatValue FormatReader::ReadJsonSchema(JsonId id, int) {
  const FieldReader fields(document_, id, "JSONSchema");
  JsonSchema out;
  out.schema = Schema(fields);
  out.style = Style(fields);
  out.any_order = fields.Bool("any_order", false);
  const char* excludes = "format: excludes must be an array of non-empty strings";
  out.excludes = fields.Excludes(excludes, excludes);
  const JsonId count = fields.Find("max_whitespace_cnt");
  if (count != kNoJson && document_.kind(count) != JsonKind::kNull) {
    out.max_whitespace_cnt = WholeNumber(document_, count);
    if (!out.max_whitespace_cnt)
      fields.Fail("format: max_whitespace_cnt must be an integer or null");
    if (*out.max_whitespace_cnt < 1) fields.Fail("format: max_whitespace_cnt must be positive");
  }
  return out;
}

FormatValue FormatReader::ReadQwenXml(JsonId id, int) {
  const FieldReader fields(document_, id, "QwenXmlParameter");
  JsonSchema out;
  out.schema = Schema(fields);
  out.style = "qwen_xml";
  return out;
}

FormatValue FormatReader::ReadGrammar(JsonId id, int) {
  const FieldReader fields(document_, id, "Grammar");
  EmbeddedGrammar out;
  out.text = fields.NonEmptyString("grammar");
  const JsonId syntax = fields.Find("syntax");
  if (syntax == kNoJson) return out;
  const std::string_view name = document_.IsString(syntax) ? document_.text(syntax) : "";
  if (name != "ebnf" && name != "lark") {
    fields.Fail("format: syntax must be \"ebnf\" or \"lark\"");
  }
  if (name == "lark") out.syntax = EmbeddedGrammar::Syntax::kLark;
  return out;
}

}  // namespace xgrammar::structural_tag
