// The style of Cohere's XML tool calls: parameters all the way down. Members of objects and items
// of arrays are elements again, items without a name.
//
// A parameter style with its own format (kCohereXml in xml_formats.h), so strings are raw text
// here, too.
#pragma once

#include "frontend/json_schema/styles/xml_parameters.h"

namespace xgrammar::json_schema {

class CohereXmlStyle : public XmlParameterStyle {
 public:
  CohereXmlStyle(Merger* merger, const JsonSchemaOptions& options, const Limits& limits);

 protected:
  static constexpr Depth kItem = kParameter - 1;

  bool IsPadded(InstanceType type, bool is_free) const override;
  Depth MemberDepth(Depth) const override { return kParameter; }
  Depth ItemDepth(Depth) const override { return kItem; }
  Depth LiteralDepth(Depth depth) const override { return depth; }
  bool HasRawKeys(Depth) const override { return true; }
  RuleKind ContainerRuleKind(Depth) const override { return RuleKind::kAuto; }

  ExprId OpenObject(Depth) override { return layout().Space(); }
  ExprId CloseObject(Depth) override { return layout().Space(); }
  ExprId EmptyObject(Depth depth) override;
  ExprId MemberSeparator(Depth) override { return layout().Space(); }
  ExprId KeySeparator(Depth) override { return builder().AddEmpty(); }
  ExprId OpenArray(Depth) override { return layout().Space(); }
  ExprId CloseArray(Depth) override { return layout().Space(); }
  ExprId EmptyArray(Depth) override { return builder().AddEmpty(); }
  ExprId ArraySeparator(Depth) override { return layout().Space(); }

  bool ComparesItems() const override { return false; }
  bool PlacesValues(Depth depth) const override { return depth != kParameters; }
  ExprId Placed(InstanceType type, bool is_free, ExprId value, Depth depth) override;
  ExprId FreeValue(Depth depth) override;
  ExprId FreeArray(const ArraySpec&, Depth) override { return kNoExpr; }
  ExprId FreeObject(const ObjectSpec&, Depth) override { return kNoExpr; }
};

}  // namespace xgrammar::json_schema
