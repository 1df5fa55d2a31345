// The style of tool calls in Python source (Llama 4, OLMo 3, LFM2): the object at the root is a
// list of keyword arguments, `name=value, name=value`, and every value is a Python literal.
//
// Parsers of these calls read them with Python's own parser and accept literals only, so the style
// is the part of Python that they agree on: strings in either quote, dicts with string keys, lists,
// numbers as in JSON, `True`, `False` and `None`. Layout is blanks; line ends separate calls in
// some families, so nothing writes one.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/json_schema/converter.h"
#include "frontend/json_schema/styles/respell.h"

namespace xgrammar::json_schema {

class PythonicStyle : public JSONSchemaConverter {
 public:
  PythonicStyle(Merger* merger, const JsonSchemaOptions& options, const Limits& limits);

 protected:
  static constexpr Depth kArguments = kFirstStylePlace;  ///< The list of keyword arguments.

  Depth RootDepth() const override { return kArguments; }
  Depth MemberDepth(Depth) const override { return kOneLine; }
  Depth ItemDepth(Depth) const override { return kOneLine; }
  Depth LiteralDepth(Depth depth) const override { return depth; }

  bool ComparesItems() const override { return false; }
  ExprId OpenObject(Depth depth) override;
  ExprId CloseObject(Depth depth) override;
  ExprId EmptyObject(Depth depth) override;
  ExprId MemberSeparator(Depth) override { return Separator(","); }
  ExprId KeySeparator(Depth depth) override;
  ExprId OpenArray(Depth) override { return Open("["); }
  ExprId CloseArray(Depth) override { return Close("]"); }
  ExprId EmptyArray(Depth) override { return Empty("[", "]"); }
  ExprId ArraySeparator(Depth) override { return Separator(","); }

  ExprId FreeString(Depth depth) override;
  ExprId ConstrainedString(const CodePointDfaPtr& decoded, bool is_filtered, Depth depth) override;
  ExprId PatternString(std::string_view, Depth) override { return kNoExpr; }
  ExprId FormatString(std::string_view, bool, Depth) override { return kNoExpr; }
  ExprId BoundedString(const CodePointSet& characters, const CountRange& length, bool is_filtered,
                       Depth depth) override;
  ExprId CountedString(const CodePointDfaPtr& decoded, const CountRange& length, bool is_filtered,
                       Depth depth) override;
  ExprId StringLiteral(std::string_view text, Depth depth) override;
  ExprId WordLiteral(std::string_view word) override;

  ExprId DeclaredKey(std::string_view name, Depth depth) override;
  ExprId AdditionalKey(const std::vector<std::string_view>& closed_names, Depth depth) override;
  ExprId ConstrainedKey(const FreeCell& cell, Depth depth) override;

  bool HoldsArguments(Depth depth) const override { return depth == kArguments; }
  ExprId FreeValue(Depth depth) override;
  ExprId FreeObject(const ObjectSpec& spec, Depth depth) override;

 private:
  ExprId Space();
  ExprId Open(std::string_view bracket);
  ExprId Close(std::string_view bracket);
  ExprId Empty(std::string_view open, std::string_view close);
  ExprId Separator(std::string_view text);
  ExprId InQuotes(size_t form, ExprId body);
  /// Strings in either quote, from what may stand between each.
  ExprId Quoted(const std::array<CodePointDfaPtr, 2>& bodies);
  /// Likewise, of so many characters.
  ExprId Counted(const std::array<CodePointDfaPtr, 2>& bodies, const CountRange& length);
  CodePointDfa WithoutExcluded(CodePointDfa body) const;
  /// What may stand between quotes: every spelling of every text, or one for each character.
  enum class AnyBody : uint8_t { kEverySpelling, kOneSpelling };
  static CodePointDfa MakeBody(AnyBody kind, size_t form, const CodePointDfaPtr& texts,
                               const Limits& limits);
  static std::string NameOf(AnyBody kind, size_t form);
  CodePointDfaPtr Body(AnyBody kind, size_t form);
  /// The same as an expression that is made when a parse comes to it, for a call may have no
  /// string; kNoExpr where that could fail, or be large. The same answer for both quotes.
  ExprId LateBody(AnyBody kind, size_t form);
  ExprId Spelled(const CodePointDfa& decoded);
  /// What names of arguments can be.
  CodePointDfaPtr AnyName();
  ExprId Names(const CodePointDfa& names);

  ExprId free_string_ = kNoExpr;
};

}  // namespace xgrammar::json_schema
