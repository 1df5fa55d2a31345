// The style of MiniMax-M3's tool calls: an element for each member and item, at every level, with a
// namespace marker before each tag.
//
// Element names come from the schema, so values of any shape cannot be written: schemas without a
// type and objects with undeclared names are refused.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/json_schema/styles/raw_strings.h"

namespace xgrammar::json_schema {

class MinimaxM3XmlStyle : public RawStringStyle {
 public:
  MinimaxM3XmlStyle(Merger* merger, const JsonSchemaOptions& options, const Limits& limits);

 protected:
  static constexpr Depth kMember = kFirstStylePlace;
  static constexpr Depth kItem = kFirstStylePlace - 1;
  static constexpr Depth kCompactItem = kFirstStylePlace - 2;  ///< An item of a literal.

  Depth RootDepth() const override { return kMember; }
  Depth MemberDepth(Depth depth) const override { return IsCompact(depth) ? kCompact : kMember; }
  Depth ItemDepth(Depth depth) const override { return IsCompact(depth) ? kCompactItem : kItem; }
  Depth LiteralDepth(Depth) const override { return kCompact; }
  bool HasRawString(Depth) const override { return true; }
  bool HasRawKeys(Depth) const override { return true; }
  RuleKind ValueRuleKind(Depth) const override { return RuleKind::kAuto; }
  RuleKind ContainerRuleKind(Depth) const override { return RuleKind::kAuto; }

  ExprId OpenObject(Depth depth) override { return Space(depth); }
  ExprId CloseObject(Depth depth) override { return Space(depth); }
  ExprId EmptyObject(Depth) override { return builder().AddEmpty(); }
  ExprId MemberSeparator(Depth depth) override { return Space(depth); }
  ExprId OpenArray(Depth depth) override { return Space(depth); }
  ExprId CloseArray(Depth depth) override { return Space(depth); }
  ExprId EmptyArray(Depth) override { return builder().AddEmpty(); }
  ExprId ArraySeparator(Depth depth) override { return Space(depth); }

  ExprId DeclaredMember(std::string_view name, ExprId value, Depth depth) override;
  ExprId AdditionalKey(const std::vector<std::string_view>& closed_names, Depth depth) override;
  ExprId ConstrainedKey(const FreeCell& cell, Depth depth) override;
  ExprId StringLiteral(std::string_view text, Depth depth) override;

  bool ComparesItems() const override { return false; }
  bool PlacesValues(Depth depth) const override { return depth == kItem || depth == kCompactItem; }
  ExprId Placed(InstanceType type, bool is_free, ExprId value, Depth depth) override;
  void CheckLocation(const Expansion& expansion, JsonId schema) override;
  ExprId FreeValue(Depth depth) override;
  ExprId FreeArray(const ArraySpec& spec, Depth depth) override;
  ExprId FreeObject(const ObjectSpec& spec, Depth depth) override;
  void CheckObject(const ObjectSpec& spec) const override;

 private:
  static bool IsCompact(Depth depth) { return depth == kCompact || depth == kCompactItem; }
  ExprId Space(Depth depth) { return IsCompact(depth) ? builder().AddEmpty() : layout().Space(); }
  ExprId Element(std::string_view name, ExprId value);
};

}  // namespace xgrammar::json_schema
