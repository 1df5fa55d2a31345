// DynamicScopes: what `$dynamicRef` and `$recursiveRef` mean, decided while schemas are read
// (json-schema.md 1.7).
//
// The target of a dynamic reference is the anchor of that name in the outermost resource on the
// way to the reference. What counts of the way is a finite table: for each name the first resource
// that had it. So a schema together with such a table ("placed" in a scope) is a schema of its own
// with ordinary references, named by an id behind those of the document. Documents in which no
// name has several anchors have no placed schemas.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/json_schema/refs.h"
#include "frontend/json_schema/schema.h"
#include "json/value.h"

namespace xgrammar::json_schema {

/// Borrows document and references; owned by one conversion.
class DynamicScopes {
 public:
  DynamicScopes(const JsonDocument& document, References* references);

  /// Whether a dynamic reference may have several targets.
  bool is_needed() const { return is_needed_; }
  /// The schema at the root, placed where there are scopes.
  JsonId Root();
  bool IsPlaced(JsonId id) const { return id >= document_.size(); }
  /// The schema of the document that a placed schema, or any other, is.
  JsonId Original(JsonId id) const {
    return IsPlaced(id) ? placed_[static_cast<size_t>(id - document_.size())].schema : id;
  }
  /// Turns the read schema of the document into the placed one: children are placed, dynamic
  /// references become references.
  void Place(JsonId placed, Schema* schema);

 private:
  // By name, in order of names.
  using Scope = std::vector<std::pair<std::string_view, JsonId>>;
  struct Placed {
    JsonId schema = kNoJson;
    int32_t scope = 0;
  };

  JsonId Enter(int32_t scope, JsonId schema);
  int32_t ScopeWith(int32_t scope, JsonId schema);
  JsonId TargetOf(int32_t scope, const Step& step);

  const JsonDocument& document_;
  References& references_;
  bool is_needed_ = false;
  std::map<Scope, int32_t> scope_ids_;
  std::vector<Scope> scopes_;
  std::map<std::pair<JsonId, int32_t>, JsonId> ids_;
  std::vector<Placed> placed_;
};

}  // namespace xgrammar::json_schema
