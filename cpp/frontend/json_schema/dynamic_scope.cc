// Placing schemas in dynamic scopes: JSON Schema core 2020-12 section 8.2.3.2 and 2019-09 section
// 8.2.4.2.
//
// Scopes and placed schemas are interned, so a recursive document has finitely many. Ordinary
// references are resolved by refs.cc.
#include "frontend/json_schema/dynamic_scope.h"

#include <algorithm>

namespace xgrammar::json_schema {

namespace {

bool HasDynamicReference(const JsonDocument& document) {
  for (JsonId id = 0; id < document.size(); ++id) {
    if (!document.IsObject(id)) continue;
    for (const JsonDocument::Member& member : document.members(id)) {
      const std::string_view key = document.key(member);
      if (key == "$dynamicRef" || key == "$recursiveRef") return true;
    }
  }
  return false;
}

}  // namespace

DynamicScopes::DynamicScopes(const JsonDocument& document, References* references)
    : document_(document), references_(*references) {
  is_needed_ = HasDynamicReference(document) && references_.HasCompetingAnchors();
  scopes_.emplace_back();
  scope_ids_.emplace(Scope{}, 0);
}

JsonId DynamicScopes::Root() { return is_needed_ ? Enter(0, document_.root()) : document_.root(); }

// The scope after the resource of a schema was entered: names that are known keep their anchors.
int32_t DynamicScopes::ScopeWith(int32_t scope, JsonId schema) {
  Scope result = scopes_[static_cast<size_t>(scope)];
  for (const auto& anchor : references_.DynamicAnchorsOf(schema)) {
    const bool is_known = std::any_of(result.begin(), result.end(), [&](const auto& known) {
      return known.first == anchor.first;
    });
    if (!is_known) result.push_back(anchor);
  }
  std::sort(result.begin(), result.end());
  const auto [place, is_new] = scope_ids_.try_emplace(result, static_cast<int32_t>(scopes_.size()));
  if (is_new) scopes_.push_back(std::move(result));
  return place->second;
}

JsonId DynamicScopes::Enter(int32_t scope, JsonId schema) {
  const std::pair<JsonId, int32_t> key = {schema, ScopeWith(scope, schema)};
  const auto [place, is_new] =
      ids_.try_emplace(key, document_.size() + static_cast<JsonId>(placed_.size()));
  if (is_new) placed_.push_back({key.first, key.second});
  return place->second;
}

JsonId DynamicScopes::TargetOf(int32_t scope, const Step& step) {
  // What the reference finds where it stands also counts as entered.
  const int32_t with_target = ScopeWith(scope, step.value);
  for (const auto& [name, schema] : scopes_[static_cast<size_t>(with_target)]) {
    if (name == step.name) return schema;
  }
  return step.value;
}

void DynamicScopes::Place(JsonId placed, Schema* schema) {
  const int32_t scope = placed_[static_cast<size_t>(placed - document_.size())].scope;
  const auto enter = [&](JsonId* child) {
    if (*child != kNoJson) *child = Enter(scope, *child);
  };
  schema->id = placed;
  for (Step& step : schema->steps) {
    if (step.kind == Step::Kind::kDynamicRef) {
      step = {Step::Kind::kRef, TargetOf(scope, step), {}, {}};
    }
    const bool holds_values = step.kind == Step::Kind::kDependentRequired ||
                              step.kind == Step::Kind::kAnyOf || step.kind == Step::Kind::kOneOf;
    if (!holds_values) enter(&step.value);
    for (JsonId& member : step.members) enter(&member);
  }
  for (JsonId& item : schema->prefix_items) enter(&item);
  for (auto* named : {&schema->properties, &schema->pattern_properties}) {
    for (NamedSchema& child : *named) enter(&child.schema);
  }
  for (JsonId* child :
       {&schema->items, &schema->contains, &schema->unevaluated_items,
        &schema->additional_properties, &schema->property_names, &schema->unevaluated_properties,
        &schema->then_schema, &schema->else_schema}) {
    enter(child);
  }
}

}  // namespace xgrammar::json_schema
