// Reading a structural tag: the whole, the type of each format, and formats made of formats.
//
// Text is read in read_text.cc, schemas and grammars in read_embedded.cc, tags in read_tags.cc,
// whole tokens in read_tokens.cc. The recursion follows the nesting of formats and ends at
// kMaxFormatDepth.
#include "frontend/structural_tag/reader.h"

#include <utility>

#include "json/parser.h"

namespace xgrammar::structural_tag {

namespace {

// Text that is nested too deeply is no JSON to callers either, who know two classes.
JsonDocument ReadDocument(std::string_view text, const Limits& limits) {
  try {
    return ParseJson(text, limits);
  } catch (const Error& error) {
    const bool is_too_deep =
        error.limit_name() == "max_nesting" || error.limit_name() == "max_recursion_depth";
    if (error.kind() != ErrorKind::kInvalidJson && !is_too_deep) throw;
    Error wrapped(ErrorKind::kInvalidJson,
                  "Invalid JSON error: Failed to parse JSON: " + error.message());
    if (error.line() > 0) wrapped.At(error.line(), error.column());
    if (is_too_deep) wrapped.Limit(error.limit_name(), error.limit_value(), error.limit_maximum());
    if (!error.hint().empty()) wrapped.Hint(error.hint());
    throw wrapped;
  }
}

}  // namespace

const FormatReader::Kind FormatReader::kKinds[] = {
    {"const_string", &FormatReader::ReadConstString},
    {"json_schema", &FormatReader::ReadJsonSchema},
    {"qwen_xml_parameter", &FormatReader::ReadQwenXml},
    {"any_text", &FormatReader::ReadAnyText},
    {"regex", &FormatReader::ReadRegex},
    {"grammar", &FormatReader::ReadGrammar},
    {"sequence", &FormatReader::ReadSequence},
    {"or", &FormatReader::ReadOr},
    {"optional", &FormatReader::ReadOptional},
    {"star", &FormatReader::ReadStar},
    {"plus", &FormatReader::ReadPlus},
    {"repeat", &FormatReader::ReadRepeat},
    {"tag", &FormatReader::ReadTag},
    {"triggered_tags", &FormatReader::ReadTriggeredTags},
    {"tags_with_separator", &FormatReader::ReadTagsWithSeparator},
    {"dispatch", &FormatReader::ReadDispatch},
    {"token", &FormatReader::ReadToken},
    {"exclude_token", &FormatReader::ReadExcludeToken},
    {"any_tokens", &FormatReader::ReadAnyTokens},
    {"token_triggered_tags", &FormatReader::ReadTokenTriggeredTags},
    {"token_dispatch", &FormatReader::ReadTokenDispatch},
};

void FormatReader::CheckDepth(JsonId id, int depth) const {
  if (depth > kMaxFormatDepth) {
    Fail(id, "Formats are nested deeper than " + std::to_string(kMaxFormatDepth) + " levels");
  }
}

std::string_view FormatReader::TypeOf(JsonId id) const {
  const JsonId type = document_.Find(id, "type");
  if (type != kNoJson) {
    if (!document_.IsString(type)) Fail(id, "Format's type must be a string");
    return document_.text(type);
  }
  const std::string_view inferred = InferType(document_, id);
  if (inferred.empty()) {
    Fail(id, "Invalid format: it has no type, and its fields do not tell which one is meant");
  }
  return inferred;
}

FormatId FormatReader::Read(JsonId id, int depth) {
  if (!document_.IsObject(id)) Fail(id, "Format must be an object");
  CheckDepth(id, depth);
  const std::string_view type = TypeOf(id);
  for (const Kind& kind : kKinds) {
    if (kind.type == type) return Add(id, (this->*kind.read)(id, depth));
  }
  Fail(id, "Format type not recognized: " + QuoteForMessage(type));
}

FormatId FormatReader::Add(JsonId id, FormatValue value) {
  tag_.formats.push_back({id, std::move(value)});
  return static_cast<FormatId>(tag_.formats.size() - 1);
}

FormatId FormatReader::Content(const FieldReader& fields, int depth) {
  const JsonId content = fields.Find("content");
  if (content == kNoJson) fields.Fail("format must have a content field");
  return Read(content, depth + 1);
}

std::vector<FormatId> FormatReader::Elements(const FieldReader& fields, int depth) {
  const JsonId id = fields.Find("elements");
  if (id == kNoJson || !document_.IsArray(id)) {
    fields.Fail("format must have an elements field with an array");
  }
  if (document_.items(id).empty()) fields.Fail("format must have at least one element");
  std::vector<FormatId> elements;
  for (JsonId item : document_.items(id)) elements.push_back(Read(item, depth + 1));
  return elements;
}

FormatValue FormatReader::ReadSequence(JsonId id, int depth) {
  return Sequence{Elements(FieldReader(document_, id, "Sequence"), depth)};
}

FormatValue FormatReader::ReadOr(JsonId id, int depth) {
  return Or{Elements(FieldReader(document_, id, "Or"), depth)};
}

FormatValue FormatReader::Copies(JsonId id, int depth, const char* name, int64_t min, int64_t max) {
  return Repeat{Content(FieldReader(document_, id, name), depth), min, max};
}

FormatValue FormatReader::ReadOptional(JsonId id, int depth) {
  return Copies(id, depth, "Optional", 0, 1);
}

FormatValue FormatReader::ReadStar(JsonId id, int depth) {
  return Copies(id, depth, "Star", 0, kNoBound);
}

FormatValue FormatReader::ReadPlus(JsonId id, int depth) {
  return Copies(id, depth, "Plus", 1, kNoBound);
}

FormatValue FormatReader::ReadRepeat(JsonId id, int depth) {
  const FieldReader fields(document_, id, "Repeat");
  const int64_t min = fields.Integer("min");
  int64_t max = fields.Integer("max");
  if (min < 0) fields.Fail("format: Repeat min must be >= 0");
  if (min > kMaxBound) fields.Fail("format: Repeat min is too large, the largest is 2147483647");
  if (max < kNoBound) fields.Fail("format: Repeat max must be -1 (unbounded) or >= 0");
  if (max != kNoBound && min > max) fields.Fail("format: Repeat min must be <= max");
  if (max > kMaxBound) max = kNoBound;
  return Copies(id, depth, "Repeat", min, max);
}

StructuralTag ReadStructuralTag(std::string_view text, const Limits& limits) {
  StructuralTag tag;
  tag.document = ReadDocument(text, limits);
  const JsonDocument& document = tag.document;
  const JsonId root = document.root();
  if (!document.IsObject(root)) throw TagError(document, root, "Structural tag must be an object");
  const JsonId type = document.Find(root, "type");
  if (type != kNoJson && (!document.IsString(type) || document.text(type) != "structural_tag")) {
    throw TagError(document, root, "Structural tag's type must be a string \"structural_tag\"");
  }
  const JsonId format = document.Find(root, "format");
  if (format == kNoJson) {
    throw TagError(document, root, "Structural tag must have a format field");
  }
  tag.root = FormatReader(&tag).Read(format, 1);
  return tag;
}

}  // namespace xgrammar::structural_tag
