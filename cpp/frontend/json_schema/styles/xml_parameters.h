// XmlParameterStyle: tool calls that write the top-level object as a list of XML-like parameters,
// and everything inside a parameter as raw text (strings) or JSON (all else).
//
// The families differ in data only: XmlParameterFormat. The values of `true` and of strings are
// text up to the closing marker; where a format has an attribute for the type, it is written with
// the value, so it always agrees with it.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "frontend/json_schema/styles/raw_strings.h"

namespace xgrammar::json_schema {

struct XmlParameterFormat {
  std::string_view key_open = {};   ///< `<parameter=`
  std::string_view key_close = {};  ///< What follows the key: `>`.
  std::string_view key_end = {};    ///< What a key that the schema does not declare cannot contain.
  std::string_view value_open =
      {};  ///< Between key and value, after free white space; "": nothing.
  std::string_view attribute_open = {};  ///< ` type="`, or "" without an attribute.
  std::array<std::string_view, kNumInstanceTypes> attributes = {};  ///< By InstanceType.
  std::string_view attribute_close = {};  ///< What follows the attribute up to the value.
  std::string_view value_close = {};      ///< `</parameter>`
  std::string_view escaped_in_keys = {};  ///< Those of `&<>"` that are entities in keys.
  bool pads_strings = true;  ///< Free white space around all strings but unconstrained ones.
  bool has_identifier_keys = true;
};

class XmlParameterStyle : public RawStringStyle {
 public:
  /// `format` must outlive the converter.
  XmlParameterStyle(Merger* merger, const JsonSchemaOptions& options, const Limits& limits,
                    const XmlParameterFormat& format);

 protected:
  static constexpr Depth kParameters = kFirstStylePlace;     ///< The list of parameters.
  static constexpr Depth kParameter = kFirstStylePlace - 1;  ///< The value of one.

  const XmlParameterFormat& format() const { return format_; }
  virtual bool IsPadded(InstanceType type, bool is_free) const;

  Depth RootDepth() const override { return kParameters; }
  Depth MemberDepth(Depth depth) const override;
  Depth ItemDepth(Depth depth) const override;
  Depth LiteralDepth(Depth depth) const override { return depth == kParameter ? kCompact : depth; }
  bool HasRawString(Depth depth) const override { return depth <= kFirstStylePlace; }
  bool HasRawKeys(Depth depth) const override { return depth == kParameters; }
  RuleKind ValueRuleKind(Depth depth) const override { return KindIf(depth <= kParameters); }
  RuleKind ContainerRuleKind(Depth depth) const override { return KindIf(depth == kParameters); }
  std::string SpellKey(std::string_view name) const override;
  CodePointDfaPtr SpellKeys(const CodePointDfaPtr& names) const override;
  ExprId EnclosedKey(ExprId key) override;

  ExprId OpenObject(Depth depth) override;
  ExprId CloseObject(Depth depth) override;
  ExprId EmptyObject(Depth depth) override;
  ExprId MemberSeparator(Depth depth) override;
  ExprId KeySeparator(Depth depth) override;

  bool PlacesValues(Depth depth) const override { return depth == kParameter; }
  ExprId Placed(InstanceType type, bool is_free, ExprId value, Depth depth) override;
  bool HoldsArguments(Depth depth) const override { return depth == kParameters; }
  ExprId FreeValue(Depth depth) override;
  ExprId FreeObject(const ObjectSpec& spec, Depth depth) override;

 private:
  static RuleKind KindIf(bool has_markers) {
    return has_markers ? RuleKind::kAuto : RuleKind::kStructure;
  }

  const XmlParameterFormat& format_;
};

}  // namespace xgrammar::json_schema
