// Elements of MiniMax-M3, and what cannot be written as such.
//
// Element names are literals of the grammar. Refusals are kUnsupported, name what the schema asks
// for and say what to write instead; strings in between are raw_strings.cc.
#include "frontend/json_schema/styles/minimax_m3_xml.h"

#include <string>

#include "support/error.h"

namespace xgrammar::json_schema {

namespace {

constexpr std::string_view kNamespace = "]<]minimax[>[";

[[noreturn]] void Refuse(const std::string& what, const char* hint) {
  Error error(ErrorKind::kUnsupported, "style minimax_m3_xml cannot write " + what);
  error.Feature("minimax_m3_xml");
  error.Hint(hint);
  throw error;
}

}  // namespace

MinimaxM3XmlStyle::MinimaxM3XmlStyle(Merger* merger, const JsonSchemaOptions& schema_options,
                                     const Limits& schema_limits)
    : RawStringStyle(merger, schema_options, schema_limits, {kNamespace, kNamespace, false, true}) {
}

ExprId MinimaxM3XmlStyle::Element(std::string_view name, ExprId value) {
  std::string open(kNamespace);
  open.append("<").append(name).append(">");
  std::string close(kNamespace);
  close.append("</").append(name).append(">");
  return builder().AddSequence(
      {builder().AddByteString(open), value, builder().AddByteString(close)});
}

ExprId MinimaxM3XmlStyle::DeclaredMember(std::string_view name, ExprId value, Depth) {
  if (name.empty() || name.front() == '/' || name.find('>') != std::string_view::npos) {
    Refuse("the property name '" + QuoteForMessage(name) + "'",
           "use a name without '>', not empty and not starting with '/'");
  }
  return Element(name, value);
}

ExprId MinimaxM3XmlStyle::Placed(InstanceType, bool, ExprId value, Depth) {
  return Element("item", value);
}

ExprId MinimaxM3XmlStyle::AdditionalKey(const std::vector<std::string_view>&, Depth) {
  Refuse("properties that the schema does not declare", "set additionalProperties to false");
}

ExprId MinimaxM3XmlStyle::ConstrainedKey(const FreeCell&, Depth) {
  Refuse("properties that 'patternProperties' or 'propertyNames' name",
         "declare them in 'properties'");
}

// Also where the names are known: which schemas can be written must not depend on their values.
void MinimaxM3XmlStyle::CheckObject(const ObjectSpec& spec) const {
  if (!spec.names_given) return;
  Refuse("an object with 'propertyNames'", "declare the properties in 'properties'");
}

ExprId MinimaxM3XmlStyle::StringLiteral(std::string_view text, Depth depth) {
  if (text.find(kNamespace) != std::string_view::npos) {
    Refuse("the string '" + QuoteForMessage(text) + "', which contains its namespace marker",
           "use another value");
  }
  return RawStringStyle::StringLiteral(text, depth);
}

// A schema without a type may have keywords for some types, so that it is not FreeValue.
void MinimaxM3XmlStyle::CheckLocation(const Expansion& expansion, JsonId schema) {
  const bool has_type = document().IsObject(schema) && document().Find(schema, "type") != kNoJson;
  if (!has_type && expansion.IsUntyped()) FreeValue(RootDepth());
}

ExprId MinimaxM3XmlStyle::FreeValue(Depth) {
  Refuse("a value without a type", "give the schema a 'type'");
}

// An array that says nothing of its items is empty.
ExprId MinimaxM3XmlStyle::FreeArray(const ArraySpec& spec, Depth depth) {
  return spec.items_given ? FreeValue(depth) : EmptyArray(depth);
}

// An object that says nothing of its properties is empty.
ExprId MinimaxM3XmlStyle::FreeObject(const ObjectSpec& spec, Depth depth) {
  if (spec.cells[0].origin == FreeCell::Origin::kImplied) return EmptyObject(depth);
  return AdditionalKey({}, depth);
}

}  // namespace xgrammar::json_schema
