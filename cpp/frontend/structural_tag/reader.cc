// Reading a structural tag: the whole, the type of each format, and one function for each kind.
//
// The recursion follows the nesting of formats and ends at kMaxFormatDepth.
#include "frontend/structural_tag/reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "frontend/json_schema/style_registry.h"
#include "frontend/structural_tag/field_reader.h"
#include "frontend/structural_tag/tag_error.h"
#include "json/parser.h"

namespace xgrammar::structural_tag {

namespace {

class Reader {
 public:
  explicit Reader(StructuralTag* tag) : tag_(*tag), document_(tag->document) {}

  FormatId Read(JsonId id, int depth);

 private:
  struct Kind {
    std::string_view type;
    FormatValue (Reader::*read)(JsonId id, int depth);
  };
  static const Kind kKinds[];

  [[noreturn]] void Fail(JsonId id, const std::string& message) const {
    throw TagError(document_, id, message);
  }
  std::string_view TypeOf(JsonId id) const;
  FormatId Add(JsonId id, FormatValue value);
  FormatId Content(const FieldReader& fields, int depth);
  std::vector<FormatId> Elements(const FieldReader& fields, int depth);
  FormatId ReadTagEntry(JsonId id, int depth);
  std::vector<FormatId> Tags(const FieldReader& fields, int depth);
  TagFlow Flow(const FieldReader& fields) const;
  TokenName TokenEdge(JsonId id) const;
  std::vector<std::string> Ends(const FieldReader& fields, JsonId end) const;
  std::span<const JsonId> Pair(const FieldReader& fields, JsonId rule) const;
  FormatValue Copies(JsonId id, int depth, const char* name, int64_t min, int64_t max);

  FormatValue ReadConstString(JsonId id, int depth);
  FormatValue ReadJsonSchema(JsonId id, int depth);
  FormatValue ReadQwenXml(JsonId id, int depth);
  FormatValue ReadAnyText(JsonId id, int depth);
  FormatValue ReadRegex(JsonId id, int depth);
  FormatValue ReadGrammar(JsonId id, int depth);
  FormatValue ReadSequence(JsonId id, int depth);
  FormatValue ReadOr(JsonId id, int depth);
  FormatValue ReadOptional(JsonId id, int depth);
  FormatValue ReadStar(JsonId id, int depth);
  FormatValue ReadPlus(JsonId id, int depth);
  FormatValue ReadRepeat(JsonId id, int depth);
  FormatValue ReadTag(JsonId id, int depth);
  FormatValue ReadTriggeredTags(JsonId id, int depth);
  FormatValue ReadTagsWithSeparator(JsonId id, int depth);
  FormatValue ReadDispatch(JsonId id, int depth);
  FormatValue ReadToken(JsonId id, int depth);
  FormatValue ReadExcludeToken(JsonId id, int depth);
  FormatValue ReadAnyTokens(JsonId id, int depth);
  FormatValue ReadTokenTriggeredTags(JsonId id, int depth);
  FormatValue ReadTokenDispatch(JsonId id, int depth);

  StructuralTag& tag_;
  const JsonDocument& document_;
};

const Reader::Kind Reader::kKinds[] = {
    {"const_string", &Reader::ReadConstString},
    {"json_schema", &Reader::ReadJsonSchema},
    {"qwen_xml_parameter", &Reader::ReadQwenXml},
    {"any_text", &Reader::ReadAnyText},
    {"regex", &Reader::ReadRegex},
    {"grammar", &Reader::ReadGrammar},
    {"sequence", &Reader::ReadSequence},
    {"or", &Reader::ReadOr},
    {"optional", &Reader::ReadOptional},
    {"star", &Reader::ReadStar},
    {"plus", &Reader::ReadPlus},
    {"repeat", &Reader::ReadRepeat},
    {"tag", &Reader::ReadTag},
    {"triggered_tags", &Reader::ReadTriggeredTags},
    {"tags_with_separator", &Reader::ReadTagsWithSeparator},
    {"dispatch", &Reader::ReadDispatch},
    {"token", &Reader::ReadToken},
    {"exclude_token", &Reader::ReadExcludeToken},
    {"any_tokens", &Reader::ReadAnyTokens},
    {"token_triggered_tags", &Reader::ReadTokenTriggeredTags},
    {"token_dispatch", &Reader::ReadTokenDispatch},
};

std::string_view Reader::TypeOf(JsonId id) const {
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

FormatId Reader::Read(JsonId id, int depth) {
  if (!document_.IsObject(id)) Fail(id, "Format must be an object");
  if (depth > kMaxFormatDepth) {
    Fail(id, "Formats are nested deeper than " + std::to_string(kMaxFormatDepth) + " levels");
  }
  const std::string_view type = TypeOf(id);
  for (const Kind& kind : kKinds) {
    if (kind.type == type) return Add(id, (this->*kind.read)(id, depth));
  }
  Fail(id, "Format type not recognized: " + QuoteForMessage(type));
}

FormatId Reader::Add(JsonId id, FormatValue value) {
  tag_.formats.push_back({id, std::move(value)});
  return static_cast<FormatId>(tag_.formats.size() - 1);
}

FormatId Reader::Content(const FieldReader& fields, int depth) {
  const JsonId content = fields.Find("content");
  if (content == kNoJson) fields.Fail("format must have a content field");
  return Read(content, depth + 1);
}

std::vector<FormatId> Reader::Elements(const FieldReader& fields, int depth) {
  const JsonId id = fields.Find("elements");
  if (id == kNoJson || !document_.IsArray(id)) {
    fields.Fail("format must have an elements field with an array");
  }
  if (document_.items(id).empty()) fields.Fail("format must have at least one element");
  std::vector<FormatId> elements;
  for (JsonId item : document_.items(id)) elements.push_back(Read(item, depth + 1));
  return elements;
}

FormatId Reader::ReadTagEntry(JsonId id, int depth) {
  if (!document_.IsObject(id)) Fail(id, "Tag format must be an object");
  const JsonId type = document_.Find(id, "type");
  if (type != kNoJson && (!document_.IsString(type) || document_.text(type) != "tag")) {
    Fail(id, "Tag format's type must be a string \"tag\"");
  }
  if (depth > kMaxFormatDepth) {
    Fail(id, "Formats are nested deeper than " + std::to_string(kMaxFormatDepth) + " levels");
  }
  return Add(id, ReadTag(id, depth));
}

std::vector<FormatId> Reader::Tags(const FieldReader& fields, int depth) {
  std::vector<FormatId> tags;
  for (JsonId item : fields.NonEmptyArray("tags")) tags.push_back(ReadTagEntry(item, depth + 1));
  return tags;
}

TagFlow Reader::Flow(const FieldReader& fields) const {
  return {fields.Bool("at_least_one", false), fields.Bool("stop_after_first", false)};
}

FormatValue Reader::ReadConstString(JsonId id, int) {
  const FieldReader fields(document_, id, "ConstString");
  return ConstString{fields.String("value", "format must have a value field with a string")};
}

FormatValue Reader::ReadJsonSchema(JsonId id, int) {
  const FieldReader fields(document_, id, "JSONSchema");
  JsonSchema out;
  out.schema = fields.Find("json_schema");
  if (out.schema == kNoJson || !(document_.IsObject(out.schema) || document_.IsBool(out.schema))) {
    fields.Fail("format must have a json_schema field with a object or boolean value");
  }
  const JsonId style = fields.Find("style");
  if (style != kNoJson) {
    out.style = document_.IsString(style) ? std::string(document_.text(style)) : "";
    const auto names = json_schema::StyleNames();
    if (std::find(names.begin(), names.end(), out.style) == names.end()) {
      std::string message = "format: style must be ";
      for (std::string_view name : names) message += "\"" + std::string(name) + "\", ";
      message.resize(message.size() - 2);
      fields.Fail(message);
    }
  }
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

FormatValue Reader::ReadQwenXml(JsonId id, int) {
  const FieldReader fields(document_, id, "QwenXmlParameter");
  JsonSchema out;
  out.schema = fields.Find("json_schema");
  if (out.schema == kNoJson || !(document_.IsObject(out.schema) || document_.IsBool(out.schema))) {
    fields.Fail("format must have a json_schema field with a object or boolean value");
  }
  out.style = "qwen_xml";
  return out;
}

FormatValue Reader::ReadAnyText(JsonId id, int) {
  const FieldReader fields(document_, id, "AnyText");
  AnyText out;
  out.excludes = fields.Excludes("format's excludes must be an array",
                                 "format's excludes must contain strings that are not empty");
  out.max_tokens = fields.Budget("max_tokens");
  out.max_chars = fields.Budget("max_chars");
  return out;
}

FormatValue Reader::ReadRegex(JsonId id, int) {
  return Regex{FieldReader(document_, id, "Regex").NonEmptyString("pattern")};
}

FormatValue Reader::ReadGrammar(JsonId id, int) {
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

FormatValue Reader::ReadSequence(JsonId id, int depth) {
  return Sequence{Elements(FieldReader(document_, id, "Sequence"), depth)};
}

FormatValue Reader::ReadOr(JsonId id, int depth) {
  return Or{Elements(FieldReader(document_, id, "Or"), depth)};
}

FormatValue Reader::Copies(JsonId id, int depth, const char* name, int64_t min, int64_t max) {
  return Repeat{Content(FieldReader(document_, id, name), depth), min, max};
}

FormatValue Reader::ReadOptional(JsonId id, int depth) {
  return Copies(id, depth, "Optional", 0, 1);
}

FormatValue Reader::ReadStar(JsonId id, int depth) {
  return Copies(id, depth, "Star", 0, kNoBound);
}

FormatValue Reader::ReadPlus(JsonId id, int depth) {
  return Copies(id, depth, "Plus", 1, kNoBound);
}

FormatValue Reader::ReadRepeat(JsonId id, int depth) {
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

TokenName Reader::TokenEdge(JsonId id) const {
  const FieldReader fields(document_, id, "TokenFormat");
  const JsonId type = fields.Find("type");
  if (type != kNoJson && (!document_.IsString(type) || document_.text(type) != "token")) {
    fields.Fail("must have a token field and the type \"token\"");
  }
  return fields.Token("token");
}

std::vector<std::string> Reader::Ends(const FieldReader& fields, JsonId end) const {
  if (document_.IsString(end)) return {std::string(document_.text(end))};
  if (!document_.IsArray(end)) {
    fields.Fail("format's end field must be a string or array of strings, or a token format");
  }
  if (document_.items(end).empty()) fields.Fail("format's end array cannot be empty");
  std::vector<std::string> ends;
  for (JsonId item : document_.items(end)) {
    if (!document_.IsString(item)) fields.Fail("format's end array must contain only strings");
    ends.emplace_back(document_.text(item));
  }
  return ends;
}

FormatValue Reader::ReadTag(JsonId id, int depth) {
  const FieldReader fields(document_, id, "Tag");
  Tag out;
  const JsonId begin = fields.Find("begin");
  if (begin != kNoJson && document_.IsObject(begin)) {
    out.begin = TokenEdge(begin);
  } else {
    out.begin = fields.String("begin", "format's begin field must be a string or a token format");
  }
  out.content = Content(fields, depth);
  const JsonId end = fields.Find("end");
  if (end == kNoJson) fields.Fail("format must have an end field");
  if (document_.IsObject(end)) {
    out.end = TokenEdge(end);
  } else {
    out.end = Ends(fields, end);
  }
  return out;
}

FormatValue Reader::ReadTriggeredTags(JsonId id, int depth) {
  const FieldReader fields(document_, id, "TriggeredTags");
  TriggeredTags out;
  out.triggers = fields.NonEmptyStrings("triggers");
  out.tags = Tags(fields, depth);
  out.excludes = fields.Excludes("format must have an excludes field with an array, or none",
                                 "format's excludes must be non-empty strings");
  out.flow = Flow(fields);
  return out;
}

FormatValue Reader::ReadTagsWithSeparator(JsonId id, int depth) {
  const FieldReader fields(document_, id, "TagsWithSeparator");
  TagsWithSeparator out;
  out.tags = Tags(fields, depth);
  out.separator = fields.String("separator", "format's separator field must be a string");
  out.flow = Flow(fields);
  return out;
}

std::span<const JsonId> Reader::Pair(const FieldReader& fields, JsonId rule) const {
  if (!document_.IsArray(rule) || document_.items(rule).size() != 2) {
    fields.Fail("format: each rule must be a 2-element array of a pattern and a format");
  }
  return document_.items(rule);
}

FormatValue Reader::ReadDispatch(JsonId id, int depth) {
  const FieldReader fields(document_, id, "Dispatch");
  Dispatch out;
  for (JsonId rule : fields.NonEmptyArray("rules")) {
    const auto pair = Pair(fields, rule);
    if (!document_.IsString(pair[0]) || document_.text(pair[0]).empty()) {
      fields.Fail("format: a rule's first element must be a non-empty string");
    }
    out.rules.emplace_back(document_.text(pair[0]), Read(pair[1], depth + 1));
  }
  out.loop = fields.Bool("loop", true);
  out.excludes = fields.Excludes("format's excludes must be an array",
                                 "format's excludes must contain non-empty strings");
  return out;
}

FormatValue Reader::ReadToken(JsonId id, int) {
  return Token{FieldReader(document_, id, "TokenFormat").Token("token")};
}

FormatValue Reader::ReadExcludeToken(JsonId id, int) {
  const FieldReader fields(document_, id, "ExcludeToken");
  return ExcludeToken{fields.Tokens("exclude_tokens", false)};
}

FormatValue Reader::ReadAnyTokens(JsonId id, int) {
  const FieldReader fields(document_, id, "AnyTokens");
  return AnyTokens{fields.Tokens("exclude_tokens", false), fields.Budget("max_tokens")};
}

FormatValue Reader::ReadTokenTriggeredTags(JsonId id, int depth) {
  const FieldReader fields(document_, id, "TokenTriggeredTags");
  TokenTriggeredTags out;
  out.triggers = fields.Tokens("trigger_tokens", true);
  if (out.triggers.empty()) fields.Fail("format's trigger_tokens must be non-empty");
  out.tags = Tags(fields, depth);
  out.excludes = fields.Tokens("exclude_tokens", false);
  out.flow = Flow(fields);
  return out;
}

FormatValue Reader::ReadTokenDispatch(JsonId id, int depth) {
  const FieldReader fields(document_, id, "TokenDispatch");
  TokenDispatch out;
  for (JsonId rule : fields.NonEmptyArray("rules")) {
    const auto pair = Pair(fields, rule);
    if (!document_.IsString(pair[0]) && !document_.IsNumber(pair[0])) {
      fields.Fail("format: a rule's first element must be a token id or a token string");
    }
    TokenName token = fields.TokenItem(pair[0], "a rule's first element");
    out.rules.emplace_back(std::move(token), Read(pair[1], depth + 1));
  }
  out.loop = fields.Bool("loop", true);
  out.excludes = fields.Tokens("exclude_tokens", false);
  return out;
}

JsonDocument ReadDocument(std::string_view text, const Limits& limits) {
  try {
    return ParseJson(text, limits);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInvalidJson) throw;
    Error wrapped(ErrorKind::kInvalidJson,
                  "Invalid JSON error: Failed to parse JSON: " + error.message());
    wrapped.At(error.line(), error.column());
    if (!error.hint().empty()) wrapped.Hint(error.hint());
    throw wrapped;
  }
}

}  // namespace

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
  tag.root = Reader(&tag).Read(format, 1);
  return tag;
}

}  // namespace xgrammar::structural_tag
