// Placed schemas: which schema a `$dynamicRef` or `$recursiveRef` means depends on the way that led
// to it, and the same scope gives the same schema, so that expansion ends.
//
// Schemas without such references need no scopes and stay as they are; messages keep the original
// pointer. Languages of dynamic references are cases of tests/data/json_schema.
#include "frontend/json_schema/dynamic_scope.h"

#include <gtest/gtest.h>

#include "frontend/json_schema/reader.h"
#include "json/parser.h"

namespace xgrammar::json_schema {
namespace {

constexpr const char* kLists = R"({"$id":"http://x/root","type":"object",
    "properties":{"strings":{"$ref":"strings"},"any":{"$ref":"list"}},
    "$defs":{"strings":{"$id":"strings","$ref":"list",
                        "$defs":{"s":{"$dynamicAnchor":"item","type":"string"}}},
             "list":{"$id":"list","items":{"$dynamicRef":"#item"},
                     "$defs":{"a":{"$dynamicAnchor":"item"}}}}})";

// The schema of the items of a property of the root.
const Schema& ItemsOf(SchemaReader* reader, std::string_view property) {
  const Schema& root = reader->Read(reader->Root());
  const JsonId list = reader->SkipReferences(reader->FindProperty(root, property));
  return reader->Read(reader->Read(reader->Read(list).items).steps[0].value);
}

TEST(DynamicScopes, TheTargetDependsOnTheWay) {
  const Limits limits;
  const JsonDocument document = ParseJson(kLists);
  SchemaReader reader(document, limits);
  EXPECT_EQ(ItemsOf(&reader, "strings").types, kStringBit);
  EXPECT_EQ(ItemsOf(&reader, "any").types, kAllTypes);
  EXPECT_NE(ItemsOf(&reader, "strings").id, ItemsOf(&reader, "any").id);
}

TEST(DynamicScopes, PlacedSchemasKeepTheirPlaceInMessages) {
  const Limits limits;
  const JsonDocument document = ParseJson(kLists);
  SchemaReader reader(document, limits);
  EXPECT_EQ(reader.PointerTo(ItemsOf(&reader, "strings").id), "/$defs/strings/$defs/s");
  EXPECT_EQ(reader.PointerTo(ItemsOf(&reader, "any").id), "/$defs/list/$defs/a");
}

TEST(DynamicScopes, TheSameScopeGivesTheSameSchema) {
  const Limits limits;
  const JsonDocument document = ParseJson(
      R"({"$id":"http://x/outer","$dynamicAnchor":"node","items":{"$ref":"inner"},
      "$defs":{"i":{"$id":"inner","$dynamicAnchor":"node","items":{"$dynamicRef":"#node"}}}})");
  SchemaReader reader(document, limits);
  const JsonId inner = reader.SkipReferences(reader.Read(reader.Root()).items);
  EXPECT_EQ(reader.Read(reader.Read(inner).items).steps[0].value, reader.Root());
}

TEST(DynamicScopes, OneAnchorNeedsNoScopes) {
  const JsonDocument document =
      ParseJson(R"({"$dynamicAnchor":"node","items":{"$dynamicRef":"#node"}})");
  References references(document);
  DynamicScopes scopes(document, &references);
  EXPECT_FALSE(scopes.is_needed());
  EXPECT_EQ(scopes.Root(), document.root());
  EXPECT_FALSE(references.HasCompetingAnchors());
}

TEST(DynamicScopes, RecursiveAnchorsAreAnchorsWithoutName) {
  const JsonDocument document = ParseJson(
      R"({"$id":"http://x/a","$recursiveAnchor":true,"items":{"$recursiveRef":"#"},
      "$defs":{"b":{"$id":"b","$recursiveAnchor":true}}})");
  References references(document);
  EXPECT_TRUE(references.HasCompetingAnchors());
  EXPECT_TRUE(references.IsDynamicAnchor(document.root(), ""));
  EXPECT_TRUE(DynamicScopes(document, &references).is_needed());
}

}  // namespace
}  // namespace xgrammar::json_schema
