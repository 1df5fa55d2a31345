// RawStringStyle: base of the styles that write strings, and keys, as raw text up to a marker.
//
// Raw text has no escapes, so the marker, and every excluded text, is kept out by intersecting
// whatever the schema asks for with the texts that do not contain it. Which places are raw, and
// what stands around the text, is said by the subclasses.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/json_schema/converter.h"

namespace xgrammar::json_schema {

struct RawStringFormat {
  std::string_view value_end;       ///< Marker that a string cannot contain.
  std::string_view key_end;         ///< Likewise a key that the schema does not declare.
  bool filters_patterns = false;    ///< Excluded texts act on strings with `pattern`, too.
  bool has_identifier_keys = true;  ///< Additional keys: [A-Za-z_][A-Za-z0-9_]*; else any text.
};

/// As JSONSchemaConverter.
class RawStringStyle : public JSONSchemaConverter {
 protected:
  RawStringStyle(Merger* merger, const JsonSchemaOptions& options, const Limits& limits,
                 const RawStringFormat& format);

  virtual bool HasRawString(Depth depth) const = 0;
  /// Of the objects at a place.
  virtual bool HasRawKeys(Depth depth) const = 0;
  virtual std::string SpellKey(std::string_view name) const { return std::string(name); }
  virtual CodePointDfaPtr SpellKeys(const CodePointDfaPtr& names) const { return names; }
  /// A key with what stands around it.
  virtual ExprId EnclosedKey(ExprId key) { return key; }

  /// A raw string with the marker that ends it, and with white space around it. One rule, so that
  /// it becomes one automaton, which knows at each character whether the string is over; unless a
  /// token can stand for the marker.
  ExprId ClosedString(ExprId text, bool is_padded, std::string_view marker);

  ExprId DeclaredKey(std::string_view name, Depth depth) override;
  ExprId AdditionalKey(const std::vector<std::string_view>& closed_names, Depth depth) override;
  ExprId ConstrainedKey(const FreeCell& cell, Depth depth) override;
  ExprId FreeString(Depth depth) override;
  ExprId ConstrainedString(const CodePointDfaPtr& decoded, bool is_filtered, Depth depth) override;
  ExprId PatternString(std::string_view pattern, Depth depth) override {
    return HasRawString(depth) ? kNoExpr : JSONSchemaConverter::PatternString(pattern, depth);
  }
  ExprId FormatString(std::string_view, bool, Depth) override { return kNoExpr; }
  ExprId BoundedString(const CodePointSet& characters, const CountRange& length, bool is_filtered,
                       Depth depth) override;
  ExprId CountedString(const CodePointDfaPtr& decoded, const CountRange& length, bool is_filtered,
                       Depth depth) override;
  ExprId StringLiteral(std::string_view text, Depth depth) override;

 private:
  const CodePointDfa& Texts(bool is_filtered) const;
  ExprId KeysOf(const CodePointDfaPtr& names);

  const RawStringFormat format_;
  std::map<std::pair<ExprId, bool>, ExprId> closed_strings_;
  CodePointDfaPtr unmarked_;   ///< Texts without the end of values.
  CodePointDfaPtr texts_;      ///< And without excluded texts.
  CodePointDfaPtr key_texts_;  ///< Texts without the end of keys and without excluded texts.
  CodePointDfaPtr new_names_;  ///< What additional keys may be.
};

}  // namespace xgrammar::json_schema
