// FieldReader: the fields of one format object, with the types and ranges that they must have.
//
// Each function reads one kind of field and raises kStructuralTag, in the words that name the kind
// of format, when the field is missing or not of that kind. Unknown fields are never looked at.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/structural_tag/schema.h"
#include "json/value.h"

namespace xgrammar::structural_tag {

class FieldReader {
 public:
  /// `object` is an object of the document, which must outlive this; `format_name` begins messages.
  FieldReader(const JsonDocument& document, JsonId object, std::string_view format_name)
      : document_(document), object_(object), format_name_(format_name) {}

  /// The value of a field, or kNoJson.
  JsonId Find(std::string_view field) const { return document_.Find(object_, field); }
  /// Raises kStructuralTag at this format: the name of the format, then `message`.
  [[noreturn]] void Fail(const std::string& message) const;

  /// A string, by `message` if it is missing or something else.
  std::string String(std::string_view field, const char* message) const;
  std::string NonEmptyString(std::string_view field) const;
  /// True or false; the default if the field is missing.
  bool Bool(std::string_view field, bool default_value) const;
  /// Text that must not occur: an array of non-empty strings, missing or not.
  std::vector<std::string> Excludes(const char* not_array, const char* not_strings) const;
  /// A required array of non-empty strings with at least one.
  std::vector<std::string> NonEmptyStrings(std::string_view field) const;
  /// A required array with at least one item.
  std::span<const JsonId> NonEmptyArray(std::string_view field) const;
  /// A budget: null or missing, or 0 to kMaxBound.
  int64_t Budget(std::string_view field) const;
  /// A required whole number of any size, saturated at the ends of int64_t.
  int64_t Integer(std::string_view field) const;

  /// A token by id or by text; the field must be there.
  TokenName Token(std::string_view field) const;
  /// An array of tokens.
  std::vector<TokenName> Tokens(std::string_view field, bool required) const;
  /// The token that one item of a list of tokens names.
  TokenName TokenItem(JsonId item, std::string_view field) const;

 private:
  std::span<const JsonId> RequiredArray(std::string_view field) const;

  const JsonDocument& document_;
  const JsonId object_;
  const std::string_view format_name_;
};

/// A number that is whole, however it is written (2, 2.0, 2e0), saturated at the ends of int64_t;
/// nothing for other values.
std::optional<int64_t> WholeNumber(const JsonDocument& document, JsonId id);

}  // namespace xgrammar::structural_tag
