// Reading the formats const_string, any_text and regex.
//
// A pattern is read as text: whether it is one is found out when it is lowered.
#include "frontend/structural_tag/reader.h"

namespace xgrammar::structural_tag {

FormatValue FormatReader::ReadConstString(JsonId id, int) {
  const FieldReader fields(document_, id, "ConstString");
  return ConstString{fields.String("value", "format must have a value field with a string")};
}

FormatValue FormatReader::ReadAnyText(JsonId id, int) {
  const FieldReader fields(document_, id, "AnyText");
  AnyText out;
  out.excludes = fields.Excludes("format's excludes must be an array",
                                 "format's excludes must contain strings that are not empty");
  out.max_tokens = fields.Budget("max_tokens");
  out.max_chars = fields.Budget("max_chars");
  return out;
}

FormatValue FormatReader::ReadRegex(JsonId id, int) {
  return Regex{FieldReader(document_, id, "Regex").NonEmptyString("pattern")};
}

}  // namespace xgrammar::structural_tag
