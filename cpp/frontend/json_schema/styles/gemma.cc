// Strings of Gemma 4 between their markers, and its bare keys.
//
// Everything else is JSON and comes from the base converter. Raw text has no escapes: a declared
// key that contains the marker cannot be read back, so it is left out.
#include "frontend/json_schema/styles/gemma.h"

namespace xgrammar::json_schema {

namespace {

constexpr std::string_view kDelimiter = "<|\"|>";

}  // namespace

GemmaStyle::GemmaStyle(Merger* merger, const JsonSchemaOptions& schema_options,
                       const Limits& schema_limits)
    : RawStringStyle(merger, schema_options, schema_limits, {kDelimiter, kDelimiter, true, true}) {}

// The markers are literals beside the lexeme, so that their token can stand for them.
ExprId GemmaStyle::Placed(InstanceType type, bool, ExprId value, Depth) {
  if (type != InstanceType::kString) return value;
  const ExprId delimiter = builder().AddByteString(kDelimiter);
  return builder().AddSequence({delimiter, ClosedString(value, false, kDelimiter)});
}

ExprId GemmaStyle::DeclaredKey(std::string_view name, Depth depth) {
  const bool is_readable = name.find(kDelimiter) == std::string_view::npos;
  return is_readable ? RawStringStyle::DeclaredKey(name, depth) : Excluded();
}

}  // namespace xgrammar::json_schema
