// Parameters: a key, an attribute where the format has one, a value, and the closing marker.
//
// Only the top level is written this way: inside a parameter, containers are JSON of the base
// converter. Which text stands at each place is read from the XmlParameterFormat, and no family is
// known by name here.
#include "frontend/json_schema/styles/xml_parameters.h"

#include <memory>

#include "frontend/json_schema/styles/xml_escapes.h"

namespace xgrammar::json_schema {

XmlParameterStyle::XmlParameterStyle(Merger* merger, const JsonSchemaOptions& schema_options,
                                     const Limits& schema_limits,
                                     const XmlParameterFormat& parameter_format)
    : RawStringStyle(merger, schema_options, schema_limits,
                     {parameter_format.value_close, parameter_format.key_end, false,
                      parameter_format.has_identifier_keys}),
      format_(parameter_format) {}

Depth XmlParameterStyle::MemberDepth(Depth depth) const {
  if (depth == kParameters) return kParameter;
  return depth == kCompact ? kCompact : kOneLine;
}

// An array, even one that is the whole value, is JSON.
Depth XmlParameterStyle::ItemDepth(Depth depth) const {
  return depth == kCompact ? kCompact : kOneLine;
}

std::string XmlParameterStyle::SpellKey(std::string_view name) const {
  return EscapeXml(name, format_.escaped_in_keys);
}

CodePointDfaPtr XmlParameterStyle::SpellKeys(const CodePointDfaPtr& names) const {
  if (format_.escaped_in_keys.empty()) return names;
  return std::make_shared<const CodePointDfa>(EscapeXml(*names, format_.escaped_in_keys));
}

ExprId XmlParameterStyle::EnclosedKey(ExprId key) {
  return builder().AddSequence(
      {builder().AddByteString(format_.key_open), key, builder().AddByteString(format_.key_close)});
}

ExprId XmlParameterStyle::OpenObject(Depth depth) {
  return depth == kParameters ? layout().Space() : RawStringStyle::OpenObject(depth);
}

ExprId XmlParameterStyle::CloseObject(Depth depth) {
  return depth == kParameters ? layout().Space() : RawStringStyle::CloseObject(depth);
}

ExprId XmlParameterStyle::EmptyObject(Depth depth) {
  return depth == kParameters ? layout().Space() : RawStringStyle::EmptyObject(depth);
}

ExprId XmlParameterStyle::MemberSeparator(Depth depth) {
  return depth == kParameters ? layout().Space() : RawStringStyle::MemberSeparator(depth);
}

ExprId XmlParameterStyle::KeySeparator(Depth depth) {
  if (depth != kParameters) return RawStringStyle::KeySeparator(depth);
  if (format_.value_open.empty()) return builder().AddEmpty();
  return builder().AddSequence({layout().Space(), builder().AddByteString(format_.value_open)});
}

bool XmlParameterStyle::IsPadded(InstanceType type, bool is_free) const {
  return type != InstanceType::kString || (format_.pads_strings && !is_free);
}

ExprId XmlParameterStyle::Placed(InstanceType type, bool is_free, ExprId value, Depth) {
  std::string attribute;
  if (!format_.attribute_open.empty()) {
    attribute += format_.attribute_open;
    attribute += format_.attributes[static_cast<size_t>(type)];
    attribute += format_.attribute_close;
  }
  const ExprId open = builder().AddByteString(attribute);
  const bool is_padded = IsPadded(type, is_free);
  if (type == InstanceType::kString)
    return builder().AddSequence({open, ClosedString(value, is_padded, format_.value_close)});
  const ExprId space = is_padded ? layout().Space() : builder().AddEmpty();
  return builder().AddSequence(
      {open, space, value, space, builder().AddByteString(format_.value_close)});
}

ExprId XmlParameterStyle::FreeValue(Depth depth) {
  if (depth == kParameters) return AnyObject(depth);
  if (depth != kParameter) return RawStringStyle::FreeValue(depth);
  if (!format_.attribute_open.empty()) return kNoExpr;
  // Any text; other values are such text, too.
  return Placed(InstanceType::kString, true, FreeString(depth), depth);
}

ExprId XmlParameterStyle::FreeObject(const ObjectSpec& spec, Depth depth) {
  return depth == kParameters ? kNoExpr : RawStringStyle::FreeObject(spec, depth);
}

}  // namespace xgrammar::json_schema
