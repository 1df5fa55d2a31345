// References: base URIs, anchors and JSON pointers of one schema document (RFC 3986, RFC 6901;
// json-schema.md 1.7).
//
// The document is scanned once, when the first reference is met, for identifiers in schema
// position. Nothing is ever fetched: a reference that leaves the document is an error of the
// caller.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "json/value.h"

namespace xgrammar::json_schema {

/// Resolves RFC 3986 reference against a base; both without regard to fragments of the base. "" is
/// an unknown base.
std::string ResolveUri(std::string_view base, std::string_view reference);

/// Borrows the document; owned by one conversion.
class References {
 public:
  explicit References(const JsonDocument& document) : document_(document) {}

  /// Target of `reference` as written inside schema `from`, or kNoJson.
  JsonId Resolve(JsonId from, std::string_view reference);
  /// A dynamic anchor and its schema; `$recursiveAnchor: true` is an anchor without a name.
  using DynamicAnchor = std::pair<std::string_view, JsonId>;
  /// The dynamic anchors of the resource that holds a schema, in document order.
  const std::vector<DynamicAnchor>& DynamicAnchorsOf(JsonId schema);
  /// Whether the schema is a dynamic anchor of that name.
  bool IsDynamicAnchor(JsonId schema, std::string_view name);
  /// Whether several resources have a dynamic anchor of the same name.
  bool HasCompetingAnchors();
  /// Root of the resource that holds the schema.
  JsonId ResourceRoot(JsonId schema);
  size_t NumResources() {
    Scan();
    return resources_.size();
  }
  /// The `$schema` text in force for a schema, or "".
  std::string_view Dialect(JsonId schema);
  /// Follows an unescaped JSON pointer ("" or "/a/0") from a value, or kNoJson.
  JsonId FollowPointer(JsonId from, std::string_view pointer);

 private:
  struct Resource {
    std::string uri;
    JsonId root = kNoJson;
    std::string_view dialect;
    std::vector<DynamicAnchor> dynamic_anchors;
  };
  enum class Position : uint8_t { kSchema, kSchemaMap, kSchemaArray, kSchemaOrArray, kOther };
  struct Visit {
    JsonId id;
    int32_t resource;
    Position position;
  };

  void Scan();
  int32_t EnterSchema(JsonId id, int32_t resource);
  void PushChildren(const Visit& visit, std::vector<Visit>* stack) const;
  static Position PositionOf(std::string_view keyword);
  JsonId Find(JsonId object, std::string_view key);

  const JsonDocument& document_;
  bool scanned_ = false;
  std::vector<Resource> resources_;
  std::vector<int32_t> resource_of_;
  std::unordered_map<JsonId, std::unordered_map<std::string_view, JsonId>> members_;
  std::unordered_map<std::string, JsonId> targets_;  ///< Absolute URI, or URI '#' anchor.
};

}  // namespace xgrammar::json_schema
