// `unevaluatedItems` and `unevaluatedProperties` on one value: which children the other keywords
// and the in-place applicators that hold have evaluated.
//
// Part of Evaluator. Children are marks in a vector; annotations of schemas that fail, or stand
// below `not`, do not count (JSON Schema core 2020-12, section 11).
#include <algorithm>

#include "frontend/json_schema/evaluate.h"

namespace xgrammar::json_schema {

namespace {

using Marks = std::vector<bool>;

void MarkAll(Marks* marks) { std::fill(marks->begin(), marks->end(), true); }

}  // namespace

// Whether the schema gives a member a place: by name, by pattern or as any other.
bool Evaluator::CoversMember(const Schema& schema, std::string_view name) {
  if (schema.additional_properties != kNoJson) return true;
  const auto has_name = [&](const NamedSchema& property) { return property.name == name; };
  const auto matches = [&](const NamedSchema& pattern) {
    return strings_.Pattern(pattern.name, schema.id, "patternProperties")->Accepts(name);
  };
  return std::any_of(schema.properties.begin(), schema.properties.end(), has_name) ||
         std::any_of(schema.pattern_properties.begin(), schema.pattern_properties.end(), matches);
}

// The schema's own keywords, unevaluated* aside.
void Evaluator::MarkOwn(const Schema& schema, JsonId value, int depth, Marks* marks) {
  const JsonDocument& document = reader_.document();
  if (document.IsObject(value)) {
    const auto members = document.members(value);
    for (size_t i = 0; i < members.size(); ++i) {
      if (CoversMember(schema, document.key(members[i]))) (*marks)[i] = true;
    }
    return;
  }
  const auto items = document.items(value);
  const bool counts = schema.contains != kNoJson && reader_.ContainsEvaluates(schema.id);
  for (size_t i = 0; i < items.size(); ++i) {
    if (i < schema.prefix_items.size() || schema.items != kNoJson ||
        (counts && IsValid(schema.contains, items[i], depth + 1))) {
      (*marks)[i] = true;
    }
  }
}

// Marks what a schema that holds evaluates, applicators included.
void Evaluator::MarkEvaluated(JsonId id, JsonId value, int depth, bool is_inner, Marks* marks) {
  CheckDepth(depth);
  const Schema& schema = reader_.Read(id);
  if (schema.is_boolean) return;
  const JsonDocument& document = reader_.document();
  const JsonId unevaluated =
      document.IsObject(value) ? schema.unevaluated_properties : schema.unevaluated_items;
  if (is_inner && unevaluated != kNoJson) {
    MarkAll(marks);
    return;
  }
  MarkOwn(schema, value, depth, marks);
  const auto mark = [&](JsonId member) { MarkEvaluated(member, value, depth + 1, true, marks); };
  const auto mark_if_valid = [&](JsonId member) {
    const bool is_valid = IsValid(member, value, depth + 1);
    if (is_valid) mark(member);
    return is_valid;
  };
  for (const Step& step : schema.steps) {
    switch (step.kind) {
      case Step::Kind::kRef:
      case Step::Kind::kDynamicRef:
      case Step::Kind::kAllOfMember:
        mark(step.value);
        break;
      case Step::Kind::kAnyOf:
      case Step::Kind::kOneOf:
        for (const JsonId member : step.members) mark_if_valid(member);
        break;
      case Step::Kind::kIf: {
        const JsonId next = mark_if_valid(step.value) ? schema.then_schema : schema.else_schema;
        if (next != kNoJson) mark(next);
        break;
      }
      case Step::Kind::kDependentSchema:
        if (document.IsObject(value) && document.Find(value, step.name) != kNoJson)
          mark(step.value);
        break;
      case Step::Kind::kNot:
      case Step::Kind::kDependentRequired:
      case Step::Kind::kObjectGroup:
        break;
    }
  }
}

bool Evaluator::UnevaluatedHolds(const Schema& schema, JsonId value, int depth) {
  const JsonDocument& document = reader_.document();
  const bool is_object = document.IsObject(value);
  if (!is_object && !document.IsArray(value)) return true;
  const JsonId unevaluated = is_object ? schema.unevaluated_properties : schema.unevaluated_items;
  if (unevaluated == kNoJson) return true;
  std::vector<JsonId> children;
  if (is_object) {
    for (const auto& member : document.members(value)) children.push_back(member.value);
  } else {
    children.assign(document.items(value).begin(), document.items(value).end());
  }
  Marks marks(children.size(), false);
  MarkEvaluated(schema.id, value, depth + 1, false, &marks);
  for (size_t i = 0; i < children.size(); ++i) {
    if (!marks[i] && !IsValid(unevaluated, children[i], depth + 1)) return false;
  }
  return true;
}

}  // namespace xgrammar::json_schema
