// Nested elements of Cohere's XML tool calls.
//
// A subclass of the parameter style: here are only the differences, which are padding, empty
// objects, and the element around an item. The markers are data (xml_formats.h); what a schema
// allows is decided before, in merge.cc.
#include "frontend/json_schema/styles/cohere_xml.h"

#include "frontend/json_schema/styles/xml_formats.h"

namespace xgrammar::json_schema {

CohereXmlStyle::CohereXmlStyle(Merger* merger, const JsonSchemaOptions& schema_options,
                               const Limits& schema_limits)
    : XmlParameterStyle(merger, schema_options, schema_limits, kCohereXml) {}

// Raw bodies are kept verbatim by the reader; containers have their own white space.
bool CohereXmlStyle::IsPadded(InstanceType type, bool) const {
  return type == InstanceType::kNull || type == InstanceType::kBoolean ||
         type == InstanceType::kNumber;
}

ExprId CohereXmlStyle::EmptyObject(Depth depth) {
  return depth == kParameters ? layout().Space() : builder().AddEmpty();
}

ExprId CohereXmlStyle::Placed(InstanceType type, bool is_free, ExprId value, Depth depth) {
  const ExprId element = XmlParameterStyle::Placed(type, is_free, value, depth);
  if (depth != kItem) return element;
  return builder().AddSequence({builder().AddByteString("<cofl:value"), element});
}

ExprId CohereXmlStyle::FreeValue(Depth depth) {
  return depth == kParameters ? AnyObject(depth) : kNoExpr;
}

}  // namespace xgrammar::json_schema
