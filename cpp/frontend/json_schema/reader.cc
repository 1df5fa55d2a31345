// Reading one schema object keyword by keyword (json-schema.md parts 1.7, 1.8 and 2).
//
// Keywords are grouped by the type they act on; older spellings end in the fields of the newest
// draft. What keywords mean together is not decided here.
#include "frontend/json_schema/reader.h"

#include <algorithm>

#include "frontend/regex/regex.h"
#include "support/work_meter.h"

namespace xgrammar::json_schema {

namespace {

void AppendPointerToken(std::string_view token, std::string* out) {
  out->push_back('/');
  for (const char c : token) {
    if (c == '~') {
      out->append("~0");
    } else if (c == '/') {
      out->append("~1");
    } else {
      out->push_back(c);
    }
  }
}

TypeSet TypeBit(std::string_view name) {
  if (name == "object") return kObjectBit;
  if (name == "string") return kStringBit;
  if (name == "array") return kArrayBit;
  if (name == "number") return kNumberBit;
  if (name == "integer") return kIntegerBit;
  if (name == "boolean") return kBooleanBit;
  if (name == "null") return kNullBit;
  return 0;
}

}  // namespace

SchemaReader::SchemaReader(const JsonDocument& document, const Limits& limits)
    : document_(document),
      limits_(limits),
      references_(document),
      scopes_(document, &references_),
      schemas_(static_cast<size_t>(document.size())) {}

std::string SchemaReader::PointerTo(JsonId wanted) const {
  // The nodes were numbered when they were opened, so the last child that starts at or before
  // `wanted` holds it.
  std::string pointer;
  JsonId current = document_.root();
  wanted = scopes_.Original(wanted);
  while (current != wanted) {
    JsonId next = kNoJson;
    std::string token;
    if (document_.IsObject(current)) {
      constexpr int64_t kMembersOfUnit = 64;
      const auto num_members = static_cast<int64_t>(document_.members(current).size());
      CountWork("naming a place of the schema", num_members / kMembersOfUnit);
      for (const Member& member : document_.members(current)) {
        if (member.value <= wanted && member.value > next) {
          next = member.value;
          token = document_.key(member);
        }
      }
    } else if (document_.IsArray(current)) {
      const auto items = document_.items(current);
      const auto after = std::upper_bound(items.begin(), items.end(), wanted);
      if (after == items.begin()) break;
      next = *(after - 1);
      token = std::to_string(after - 1 - items.begin());
    }
    if (next == kNoJson) break;
    AppendPointerToken(token, &pointer);
    current = next;
  }
  return pointer;
}

Error SchemaReader::MakeError(ErrorKind kind, JsonId schema, std::string_view keyword,
                              const std::string& message) const {
  Error error(kind, message);
  error.AtPointer(PointerTo(schema));
  if (!keyword.empty()) error.Feature(std::string(keyword));
  return error;
}

void SchemaReader::FailType(JsonId schema, std::string_view keyword, const char* expected) const {
  throw MakeError(ErrorKind::kJsonSchema, schema, keyword,
                  "Keyword '" + std::string(keyword) + "' must be " + expected);
}

bool SchemaReader::IsSchema(JsonId value) const {
  return document_.IsObject(value) || document_.IsBool(value);
}

void SchemaReader::FailMember(JsonId value, std::string_view keyword) const {
  throw MakeError(
      ErrorKind::kJsonSchema, value, keyword,
      "A value in '" + std::string(keyword) + "' must be a schema (an object or a boolean)");
}

JsonId SchemaReader::ExpectSchema(JsonId schema, std::string_view keyword, JsonId value) const {
  if (!IsSchema(value)) FailType(schema, keyword, "a schema (an object or a boolean)");
  return value;
}

void SchemaReader::ExpectSchemaArray(JsonId schema, std::string_view keyword, JsonId value) const {
  if (!document_.IsArray(value)) FailType(schema, keyword, "an array of schemas");
  for (const JsonId item : document_.items(value)) {
    if (!IsSchema(item)) FailMember(item, keyword);
  }
}

std::vector<NamedSchema> SchemaReader::ExpectSchemaMap(JsonId schema, std::string_view keyword,
                                                       JsonId value) const {
  if (!document_.IsObject(value)) FailType(schema, keyword, "an object whose values are schemas");
  std::vector<NamedSchema> out;
  out.reserve(document_.members(value).size());
  for (const Member& member : document_.members(value)) {
    if (!IsSchema(member.value)) FailMember(member.value, keyword);
    out.push_back({document_.key(member), member.value});
  }
  return out;
}

std::vector<std::string_view> SchemaReader::ExpectNames(JsonId schema, std::string_view keyword,
                                                        JsonId value) const {
  if (!document_.IsArray(value)) FailType(schema, keyword, "an array of strings");
  std::vector<std::string_view> out;
  for (const JsonId item : document_.items(value)) {
    if (!document_.IsString(item)) FailType(schema, keyword, "an array of strings");
    out.push_back(document_.text(item));
  }
  return out;
}

int64_t SchemaReader::ExpectCount(JsonId schema, std::string_view keyword, JsonId value,
                                  bool is_minimum) const {
  if (!document_.IsNumber(value)) FailType(schema, keyword, "a non-negative integer");
  const Decimal number = Decimal::FromJsonNumber(document_.text(value));
  if (number.negative() || !number.IsInteger()) FailType(schema, keyword, "a non-negative integer");
  const std::optional<int64_t> count = number.ToInt64();
  if (count && *count <= limits_.max_repeat) return *count;
  // No text is longer than the default allows; a lower limit is a wish to refuse.
  const bool is_beyond_texts = !count || *count > Limits().max_repeat;
  if (!is_minimum && is_beyond_texts) return kNoMaximum;
  Error error =
      MakeError(ErrorKind::kLimit, schema, keyword,
                "Keyword '" + std::string(keyword) + "' is larger than the limit max_repeat");
  error.Limit("max_repeat", count.value_or(INT64_MAX), limits_.max_repeat);
  error.Hint("raise max_repeat with xgrammar.Limits or send a smaller input");
  throw error;
}

Decimal SchemaReader::ExpectNumber(JsonId schema, std::string_view keyword, JsonId value) const {
  if (!document_.IsNumber(value)) FailType(schema, keyword, "a number");
  const Decimal number = Decimal::FromJsonNumber(document_.text(value));
  // Far beyond what any consumer of JSON can hold; automata are built digit by digit.
  constexpr int64_t kMaxDigits = 400;
  if (number.PlainSize() > kMaxDigits) {
    Error error =
        MakeError(ErrorKind::kLimit, schema, keyword,
                  "The number of keyword '" + std::string(keyword) + "' has more than 400 digits");
    error.Limit("", number.PlainSize(), kMaxDigits);
    error.Hint("send a smaller input");
    throw error;
  }
  return number;
}

const Schema& SchemaReader::Read(JsonId id) {
  if (static_cast<size_t>(id) < schemas_.size() && schemas_[static_cast<size_t>(id)])
    return *schemas_[static_cast<size_t>(id)];
  Schema* const schema = NewSchema();
  schema->id = scopes_.Original(id);
  if (document_.IsBool(schema->id)) {
    schema->is_boolean = true;
    schema->boolean_value = document_.kind(schema->id) == JsonKind::kTrue;
  } else if (document_.IsObject(schema->id)) {
    ReadObject(schema);
  } else {
    throw MakeError(ErrorKind::kJsonSchema, id, "", "A schema must be an object or a boolean");
  }
  if (scopes_.IsPlaced(id)) scopes_.Place(id, schema);
  if (static_cast<size_t>(id) >= schemas_.size()) schemas_.resize(static_cast<size_t>(id) + 1);
  schemas_[static_cast<size_t>(id)] = schema;
  return *schema;
}

Schema* SchemaReader::NewSchema() {
  constexpr size_t kFirstBlock = 4;
  constexpr size_t kLargestBlock = 64;
  if (blocks_.empty() || blocks_.back().size() == blocks_.back().capacity()) {
    const size_t size =
        blocks_.empty() ? kFirstBlock : std::min(blocks_.back().size() * 2, kLargestBlock);
    blocks_.emplace_back().reserve(size);
  }
  return &blocks_.back().emplace_back();
}

JsonId SchemaReader::FindProperty(const Schema& schema, std::string_view name) {
  constexpr size_t kLinearScan = 12;  // Up to this many names a scan beats a hash table.
  if (schema.properties.size() <= kLinearScan) {
    for (const NamedSchema& property : schema.properties) {
      if (property.name == name) return property.schema;
    }
    return kNoJson;
  }
  auto& index = property_index_[schema.id];
  if (index.empty()) {
    for (const NamedSchema& property : schema.properties)
      index.emplace(property.name, property.schema);
  }
  const auto found = index.find(name);
  return found == index.end() ? kNoJson : found->second;
}

JsonId SchemaReader::SkipReferences(JsonId id) {
  const auto index = static_cast<size_t>(id);
  if (index < skipped_.size() && skipped_[index] != kNoJson) return skipped_[index];
  const JsonId start = id;
  JsonId slow = id;  // Floyd's cycle detection: `slow` follows at half the speed.
  bool move_slow = false;
  while (Read(id).is_plain_reference) {
    id = Read(id).steps[0].value;
    if (move_slow) slow = Read(slow).steps[0].value;
    move_slow = !move_slow;
    if (id == slow) {
      throw MakeError(ErrorKind::kJsonSchema, start, "$ref",
                      "The references form a cycle without content");
    }
  }
  if (index >= skipped_.size()) skipped_.resize(std::max(index + 1, schemas_.size()), kNoJson);
  skipped_[index] = id;
  return id;
}

bool SchemaReader::IsOldDialect(JsonId schema) {
  const std::string_view dialect = references_.Dialect(schema);
  return dialect.find("json-schema.org/draft-0") != std::string_view::npos;
}

bool SchemaReader::ContainsEvaluates(JsonId schema) {
  const std::string_view dialect = references_.Dialect(scopes_.Original(schema));
  return dialect.find("json-schema.org/draft/2019-09") == std::string_view::npos;
}

void SchemaReader::ReadObject(Schema* schema) {
  const JsonId reference = document_.Find(schema->id, "$ref");
  // Up to draft 7 nothing beside `$ref` counts.
  if (reference != kNoJson && IsOldDialect(schema->id)) {
    ReadReference(schema, "$ref", reference);
    schema->is_plain_reference = true;
    return;
  }
  int num_constraints = 0;
  bool has_exclusive = false;
  bool has_items = false;
  for (const Member& member : document_.members(schema->id)) {
    const std::string_view keyword = document_.key(member);
    has_exclusive = has_exclusive || keyword.starts_with("exclusive");
    has_items = has_items || keyword == "items" || keyword == "prefixItems";
    const bool is_for_objects = ReadObjectKeyword(schema, keyword, member.value);
    const bool is_for_arrays = !is_for_objects && ReadArrayKeyword(schema, keyword, member.value);
    schema->has_object_keyword = schema->has_object_keyword || is_for_objects;
    schema->has_array_keyword = schema->has_array_keyword || is_for_arrays;
    const bool known = is_for_objects || is_for_arrays ||
                       ReadTypeKeyword(schema, keyword, member.value) ||
                       ReadStringKeyword(schema, keyword, member.value) ||
                       ReadNumberKeyword(schema, keyword, member.value) ||
                       ReadApplicator(schema, keyword, member.value) ||
                       ReadReference(schema, keyword, member.value);
    if (known) ++num_constraints;
  }
  if (has_exclusive) FinishNumber(schema);
  FinishString(schema);
  if (has_items) FinishArray(schema);
  FinishTypes(schema);
  schema->is_only_types = num_constraints == 1 && schema->types != kAllTypes;
  schema->is_empty = num_constraints == 0;
  schema->is_plain_reference = num_constraints == 1 && schema->steps.size() == 1 &&
                               schema->steps[0].kind == Step::Kind::kRef;
}

bool SchemaReader::ReadTypeKeyword(Schema* schema, std::string_view keyword, JsonId value) {
  if (keyword == "type") {
    schema->types = 0;
    const auto add = [&](JsonId name) {
      if (!document_.IsString(name))
        FailType(schema->id, keyword, "a type name or an array of type names");
      const TypeSet bit = TypeBit(document_.text(name));
      if (bit == 0) {
        throw MakeError(
            ErrorKind::kJsonSchema, schema->id, keyword,
            "Unknown type '" + QuoteForMessage(document_.text(name)) + "' in keyword 'type'");
      }
      schema->types = static_cast<TypeSet>(schema->types | bit);
    };
    if (document_.IsArray(value)) {
      if (document_.items(value).empty()) FailType(schema->id, keyword, "a non-empty array");
      for (const JsonId name : document_.items(value)) add(name);
    } else {
      add(value);
    }
    if (schema->types & kNumberBit)
      schema->types = static_cast<TypeSet>(schema->types | kIntegerBit);
    return true;
  }
  if (keyword == "enum") {
    if (!document_.IsArray(value)) FailType(schema->id, keyword, "an array");
    schema->enum_values = value;
    return true;
  }
  if (keyword == "const") {
    schema->const_value = value;
    return true;
  }
  return false;
}

bool SchemaReader::ReadNumberKeyword(Schema* schema, std::string_view keyword, JsonId value) {
  if (keyword == "minimum" || keyword == "maximum") {
    auto& bound = keyword == "minimum" ? schema->minimum : schema->maximum;
    const Decimal number = ExpectNumber(schema->id, keyword, value);
    if (!bound)
      bound =
          NumberBound{number, false};  // An exclusive bound may already stand; FinishNumber merges.
    return true;
  }
  if (keyword == "exclusiveMinimum" || keyword == "exclusiveMaximum") {
    if (!document_.IsBool(value)) ExpectNumber(schema->id, keyword, value);
    return true;
  }
  if (keyword == "multipleOf") {
    const Decimal divisor = ExpectNumber(schema->id, keyword, value);
    if (divisor.IsZero() || divisor.negative())
      FailType(schema->id, keyword, "a number greater than zero");
    schema->multiple_of = divisor;
    return true;
  }
  return false;
}

// `exclusive*` is a flag of the bound in draft 4 and a bound of its own later; the type of the
// value tells which.
void SchemaReader::FinishNumber(Schema* schema) {
  for (const bool lower : {true, false}) {
    const JsonId exclusive =
        document_.Find(schema->id, lower ? "exclusiveMinimum" : "exclusiveMaximum");
    if (exclusive == kNoJson) continue;
    std::optional<NumberBound>& bound = lower ? schema->minimum : schema->maximum;
    if (document_.IsBool(exclusive)) {
      if (bound && document_.kind(exclusive) == JsonKind::kTrue) bound->exclusive = true;
      continue;
    }
    const Decimal number = Decimal::FromJsonNumber(document_.text(exclusive));
    const int order = bound ? number.Compare(bound->value) : 0;
    if (!bound || order == 0 || (order > 0) == lower) bound = NumberBound{number, true};
  }
}

RegexOptions PatternOptions() {
  RegexOptions options;
  options.dot = RegexOptions::Dot::kNotLineEnd;
  options.match = RegexOptions::Match::kSearch;
  options.takes_lookbehind = false;
  options.takes_letter_anchors = false;
  return options;
}

// What `pattern` says of the length is a bound like the others, which can be counted.
void SchemaReader::FinishString(Schema* schema) {
  if (schema->pattern == kNoJson) return;
  const RegexLength length =
      LengthOfRegex(document_.text(schema->pattern), PatternOptions(), limits_);
  schema->length.RaiseMin(length.min);
  if (length.max >= 0) schema->length.LowerMax(length.max);
}

bool SchemaReader::ReadStringKeyword(Schema* schema, std::string_view keyword, JsonId value) {
  if (keyword == "minLength") {
    schema->length.min = ExpectCount(schema->id, keyword, value, true);
  } else if (keyword == "maxLength") {
    schema->length.max = ExpectCount(schema->id, keyword, value, false);
  } else if (keyword == "pattern" || keyword == "format") {
    if (!document_.IsString(value)) FailType(schema->id, keyword, "a string");
    (keyword == "pattern" ? schema->pattern : schema->format) = value;
  } else {
    return false;
  }
  return true;
}

bool SchemaReader::ReadArrayKeyword(Schema* schema, std::string_view keyword, JsonId value) {
  if (keyword == "items") {
    if (document_.IsArray(value)) {
      ExpectSchemaArray(schema->id, keyword, value);
    } else {
      ExpectSchema(schema->id, keyword, value);
    }
  } else if (keyword == "prefixItems") {
    ExpectSchemaArray(schema->id, keyword, value);
  } else if (keyword == "additionalItems") {
    ExpectSchema(schema->id, keyword, value);
  } else if (keyword == "minItems") {
    schema->item_count.min = ExpectCount(schema->id, keyword, value, true);
  } else if (keyword == "maxItems") {
    schema->item_count.max = ExpectCount(schema->id, keyword, value, false);
  } else if (keyword == "uniqueItems") {
    if (!document_.IsBool(value)) FailType(schema->id, keyword, "a boolean");
    schema->unique_items = document_.kind(value) == JsonKind::kTrue;
  } else if (keyword == "contains") {
    schema->contains = ExpectSchema(schema->id, keyword, value);
  } else if (keyword == "minContains") {
    schema->contains_count.min = ExpectCount(schema->id, keyword, value, true);
  } else if (keyword == "maxContains") {
    schema->contains_count.max = ExpectCount(schema->id, keyword, value, false);
  } else if (keyword == "unevaluatedItems") {
    schema->unevaluated_items = ExpectSchema(schema->id, keyword, value);
  } else {
    return false;
  }
  return true;
}

// `items` as an array is the old spelling of `prefixItems`; only beside it does `additionalItems`
// mean anything.
void SchemaReader::FinishArray(Schema* schema) {
  const JsonId items = document_.Find(schema->id, "items");
  const JsonId prefix = document_.Find(schema->id, "prefixItems");
  const auto take_prefix = [&](JsonId array) {
    const auto members = document_.items(array);
    schema->prefix_items.assign(members.begin(), members.end());
  };
  if (prefix != kNoJson) take_prefix(prefix);
  if (items == kNoJson) return;
  if (!document_.IsArray(items)) {
    schema->items = items;
  } else if (prefix == kNoJson) {
    take_prefix(items);
    schema->items = document_.Find(schema->id, "additionalItems");
  }
}

bool SchemaReader::ReadObjectKeyword(Schema* schema, std::string_view keyword, JsonId value) {
  const auto declare_group = [&] {
    for (const Step& step : schema->steps) {
      if (step.kind == Step::Kind::kObjectGroup) return;
    }
    schema->steps.push_back({Step::Kind::kObjectGroup, schema->id, {}, {}});
  };
  if (keyword == "properties") {
    schema->properties = ExpectSchemaMap(schema->id, keyword, value);
    schema->declares_properties = true;
    declare_group();
  } else if (keyword == "patternProperties") {
    schema->pattern_properties = ExpectSchemaMap(schema->id, keyword, value);
    schema->declares_properties = true;
    declare_group();
  } else if (keyword == "additionalProperties") {
    schema->additional_properties = ExpectSchema(schema->id, keyword, value);
    declare_group();
  } else if (keyword == "propertyNames") {
    schema->property_names = ExpectSchema(schema->id, keyword, value);
  } else if (keyword == "unevaluatedProperties") {
    schema->unevaluated_properties = ExpectSchema(schema->id, keyword, value);
  } else if (keyword == "required") {
    // Draft 3 wrote a boolean here; it is not one of the supported drafts.
    schema->required = ExpectNames(schema->id, keyword, value);
  } else if (keyword == "minProperties") {
    schema->property_count.min = ExpectCount(schema->id, keyword, value, true);
  } else if (keyword == "maxProperties") {
    schema->property_count.max = ExpectCount(schema->id, keyword, value, false);
  } else {
    return false;
  }
  return true;
}

bool SchemaReader::ReadApplicator(Schema* schema, std::string_view keyword, JsonId value) {
  if (keyword == "allOf" || keyword == "anyOf" || keyword == "oneOf") {
    ExpectSchemaArray(schema->id, keyword, value);
    if (keyword == "allOf") {
      for (const JsonId member : document_.items(value)) {
        schema->steps.push_back({Step::Kind::kAllOfMember, member, {}, {}});
      }
    } else {
      const auto members = document_.items(value);
      schema->steps.push_back({keyword == "anyOf" ? Step::Kind::kAnyOf : Step::Kind::kOneOf,
                               value,
                               {},
                               {members.begin(), members.end()}});
    }
  } else if (keyword == "not") {
    schema->steps.push_back({Step::Kind::kNot, ExpectSchema(schema->id, keyword, value), {}, {}});
  } else if (keyword == "if") {
    schema->steps.push_back({Step::Kind::kIf, ExpectSchema(schema->id, keyword, value), {}, {}});
  } else if (keyword == "then" || keyword == "else") {
    (keyword == "then" ? schema->then_schema : schema->else_schema) =
        ExpectSchema(schema->id, keyword, value);
  } else if (keyword == "dependencies" || keyword == "dependentRequired" ||
             keyword == "dependentSchemas") {
    ReadDependencies(schema, keyword, value);
  } else {
    return false;
  }
  return true;
}

void SchemaReader::ReadDependencies(Schema* schema, std::string_view keyword, JsonId value) {
  if (!document_.IsObject(value)) FailType(schema->id, keyword, "an object");
  for (const Member& member : document_.members(value)) {
    const bool names = keyword == "dependentRequired" ||
                       (keyword == "dependencies" && document_.IsArray(member.value));
    if (names) {
      ExpectNames(schema->id, keyword, member.value);
    } else {
      ExpectSchema(schema->id, keyword, member.value);
    }
    schema->steps.push_back({names ? Step::Kind::kDependentRequired : Step::Kind::kDependentSchema,
                             member.value,
                             document_.key(member),
                             {}});
  }
}

bool SchemaReader::ReadReference(Schema* schema, std::string_view keyword, JsonId value) {
  const bool dynamic = keyword == "$dynamicRef" || keyword == "$recursiveRef";
  if (keyword != "$ref" && !dynamic) return false;
  if (!document_.IsString(value)) FailType(schema->id, keyword, "a string");
  const std::string_view reference = document_.text(value);
  const JsonId target = references_.Resolve(schema->id, reference);
  if (target == kNoJson) {
    Error error = MakeError(ErrorKind::kJsonSchema, schema->id, keyword,
                            "The reference '" + QuoteForMessage(reference) + "' of keyword '" +
                                std::string(keyword) + "' does not resolve inside the document");
    error.Hint("put the referenced schema under '$defs'; remote schemas are not fetched");
    throw error;
  }
  Step step{Step::Kind::kRef, target, {}, {}};
  if (dynamic) {
    // Only a reference that finds a dynamic anchor where it stands looks for others.
    const size_t hash = reference.find('#');
    const bool has_name = keyword == "$dynamicRef" && hash != std::string_view::npos;
    step.name = has_name ? reference.substr(hash + 1) : std::string_view();
    const bool looks =
        (has_name || keyword == "$recursiveRef") && references_.IsDynamicAnchor(target, step.name);
    if (looks && scopes_.is_needed()) step.kind = Step::Kind::kDynamicRef;
  }
  schema->steps.push_back(step);
  return true;
}

// Strict mode's inference: only schemas without `type`, values or in-place applicators.
void SchemaReader::FinishTypes(Schema* schema) {
  const bool has_applicator =
      std::any_of(schema->steps.begin(), schema->steps.end(),
                  [](const Step& step) { return step.kind != Step::Kind::kObjectGroup; });
  if (schema->types != kAllTypes || schema->enum_values != kNoJson ||
      schema->const_value != kNoJson || has_applicator) {
    return;
  }
  const auto has = [&](const char* keyword) {
    return document_.Find(schema->id, keyword) != kNoJson;
  };
  if (has("type")) return;
  if (has("properties") || schema->additional_properties != kNoJson ||
      schema->unevaluated_properties != kNoJson) {
    schema->inferred_types = kObjectBit;
  } else if (has("items") || has("prefixItems") || schema->unevaluated_items != kNoJson) {
    schema->inferred_types = kArrayBit;
  }
}

}  // namespace xgrammar::json_schema
