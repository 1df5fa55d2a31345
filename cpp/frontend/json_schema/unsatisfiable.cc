// Why nothing satisfies a schema: the place and the keyword for the message of kUnsatisfiable.
//
// Part of JSONSchemaConverter, and only used on the way to an error. From the schema that has no
// values the search follows what has to hold (references, members of `allOf`, required members,
// items that must be there) for as long as such a part has no values by itself. Where no part is at
// fault alone, the keywords of the schema contradict one another, and the first contradiction that
// a look at them shows is named.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analysis/grammar_facts.h"
#include "frontend/json_schema/converter.h"
#include "support/error.h"

namespace xgrammar::json_schema {

namespace {

constexpr size_t kMaxSteps = 2000;  // Places that are followed; as deep as schemas may nest.
constexpr size_t kMaxParts = 256;   // Of one schema.

/// A keyword and a sentence about it.
struct Contradiction {
  std::string keyword;
  std::string reason;
};

std::string Quoted(std::string_view keyword) { return "'" + std::string(keyword) + "'"; }

/// What must hold for an instance of a schema.
std::vector<JsonId> PartsOf(SchemaReader* reader, const Schema& schema) {
  std::vector<JsonId> parts;
  for (const Step& step : schema.steps) {
    const bool is_choice = step.kind == Step::Kind::kAnyOf || step.kind == Step::Kind::kOneOf;
    if (step.kind == Step::Kind::kRef || step.kind == Step::Kind::kAllOfMember)
      parts.push_back(step.value);
    if (is_choice && step.members.size() == 1) parts.push_back(step.members[0]);
  }
  for (const std::string_view name : schema.required) {
    const JsonId declared = reader->FindProperty(schema, name);
    const bool is_additional = declared == kNoJson && schema.pattern_properties.empty();
    const JsonId value = is_additional ? schema.additional_properties : declared;
    if (value != kNoJson) parts.push_back(value);
  }
  const auto num_first = static_cast<int64_t>(schema.prefix_items.size());
  for (int64_t i = 0; i < std::min(schema.item_count.min, num_first); ++i)
    parts.push_back(schema.prefix_items[static_cast<size_t>(i)]);
  if (schema.items != kNoJson && schema.item_count.min > num_first) parts.push_back(schema.items);
  if (schema.contains != kNoJson && schema.contains_count.min > 0) parts.push_back(schema.contains);
  if (parts.size() > kMaxParts) parts.resize(kMaxParts);
  return parts;
}

std::optional<Contradiction> CountsOf(const Schema& schema) {
  const auto larger = [](const char* least, const char* most) {
    return Contradiction{least, Quoted(least) + " is larger than " + Quoted(most)};
  };
  if (schema.length.IsEmpty()) return larger("minLength", "maxLength");
  if (schema.item_count.IsEmpty()) return larger("minItems", "maxItems");
  if (schema.property_count.IsEmpty()) return larger("minProperties", "maxProperties");
  const std::set<std::string_view> names(schema.required.begin(), schema.required.end());
  if (schema.property_count.HasMax() &&
      static_cast<int64_t>(names.size()) > schema.property_count.max)
    return Contradiction{"required", "'required' has more names than 'maxProperties' allows"};
  NumberConstraint number;
  if (schema.minimum) number.RaiseLower(*schema.minimum);
  if (schema.maximum) number.LowerUpper(*schema.maximum);
  if (number.IsPlainlyEmpty()) {
    const char* least = schema.minimum->exclusive ? "exclusiveMinimum" : "minimum";
    const char* most = schema.maximum->exclusive ? "exclusiveMaximum" : "maximum";
    return Contradiction{least, Quoted(least) + " and " + Quoted(most) + " leave no number"};
  }
  return std::nullopt;
}

/// The keywords that mostly rule values out, the most telling first.
constexpr std::string_view kTelling[] = {
    "const",
    "enum",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "$ref",
    "pattern",
    "format",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "required",
    "dependentSchemas",
    "dependentRequired",
    "dependencies",
    "minProperties",
    "propertyNames",
    "uniqueItems",
    "contains",
    "minItems",
    "items",
    "prefixItems",
    "unevaluatedProperties",
    "unevaluatedItems",
};

Contradiction FindContradiction(const JsonDocument& document, const Schema& schema) {
  if (schema.is_boolean) return {"", "this schema is false"};
  if (schema.enum_values != kNoJson && document.items(schema.enum_values).empty())
    return {"enum", "'enum' lists no value"};
  if (const std::optional<Contradiction> counts = CountsOf(schema)) return *counts;
  for (const std::string_view keyword : kTelling) {
    if (document.Find(schema.id, keyword) == kNoJson) continue;
    return {std::string(keyword), Quoted(keyword) + " and the keywords beside it leave no value"};
  }
  return {"", "its keywords leave no value"};
}

}  // namespace

/// What is known of the grammar so far; most parts have been written already.
struct JSONSchemaConverter::KnownFacts {
  std::optional<GrammarFacts> facts;
  int64_t num_exprs = -1;
};

// Whether nothing satisfies each schema by itself.
std::vector<bool> JSONSchemaConverter::AreUnsatisfiable(const std::vector<JsonId>& schemas,
                                                        KnownFacts* known) {
  std::vector<ExprId> values;
  for (const JsonId schema : schemas)
    values.push_back(LocationRef(merger_.InternSchema(schema), RootDepth()));
  DrainQueue();
  if (known->num_exprs != builder_.view().num_exprs()) {
    known->facts.emplace(builder_.view());
    known->num_exprs = builder_.view().num_exprs();
  }
  std::vector<bool> out;
  for (const ExprId value : values) out.push_back(!known->facts->IsProductive(value));
  return out;
}

void JSONSchemaConverter::ThrowUnsatisfiable(JsonId schema) {
  SchemaReader& reader = merger_.reader();
  std::set<JsonId> path;
  KnownFacts known;
  bool is_endless = false;
  while (path.size() < kMaxSteps && path.insert(schema).second) {
    const std::vector<JsonId> parts = PartsOf(&reader, reader.Read(schema));
    if (parts.empty()) break;
    std::vector<bool> at_fault;
    try {
      at_fault = AreUnsatisfiable(parts, &known);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kBudget) throw;
      break;  // A part that the conversion had no need of.
    }
    const auto first = std::find(at_fault.begin(), at_fault.end(), true);
    if (first == at_fault.end()) break;
    const JsonId part = parts[static_cast<size_t>(first - at_fault.begin())];
    is_endless = path.contains(part);
    if (is_endless) break;
    schema = part;
  }
  Contradiction cause = FindContradiction(document(), reader.Read(schema));
  if (is_endless) cause = {"", "every value would have to contain another one without end"};
  throw reader.MakeError(ErrorKind::kUnsatisfiable, schema, cause.keyword,
                         "The schema is unsatisfiable: no JSON value is valid, as " + cause.reason);
}

}  // namespace xgrammar::json_schema
