// Reading a structural tag: JSON text -> StructuralTag, with every field judged by itself.
//
// FormatReader has one function for each kind of format, in reader.cc (formats made of formats) and
// read_<kind>.cc. What fields mean together (which trigger starts which tag, which ends may be
// empty) is check.h.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/structural_tag/field_reader.h"
#include "frontend/structural_tag/schema.h"
#include "frontend/structural_tag/tag_error.h"
#include "support/limits.h"

namespace xgrammar::structural_tag {

/// The deepest nesting of formats; the outermost one has depth 1.
constexpr int kMaxFormatDepth = 100;

/// Raises kInvalidJson with line and column, kStructuralTag with the pointer of the faulty format,
/// kLimit.
StructuralTag ReadStructuralTag(std::string_view text, const Limits& limits);

/// The kind of a format without a `type`, by the fields that it has; "" if none fits. Precondition:
/// an object.
std::string_view InferType(const JsonDocument& document, JsonId object);

/// Reads the formats of one tag into it, each behind what it contains. The recursion follows the
/// nesting of formats and ends at kMaxFormatDepth.
class FormatReader {
 public:
  explicit FormatReader(StructuralTag* tag) : tag_(*tag), document_(tag->document) {}

  /// The format of an object, which has the depth of its nesting. Raises kStructuralTag.
  FormatId Read(JsonId id, int depth);

 private:
  struct Kind {
    std::string_view type;
    FormatValue (FormatReader::*read)(JsonId id, int depth);
  };
  static const Kind kKinds[];

  [[noreturn]] void Fail(JsonId id, const std::string& message) const {
    throw TagError(document_, id, message);
  }
  void CheckDepth(JsonId id, int depth) const;
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

  JsonId Schema(const FieldReader& fields) const;
  std::string Style(const FieldReader& fields) const;

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

}  // namespace xgrammar::structural_tag
