// FieldReader: one function for each kind of field, such as text, flags, budgets, tokens and lists
// of them.
//
// Numbers are read exactly, as decimals, so that 1e2 is a whole number and 1.5 is an error. Whether
// a token or a schema makes sense is not judged here: that needs a vocabulary or the other front
// end.
#include "frontend/structural_tag/field_reader.h"

#include <limits>

#include "frontend/structural_tag/tag_error.h"
#include "json/decimal.h"

namespace xgrammar::structural_tag {

std::optional<int64_t> WholeNumber(const JsonDocument& document, JsonId id) {
  if (id == kNoJson || !document.IsNumber(id)) return std::nullopt;
  const Decimal value = Decimal::FromJsonNumber(document.text(id));
  if (!value.IsInteger()) return std::nullopt;
  return value.ToInt64().value_or(value.negative() ? std::numeric_limits<int64_t>::min()
                                                   : std::numeric_limits<int64_t>::max());
}

void FieldReader::Fail(const std::string& message) const {
  throw TagError(document_, object_, std::string(format_name_) + " " + message);
}

std::string FieldReader::String(std::string_view field, const char* message) const {
  const JsonId id = Find(field);
  if (id == kNoJson || !document_.IsString(id)) Fail(message);
  return std::string(document_.text(id));
}

std::string FieldReader::NonEmptyString(std::string_view field) const {
  const JsonId id = Find(field);
  if (id == kNoJson || !document_.IsString(id) || document_.text(id).empty()) {
    Fail("format must have a " + std::string(field) + " field with a non-empty string");
  }
  return std::string(document_.text(id));
}

bool FieldReader::Bool(std::string_view field, bool default_value) const {
  const JsonId id = Find(field);
  if (id == kNoJson) return default_value;
  if (!document_.IsBool(id)) Fail("format: " + std::string(field) + " must be a boolean");
  return document_.kind(id) == JsonKind::kTrue;
}

std::vector<std::string> FieldReader::Excludes(const char* not_array,
                                               const char* not_strings) const {
  std::vector<std::string> out;
  const JsonId id = Find("excludes");
  if (id == kNoJson) return out;
  if (!document_.IsArray(id)) Fail(not_array);
  for (JsonId item : document_.items(id)) {
    if (!document_.IsString(item) || document_.text(item).empty()) Fail(not_strings);
    out.emplace_back(document_.text(item));
  }
  return out;
}

std::span<const JsonId> FieldReader::RequiredArray(std::string_view field) const {
  const JsonId id = Find(field);
  if (id == kNoJson || !document_.IsArray(id)) {
    Fail("format must have a " + std::string(field) + " field with an array");
  }
  return document_.items(id);
}

std::span<const JsonId> FieldReader::NonEmptyArray(std::string_view field) const {
  const auto items = RequiredArray(field);
  if (items.empty()) Fail("format's " + std::string(field) + " must be non-empty");
  return items;
}

std::vector<std::string> FieldReader::NonEmptyStrings(std::string_view field) const {
  std::vector<std::string> out;
  for (JsonId item : NonEmptyArray(field)) {
    if (!document_.IsString(item) || document_.text(item).empty()) {
      Fail("format's " + std::string(field) + " must be non-empty strings");
    }
    out.emplace_back(document_.text(item));
  }
  return out;
}

int64_t FieldReader::Budget(std::string_view field) const {
  const JsonId id = Find(field);
  if (id == kNoJson || document_.kind(id) == JsonKind::kNull) return kNoBound;
  const std::optional<int64_t> value = WholeNumber(document_, id);
  if (!value || *value < 0 || *value > kMaxBound) {
    Fail("format: " + std::string(field) + " must be a non-negative 32-bit integer or null");
  }
  return *value;
}

int64_t FieldReader::Integer(std::string_view field) const {
  const JsonId id = Find(field);
  if (id == kNoJson || !document_.IsNumber(id)) {
    Fail("format must have a " + std::string(field) + " field with an integer");
  }
  const std::optional<int64_t> value = WholeNumber(document_, id);
  if (!value) Fail("format: " + std::string(field) + " must be a whole number");
  return *value;
}

TokenName FieldReader::Token(std::string_view field) const {
  const JsonId id = Find(field);
  if (id == kNoJson) Fail("must have a token field with an integer or string");
  if (document_.IsString(id)) {
    if (document_.text(id).empty()) Fail("token: Token string must be non-empty");
    return std::string(document_.text(id));
  }
  if (!document_.IsNumber(id)) Fail("token must be an integer or string");
  const std::optional<int64_t> value = WholeNumber(document_, id);
  if (!value || *value > kMaxBound) Fail("token: Token ID must be an integer of 31 bits");
  if (*value < 0) Fail("token: Token ID must be non-negative");
  return *value;
}

std::vector<TokenName> FieldReader::Tokens(std::string_view field, bool required) const {
  std::vector<TokenName> out;
  const JsonId id = Find(field);
  if (id == kNoJson && !required) return out;
  if (id == kNoJson || !document_.IsArray(id)) {
    Fail("format: " + std::string(field) + " must be an array of token ids and token strings");
  }
  for (JsonId item : document_.items(id)) out.push_back(TokenItem(item, field));
  return out;
}

TokenName FieldReader::TokenItem(JsonId item, std::string_view field) const {
  const std::string name = "format: " + std::string(field);
  if (document_.IsString(item)) {
    if (document_.text(item).empty()) Fail(name + " must be non-empty strings or token ids");
    return std::string(document_.text(item));
  }
  if (!document_.IsNumber(item)) Fail(name + " must be integers or strings");
  const std::optional<int64_t> value = WholeNumber(document_, item);
  if (!value) Fail(name + " must be integers, not floats");
  if (*value < 0) Fail(name + " must be non-negative integers or strings");
  if (*value > kMaxBound) Fail(name + " must be integers of 31 bits");
  return *value;
}

}  // namespace xgrammar::structural_tag
