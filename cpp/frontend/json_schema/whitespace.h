// Layout: what stands between the tokens of a container (json-schema.md 1.2), as expressions of the
// grammar.
//
// Three kinds: any white space (perhaps bounded), one line with given separators, and indented
// lines by depth. White space inside strings is none of its business.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "frontend/json_schema/json_schema.h"
#include "grammar/builder.h"

namespace xgrammar::json_schema {

/// Where a value stands: the depth of a container in an indented document; kOneLine for containers
/// that are never broken over lines; kCompact for those without any free space. Styles have places
/// of their own, from kFirstStylePlace downwards.
using Depth = int32_t;
constexpr Depth kOneLine = -1;
constexpr Depth kCompact = -2;
constexpr Depth kFirstStylePlace = -3;

/// Makes the layout expressions; borrows the builder. Raises kUsage for options out of range.
class Layout {
 public:
  Layout(const JsonSchemaOptions& options, GrammarBuilder* builder);

  bool is_indented() const { return indent_ >= 0; }
  /// Whether the separators are those of JSON.
  bool SpellsJson() const;
  /// Whether a container may be written without any space, so that the compact spelling needs no
  /// extra alternative.
  bool allows_compact() const { return allows_compact_; }
  /// The depth of the document, and of the children of a container.
  Depth RootDepth() const { return is_indented() ? 0 : kOneLine; }
  Depth ChildDepth(Depth depth) const { return depth < 0 ? depth : depth + 1; }

  /// `bracket` and what may follow it before the first child.
  ExprId Open(std::string_view bracket, Depth depth);
  /// What may precede `bracket` after the last child, and the bracket.
  ExprId Close(std::string_view bracket, Depth depth);
  /// A container without children.
  ExprId Empty(std::string_view open, std::string_view close, Depth depth);
  /// Between two children.
  ExprId ItemSeparator(Depth depth);
  /// Between a key and its value.
  ExprId KeySeparator(Depth depth);
  /// Any white space, as far as the options allow it.
  ExprId Space();

 private:
  ExprId Padded(const std::string& literal);
  bool HasFreeSpace(Depth depth) const { return any_whitespace_ && depth != kCompact; }
  std::string LineBreak(Depth depth) const;

  GrammarBuilder& builder_;
  bool any_whitespace_ = true;
  bool allows_compact_ = true;
  int64_t indent_ = -1;
  std::string item_separator_;
  std::string indented_item_separator_;
  std::string key_separator_;
  ExprId whitespace_ = kNoExpr;
};

}  // namespace xgrammar::json_schema
