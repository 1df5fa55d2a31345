// The style of Gemma 4's tool calls: JSON with bare keys and strings between `<|"|>` markers, at
// every level (ai.google.dev/gemma/docs/core/prompt-formatting-gemma4).
//
// A raw string style: a text cannot contain its marker, whatever the schema asks for.
#pragma once

#include <string_view>

#include "frontend/json_schema/styles/raw_strings.h"

namespace xgrammar::json_schema {

class GemmaStyle : public RawStringStyle {
 public:
  GemmaStyle(Merger* merger, const JsonSchemaOptions& options, const Limits& limits);

 protected:
  bool HasRawString(Depth) const override { return true; }
  bool HasRawKeys(Depth) const override { return true; }
  Depth LiteralDepth(Depth) const override { return kCompact; }
  RuleKind ValueRuleKind(Depth) const override { return RuleKind::kAuto; }
  RuleKind ContainerRuleKind(Depth) const override { return RuleKind::kAuto; }
  bool ComparesItems() const override { return false; }
  bool PlacesValues(Depth) const override { return true; }
  ExprId Placed(InstanceType type, bool is_free, ExprId value, Depth depth) override;
  ExprId DeclaredKey(std::string_view name, Depth depth) override;
  CodePointDfaPtr SpellKeys(const CodePointDfaPtr& names) const override;
};

}  // namespace xgrammar::json_schema
