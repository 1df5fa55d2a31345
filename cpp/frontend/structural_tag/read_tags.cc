// Reading the formats of tagged regions: tag, triggered_tags, tags_with_separator, dispatch.
//
// An entry of a list of tags may leave its type out. Begin and end may be tokens instead of text;
// regions that tokens start are read_tokens.cc.
#include "frontend/structural_tag/reader.h"

namespace xgrammar::structural_tag {

FormatId FormatReader::ReadTagEntry(JsonId id, int depth) {
  if (!document_.IsObject(id)) Fail(id, "Tag format must be an object");
  const JsonId type = document_.Find(id, "type");
  if (type != kNoJson && (!document_.IsString(type) || document_.text(type) != "tag")) {
    Fail(id, "Tag format's type must be a string \"tag\"");
  }
  CheckDepth(id, depth);
  return Add(id, ReadTag(id, depth));
}

std::vector<FormatId> FormatReader::Tags(const FieldReader& fields, int depth) {
  std::vector<FormatId> tags;
  for (JsonId item : fields.NonEmptyArray("tags")) tags.push_back(ReadTagEntry(item, depth + 1));
  return tags;
}

TagFlow FormatReader::Flow(const FieldReader& fields) const {
  return {fields.Bool("at_least_one", false), fields.Bool("stop_after_first", false)};
}

TokenName FormatReader::TokenEdge(JsonId id) const {
  const FieldReader fields(document_, id, "TokenFormat");
  const JsonId type = fields.Find("type");
  if (type != kNoJson && (!document_.IsString(type) || document_.text(type) != "token")) {
    fields.Fail("must have a token field and the type \"token\"");
  }
  return fields.Token("token");
}

std::vector<std::string> FormatReader::Ends(const FieldReader& fields, JsonId end) const {
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

FormatValue FormatReader::ReadTag(JsonId id, int depth) {
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

FormatValue FormatReader::ReadTriggeredTags(JsonId id, int depth) {
  const FieldReader fields(document_, id, "TriggeredTags");
  TriggeredTags out;
  out.triggers = fields.NonEmptyStrings("triggers");
  out.tags = Tags(fields, depth);
  out.excludes = fields.Excludes("format must have an excludes field with an array, or none",
                                 "format's excludes must be non-empty strings");
  out.flow = Flow(fields);
  return out;
}

FormatValue FormatReader::ReadTagsWithSeparator(JsonId id, int depth) {
  const FieldReader fields(document_, id, "TagsWithSeparator");
  TagsWithSeparator out;
  out.tags = Tags(fields, depth);
  out.separator = fields.String("separator", "format's separator field must be a string");
  out.flow = Flow(fields);
  return out;
}

std::span<const JsonId> FormatReader::Pair(const FieldReader& fields, JsonId rule) const {
  if (!document_.IsArray(rule) || document_.items(rule).size() != 2) {
    fields.Fail("format: each rule must be a 2-element array of a pattern and a format");
  }
  return document_.items(rule);
}

FormatValue FormatReader::ReadDispatch(JsonId id, int depth) {
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

}  // namespace xgrammar::structural_tag
