// Validation of one value by the keywords of the standard, with bounded recursion.
//
// Numbers are compared as exact decimals, strings by the automata of their patterns and formats.
// Verdicts on a schema and a value are kept, because merging asks the same for every combination of
// conjuncts. `unevaluated*` is in evaluate_annotations.cc.
#include "frontend/json_schema/evaluate.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "frontend/json_schema/regex_format.h"
#include "frontend/json_schema/string_formats.h"
#include "support/utf8.h"
#include "support/work_meter.h"

namespace xgrammar::json_schema {

namespace {

// Values in `enum` and `const` are small; the bound keeps native recursion within 100 KB or so of
// stack.
constexpr int kMaxEvaluationDepth = 250;

}  // namespace

bool IsMultipleOf(const Decimal& value, const Decimal& divisor) {
  if (value.IsZero()) return true;
  // Both as integers over a common power of ten; long division of the digit string by the divisor's
  // digits.
  const int64_t shift = value.exponent() - divisor.exponent();
  std::string digits = value.digits();
  std::string divisor_digits = divisor.digits();
  if (shift < 0) {
    // value * 10^shift has -shift more fraction digits than the divisor: divisible only if it ends
    // in zeros, which the normal form excludes, unless the divisor is scaled up instead.
    if (-shift > 4000) return false;
    divisor_digits.append(static_cast<size_t>(-shift), '0');
  } else {
    if (shift > 4000)
      return true;  // Such a value is a multiple of every divisor of moderate size; see the docs.
    digits.append(static_cast<size_t>(shift), '0');
  }
  // Remainder by repeated subtraction per digit (schoolbook division).
  std::string remainder = "0";
  const auto less = [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  };
  for (const char digit : digits) {
    if (remainder == "0") remainder.clear();
    remainder.push_back(digit);
    while (!less(remainder, divisor_digits)) {
      int borrow = 0;
      for (size_t i = 0; i < remainder.size(); ++i) {
        const size_t at = remainder.size() - 1 - i;
        int d = remainder[at] - '0' - borrow;
        if (i < divisor_digits.size()) d -= divisor_digits[divisor_digits.size() - 1 - i] - '0';
        borrow = d < 0 ? 1 : 0;
        remainder[at] = static_cast<char>('0' + (d < 0 ? d + 10 : d));
      }
      const size_t first = remainder.find_first_not_of('0');
      remainder = first == std::string::npos ? "0" : remainder.substr(first);
    }
  }
  return remainder == "0";
}

InstanceType Evaluator::TypeOf(const JsonDocument& document, JsonId value) {
  switch (document.kind(value)) {
    case JsonKind::kNull:
      return InstanceType::kNull;
    case JsonKind::kTrue:
    case JsonKind::kFalse:
      return InstanceType::kBoolean;
    case JsonKind::kNumber:
      return InstanceType::kNumber;
    case JsonKind::kString:
      return InstanceType::kString;
    case JsonKind::kArray:
      return InstanceType::kArray;
    case JsonKind::kObject:
      return InstanceType::kObject;
  }
  return InstanceType::kNull;
}

void Evaluator::CheckDepth(int depth) const {
  if (depth > kMaxEvaluationDepth) {
    ThrowFixedLimitError("the nesting of values of 'enum' or 'const' and their schemas", depth,
                         kMaxEvaluationDepth);
  }
}

const std::string& Evaluator::KeyOf(JsonId value) {
  const auto [place, is_new] = keys_.try_emplace(value);
  if (is_new) AppendKey(value, 0, &place->second);
  return place->second;
}

int32_t Evaluator::KeyNumber(JsonId value) {
  if (numbers_.empty()) numbers_.resize(static_cast<size_t>(reader_.document().size()), -1);
  int32_t& number = numbers_[static_cast<size_t>(value)];
  if (number < 0) {
    std::string key;
    AppendKey(value, 0, &key);
    number = NumberOfKey(std::move(key));
  }
  return number;
}

int32_t Evaluator::KeyNumberOfText(std::string_view text) {
  std::string key;
  AppendStringKey(text, &key);
  return NumberOfKey(std::move(key));
}

int32_t Evaluator::NumberOfKey(std::string key) {
  const auto next = static_cast<int32_t>(key_numbers_.size());
  return key_numbers_.try_emplace(std::move(key), next).first->second;
}

void Evaluator::AppendStringKey(std::string_view text, std::string* out) {
  out->push_back('s');
  out->append(std::to_string(text.size())).push_back(':');
  out->append(text);
}

void Evaluator::AppendKey(JsonId value, int depth, std::string* out) const {
  CheckDepth(depth);
  const JsonDocument& document = reader_.document();
  switch (document.kind(value)) {
    case JsonKind::kNull:
      out->push_back('0');
      return;
    case JsonKind::kTrue:
      out->push_back('t');
      return;
    case JsonKind::kFalse:
      out->push_back('f');
      return;
    case JsonKind::kNumber:
      out->push_back('n');
      out->append(Decimal::FromJsonNumber(document.text(value)).CanonicalKey()).push_back(';');
      return;
    case JsonKind::kString:
      AppendStringKey(document.text(value), out);
      return;
    case JsonKind::kArray:
      out->push_back('[');
      for (const JsonId item : document.items(value)) AppendKey(item, depth + 1, out);
      out->push_back(']');
      return;
    case JsonKind::kObject: {
      std::map<std::string_view, JsonId> sorted;
      for (const auto& member : document.members(value))
        sorted[document.key(member)] = member.value;
      out->push_back('{');
      for (const auto& [key, child] : sorted) {
        out->append(std::to_string(key.size()) + ":");
        out->append(key);
        AppendKey(child, depth + 1, out);
      }
      out->push_back('}');
      return;
    }
  }
}

bool Evaluator::SatisfiesAt(const Literal& literal, JsonId value, int depth) {
  switch (literal.kind) {
    case LiteralKind::kSchema:
    case LiteralKind::kPlainSchema:
    case LiteralKind::kUnevaluated:
      return IsValid(literal.id, value, depth);
    case LiteralKind::kNotSchema:
      return !IsValid(literal.id, value, depth);
    case LiteralKind::kConst:
      return KeyNumber(literal.id) == KeyNumber(value);
    case LiteralKind::kNotConst:
      return KeyNumber(literal.id) != KeyNumber(value);
  }
  return false;
}

bool Evaluator::IsValid(JsonId id, JsonId value, int depth) {
  CheckDepth(depth);
  // Lists of conditions ask whether each of many values is a certain one.
  const JsonId only = reader_.Read(id).const_value;
  if (only != kNoJson && KeyNumber(only) != KeyNumber(value)) return false;
  // Merging asks the same question for every combination of conjuncts.
  const uint64_t key = (uint64_t{static_cast<uint32_t>(id)} << 32) | static_cast<uint32_t>(value);
  const auto known = verdicts_.find(key);
  if (known != verdicts_.end()) return known->second;
  const bool is_valid = Judge(id, value, depth);
  verdicts_.emplace(key, is_valid);
  return is_valid;
}

bool Evaluator::Judge(JsonId id, JsonId value, int depth) {
  const Schema& schema = reader_.Read(id);
  if (schema.is_boolean) return schema.boolean_value;
  if (!TypeAndValuesHold(schema, value)) return false;
  const JsonDocument& document = reader_.document();
  switch (TypeOf(document, value)) {
    case InstanceType::kNumber:
      if (!NumberHolds(schema, value)) return false;
      break;
    case InstanceType::kString:
      if (!StringHolds(schema, document.text(value))) return false;
      break;
    case InstanceType::kArray:
      if (!ArrayHolds(schema, value, depth)) return false;
      break;
    case InstanceType::kObject:
      if (!ObjectHolds(schema, value, depth)) return false;
      break;
    default:
      break;
  }
  return std::all_of(schema.steps.begin(), schema.steps.end(),
                     [&](const Step& step) { return StepHolds(schema, step, value, depth); }) &&
         UnevaluatedHolds(schema, value, depth);
}

bool Evaluator::TypeAndValuesHold(const Schema& schema, JsonId value) {
  CountWork("filtering values", 5);
  const JsonDocument& document = reader_.document();
  const InstanceType type = TypeOf(document, value);
  TypeSet bits = BitsOf(type);
  if (type == InstanceType::kNumber && !Decimal::FromJsonNumber(document.text(value)).IsInteger())
    bits = kNumberBit;
  if ((schema.types & bits) == 0) return false;
  if (schema.const_value != kNoJson && KeyNumber(schema.const_value) != KeyNumber(value))
    return false;
  if (schema.enum_values == kNoJson) return true;
  const auto [place, is_new] = enum_keys_.try_emplace(schema.enum_values);
  if (is_new) {
    for (const JsonId member : document.items(schema.enum_values)) {
      CountWork("filtering values", 5);
      place->second.insert(KeyNumber(member));
    }
  }
  return place->second.contains(KeyNumber(value));
}

bool Evaluator::NumberHolds(const Schema& schema, JsonId value) const {
  if (!schema.minimum && !schema.maximum && !schema.multiple_of) return true;
  const Decimal number = Decimal::FromJsonNumber(reader_.document().text(value));
  if (schema.minimum) {
    const int order = number.Compare(schema.minimum->value);
    if (order < 0 || (order == 0 && schema.minimum->exclusive)) return false;
  }
  if (schema.maximum) {
    const int order = number.Compare(schema.maximum->value);
    if (order > 0 || (order == 0 && schema.maximum->exclusive)) return false;
  }
  return !schema.multiple_of || IsMultipleOf(number.Absolute(), *schema.multiple_of);
}

bool Evaluator::StringHolds(const Schema& schema, std::string_view text) {
  if (!schema.length.IsTrivial()) {
    const int64_t length = CountCodePoints(text);
    if (length < schema.length.min || (schema.length.HasMax() && length > schema.length.max))
      return false;
  }
  const JsonDocument& document = reader_.document();
  if (schema.pattern != kNoJson && !strings_.IsDropped(schema) &&
      !strings_.PatternWithoutLength(document.text(schema.pattern), schema.id)->Accepts(text)) {
    return false;
  }
  if (schema.format == kNoJson) return true;
  const std::string_view name = document.text(schema.format);
  if (name == "regex") return IsRegularExpression(text);
  const int64_t max_length = MaxLengthOfFormat(name);
  if (max_length != kNoMaximum && CountCodePoints(text) > max_length) return false;
  if (strings_.is_lenient() && FormatKindOf(name) == FormatKind::kUnsupported) return true;
  const CodePointDfaPtr format = strings_.Format(name, schema.id);
  return !format || format->Accepts(text);
}

bool Evaluator::ArrayHolds(const Schema& schema, JsonId value, int depth) {
  const auto items = reader_.document().items(value);
  const auto size = static_cast<int64_t>(items.size());
  if (size < schema.item_count.min || (schema.item_count.HasMax() && size > schema.item_count.max))
    return false;
  for (size_t i = 0; i < items.size(); ++i) {
    const JsonId item_schema =
        i < schema.prefix_items.size() ? schema.prefix_items[i] : schema.items;
    if (item_schema != kNoJson && !IsValid(item_schema, items[i], depth + 1)) return false;
  }
  if (schema.unique_items) {
    std::unordered_set<int32_t> seen;
    for (const JsonId item : items) {
      if (!seen.insert(KeyNumber(item)).second) return false;
    }
  }
  if (schema.contains != kNoJson) {
    const auto matches = std::count_if(items.begin(), items.end(), [&](JsonId item) {
      return IsValid(schema.contains, item, depth + 1);
    });
    if (matches < schema.contains_count.min) return false;
    if (schema.contains_count.HasMax() && matches > schema.contains_count.max) return false;
  }
  return true;
}

bool Evaluator::MemberHolds(const Schema& schema, std::string_view name, JsonId value, int depth) {
  bool matched = false;
  for (const NamedSchema& property : schema.properties) {
    if (property.name != name) continue;
    matched = true;
    if (!IsValid(property.schema, value, depth + 1)) return false;
  }
  for (const NamedSchema& pattern : schema.pattern_properties) {
    if (!strings_.Pattern(pattern.name, schema.id, "patternProperties")->Accepts(name)) continue;
    matched = true;
    if (!IsValid(pattern.schema, value, depth + 1)) return false;
  }
  return matched || schema.additional_properties == kNoJson ||
         IsValid(schema.additional_properties, value, depth + 1);
}

bool Evaluator::NameIsValid(JsonId id, std::string_view name, int depth) {
  CheckDepth(depth);
  const Schema& schema = reader_.Read(id);
  if (schema.is_boolean) return schema.boolean_value;
  if (schema.steps.empty()) return JudgeName(schema, name, depth);
  // Many ways may lead to one schema.
  std::string key = std::to_string(id);
  key.append(":").append(name);
  const auto known = name_verdicts_.find(key);
  if (known != name_verdicts_.end()) return known->second;
  const bool is_valid = JudgeName(schema, name, depth);
  name_verdicts_.emplace(std::move(key), is_valid);
  return is_valid;
}

bool Evaluator::JudgeName(const Schema& schema, std::string_view name, int depth) {
  const JsonDocument& document = reader_.document();
  const auto equals = [&](JsonId value) {
    return document.IsString(value) && document.text(value) == name;
  };
  if ((schema.types & kStringBit) == 0) return false;
  if (schema.const_value != kNoJson && !equals(schema.const_value)) return false;
  if (schema.enum_values != kNoJson) {
    const auto values = document.items(schema.enum_values);
    if (std::none_of(values.begin(), values.end(), equals)) return false;
  }
  if (!StringHolds(schema, name)) return false;
  for (const Step& step : schema.steps) {
    const auto valid = [&](JsonId member) { return NameIsValid(member, name, depth + 1); };
    bool holds = true;
    switch (step.kind) {
      case Step::Kind::kRef:
      case Step::Kind::kDynamicRef:
      case Step::Kind::kAllOfMember:
        holds = valid(step.value);
        break;
      case Step::Kind::kAnyOf: {
        const std::vector<JsonId>& members = step.members;
        holds = std::any_of(members.begin(), members.end(), valid);
        break;
      }
      case Step::Kind::kOneOf: {
        const std::vector<JsonId>& members = step.members;
        holds = std::count_if(members.begin(), members.end(), valid) == 1;
        break;
      }
      case Step::Kind::kNot:
        holds = !valid(step.value);
        break;
      case Step::Kind::kIf: {
        const JsonId next = valid(step.value) ? schema.then_schema : schema.else_schema;
        holds = next == kNoJson || valid(next);
        break;
      }
      default:
        break;
    }
    if (!holds) return false;
  }
  return true;
}

bool Evaluator::ObjectHolds(const Schema& schema, JsonId value, int depth) {
  const JsonDocument& document = reader_.document();
  const auto members = document.members(value);
  const auto size = static_cast<int64_t>(members.size());
  if (size < schema.property_count.min) return false;
  if (schema.property_count.HasMax() && size > schema.property_count.max) return false;
  for (const std::string_view name : schema.required) {
    if (document.Find(value, name) == kNoJson) return false;
  }
  for (const auto& member : members) {
    const std::string_view name = document.key(member);
    if (!MemberHolds(schema, name, member.value, depth)) return false;
    if (schema.property_names != kNoJson && !NameIsValid(schema.property_names, name, depth + 1))
      return false;
  }
  return true;
}

// Lists of alternatives with a value or a few each are asked about every one of these values.
const Evaluator::MembersByValue& Evaluator::ByValue(const Step& step) {
  const auto known = members_by_value_.find(&step);
  if (known != members_by_value_.end()) return known->second;
  MembersByValue found;
  for (const JsonId member : step.members) {
    const Schema& schema = reader_.Read(member);
    const auto add = [&](JsonId value) {
      CountWork("filtering values", 5);
      std::vector<JsonId>& same = found.by_number[KeyNumber(value)];
      if (same.empty() || same.back() != member) same.push_back(member);
    };
    if (schema.const_value != kNoJson) {
      add(schema.const_value);
    } else if (schema.enum_values != kNoJson) {
      for (const JsonId value : reader_.document().items(schema.enum_values)) add(value);
    } else {
      found.others.push_back(member);
    }
  }
  return members_by_value_.emplace(&step, std::move(found)).first->second;
}

bool Evaluator::StepHolds(const Schema& schema, const Step& step, JsonId value, int depth) {
  const JsonDocument& document = reader_.document();
  const auto valid = [&](JsonId member) { return IsValid(member, value, depth + 1); };
  switch (step.kind) {
    case Step::Kind::kRef:
    case Step::Kind::kDynamicRef:
    case Step::Kind::kAllOfMember:
      return valid(step.value);
    case Step::Kind::kAnyOf: {
      const MembersByValue& members = ByValue(step);
      const std::span<const JsonId> same = members.Of(KeyNumber(value));
      return std::ranges::any_of(same, valid) || std::ranges::any_of(members.others, valid);
    }
    case Step::Kind::kOneOf: {
      const MembersByValue& members = ByValue(step);
      const std::span<const JsonId> same = members.Of(KeyNumber(value));
      return std::ranges::count_if(same, valid) + std::ranges::count_if(members.others, valid) == 1;
    }
    case Step::Kind::kNot:
      return !valid(step.value);
    case Step::Kind::kIf: {
      const JsonId next = valid(step.value) ? schema.then_schema : schema.else_schema;
      return next == kNoJson || valid(next);
    }
    case Step::Kind::kDependentRequired: {
      if (!document.IsObject(value) || document.Find(value, step.name) == kNoJson) return true;
      const auto names = document.items(step.value);
      return std::all_of(names.begin(), names.end(), [&](JsonId name) {
        return document.Find(value, document.text(name)) != kNoJson;
      });
    }
    case Step::Kind::kDependentSchema:
      return !document.IsObject(value) || document.Find(value, step.name) == kNoJson ||
             valid(step.value);
    case Step::Kind::kObjectGroup:
      return true;  // ObjectHolds looks at the members.
  }
  return true;
}

}  // namespace xgrammar::json_schema
