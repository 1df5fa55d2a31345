// SchemaReader: JSON -> Schema, one schema object at a time and each at most once. Checks that
// every keyword has the right type, applies defaults and spellings of older drafts, and resolves
// references. Errors carry the JSON pointer.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/json_schema/dynamic_scope.h"
#include "frontend/json_schema/refs.h"
#include "frontend/json_schema/schema.h"
#include "frontend/regex/regex.h"
#include "json/value.h"
#include "support/error.h"
#include "support/limits.h"

namespace xgrammar::json_schema {

/// How `pattern` and the names of `patternProperties` are read (note 0007).
RegexOptions PatternOptions();

/// Borrows the document; owned by one conversion.
class SchemaReader {
 public:
  SchemaReader(const JsonDocument& document, const Limits& limits);

  /// The schema of the whole document.
  JsonId Root() { return scopes_.Root(); }
  /// The schema at a JSON value. Raises kJsonSchema for ill-typed keywords and unresolved
  /// references, kLimit. The result stays valid as long as the reader.
  const Schema& Read(JsonId id);
  /// Follows schemas that are nothing but a reference. Raises kJsonSchema for a cycle of
  /// references.
  JsonId SkipReferences(JsonId id);

  /// The sub-schema that `properties` gives to a name, or kNoJson. Constant time for large schemas.
  JsonId FindProperty(const Schema& schema, std::string_view name);

  /// One of the schemas that are written the same way, titles and descriptions aside: the same one
  /// for all of them. The first call is linear in the document.
  JsonId CanonicalId(JsonId schema);
  /// A number that is equal for schemas that are written the same way and only for them. Linear in
  /// what is below the schema, once.
  int32_t ShapeOf(JsonId schema);

  /// Whether what matches `contains` counts as evaluated; only 2019-09 says no.
  bool ContainsEvaluates(JsonId schema);

  const JsonDocument& document() const { return document_; }
  const Limits& limits() const { return limits_; }
  /// JSON pointer of a value of the document. Linear in the document; for messages only.
  std::string PointerTo(JsonId id) const;
  /// An error about a keyword of a schema: `message` is completed by keyword and pointer.
  Error MakeError(ErrorKind kind, JsonId schema, std::string_view keyword,
                  const std::string& message) const;

 private:
  using Member = JsonDocument::Member;

  void FindCanonicalIds();
  JsonId LastBelow(JsonId id) const;
  void FindShapes(JsonId first, JsonId last);
  int32_t FindShape(JsonId id, bool is_value);
  void ReadObject(Schema* schema);
  bool ReadTypeKeyword(Schema* schema, std::string_view keyword, JsonId value);
  bool ReadNumberKeyword(Schema* schema, std::string_view keyword, JsonId value);
  bool ReadStringKeyword(Schema* schema, std::string_view keyword, JsonId value);
  bool ReadArrayKeyword(Schema* schema, std::string_view keyword, JsonId value);
  bool ReadObjectKeyword(Schema* schema, std::string_view keyword, JsonId value);
  bool ReadApplicator(Schema* schema, std::string_view keyword, JsonId value);
  bool ReadReference(Schema* schema, std::string_view keyword, JsonId value);
  void ReadDependencies(Schema* schema, std::string_view keyword, JsonId value);
  void FinishNumber(Schema* schema);
  void FinishString(Schema* schema);
  void FinishArray(Schema* schema);
  void FinishTypes(Schema* schema);
  bool IsOldDialect(JsonId schema);

  bool IsSchema(JsonId value) const;
  [[noreturn]] void FailMember(JsonId value, std::string_view keyword) const;
  JsonId ExpectSchema(JsonId schema, std::string_view keyword, JsonId value) const;
  int64_t ExpectCount(JsonId schema, std::string_view keyword, JsonId value, bool is_minimum) const;
  Decimal ExpectNumber(JsonId schema, std::string_view keyword, JsonId value) const;
  void ExpectSchemaArray(JsonId schema, std::string_view keyword, JsonId value) const;
  std::vector<NamedSchema> ExpectSchemaMap(JsonId schema, std::string_view keyword,
                                           JsonId value) const;
  std::vector<std::string_view> ExpectNames(JsonId schema, std::string_view keyword,
                                            JsonId value) const;
  [[noreturn]] void FailType(JsonId schema, std::string_view keyword, const char* expected) const;

  const JsonDocument& document_;
  const Limits& limits_;
  References references_;
  DynamicScopes scopes_;
  Schema* NewSchema();

  std::vector<std::vector<Schema>> blocks_;  ///< Never grown beyond what they have reserved.
  std::vector<const Schema*> schemas_;       ///< By JsonId, placed ones included; null if unread.
  std::vector<JsonId> skipped_;              ///< By JsonId: what its references lead to.
  std::vector<JsonId> canonical_ids_;
  // By JsonId, for a value that stands where a schema does and for one within `enum` or `const`,
  // where a title is data; -1 if not known yet.
  std::array<std::vector<int32_t>, 2> shapes_;
  std::unordered_map<std::string, int32_t> known_shapes_;
  std::unordered_map<JsonId, std::unordered_map<std::string_view, JsonId>> property_index_;
};

}  // namespace xgrammar::json_schema
