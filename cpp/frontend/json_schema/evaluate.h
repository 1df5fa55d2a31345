// Evaluator: whether a JSON value of the schema document satisfies a literal. Used to filter `enum`
// and `const`, whose members must satisfy all siblings.
//
// No part of matching: generated text is never validated, it is right by construction.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "frontend/json_schema/conjunction.h"
#include "frontend/json_schema/reader.h"
#include "frontend/json_schema/string_language.h"

namespace xgrammar::json_schema {

/// Borrows reader and string language; owned by one conversion. Verdicts follow the standard with
/// formats asserted.
class Evaluator {
 public:
  Evaluator(SchemaReader* reader, StringLanguage* strings) : reader_(*reader), strings_(*strings) {}

  /// Raises kUnsupported for keywords that it cannot judge, kLimit past a nesting of schemas and
  /// values.
  bool Satisfies(const Literal& literal, JsonId value) { return SatisfiesAt(literal, value, 0); }
  /// A text that is equal for equal JSON values and only for them. Valid as long as the evaluator.
  const std::string& KeyOf(JsonId value);
  /// A number that is equal for equal JSON values and only for them, at least 0.
  int32_t KeyNumber(JsonId value);
  /// The number of a string that need not be in the document.
  int32_t KeyNumberOfText(std::string_view text);
  static InstanceType TypeOf(const JsonDocument& document, JsonId value);

 private:
  static void AppendStringKey(std::string_view text, std::string* out);
  int32_t NumberOfKey(std::string key);
  bool SatisfiesAt(const Literal& literal, JsonId value, int depth);
  bool IsValid(JsonId schema, JsonId value, int depth);
  bool Judge(JsonId schema, JsonId value, int depth);
  bool TypeAndValuesHold(const Schema& schema, JsonId value);
  bool NumberHolds(const Schema& schema, JsonId value) const;
  bool StringHolds(const Schema& schema, std::string_view text);
  bool ArrayHolds(const Schema& schema, JsonId value, int depth);
  bool ObjectHolds(const Schema& schema, JsonId value, int depth);
  bool MemberHolds(const Schema& schema, std::string_view name, JsonId value, int depth);
  bool CoversMember(const Schema& schema, std::string_view name);
  void MarkOwn(const Schema& schema, JsonId value, int depth, std::vector<bool>* marks);
  void MarkEvaluated(JsonId id, JsonId value, int depth, bool is_inner, std::vector<bool>* marks);
  bool UnevaluatedHolds(const Schema& schema, JsonId value, int depth);
  bool StepHolds(const Schema& schema, const Step& step, JsonId value, int depth);
  bool NameIsValid(JsonId schema, std::string_view name, int depth);
  bool JudgeName(const Schema& schema, std::string_view name, int depth);
  void AppendKey(JsonId value, int depth, std::string* out) const;
  void CheckDepth(int depth) const;

  // The members of `anyOf` or `oneOf`: those that list values by the numbers of these, all others.
  struct MembersByValue {
    std::unordered_map<int32_t, std::vector<JsonId>> by_number;
    std::vector<JsonId> others;
    std::span<const JsonId> Of(int32_t number) const {
      const auto found = by_number.find(number);
      return found == by_number.end() ? std::span<const JsonId>() : found->second;
    }
  };
  const MembersByValue& ByValue(const Step& step);

  SchemaReader& reader_;
  StringLanguage& strings_;
  std::unordered_map<uint64_t, bool> verdicts_;          ///< Of schema (high half) and value.
  std::unordered_map<std::string, bool> name_verdicts_;  ///< Of schema and name of a member.
  std::unordered_map<JsonId, std::string> keys_;
  std::unordered_map<std::string, int32_t> key_numbers_;
  std::vector<int32_t> numbers_;  ///< By value; -1 if not asked for yet.
  std::unordered_map<JsonId, std::unordered_set<int32_t>> enum_keys_;  ///< Numbers of values.
  std::unordered_map<const Step*, MembersByValue> members_by_value_;
};

/// Whether `value` is an integral multiple of `divisor` > 0.
bool IsMultipleOf(const Decimal& value, const Decimal& divisor);

}  // namespace xgrammar::json_schema
