// Reading schema objects: spellings of all drafts mean the same, defaults, the inference of a type
// from keywords, siblings of `$ref` by dialect, and pointers.
//
// Only the data that the reader makes is compared; ill-formed keywords are json_schema_test.cc and
// the data cases with `error`.
#include "frontend/json_schema/reader.h"

#include <gtest/gtest.h>

#include "json/parser.h"

namespace xgrammar::json_schema {
namespace {

TEST(SchemaReader, OldAndNewSpellingsMeanTheSame) {
  const Limits limits;
  const JsonDocument old_form = ParseJson(
      R"({"minimum":2,"exclusiveMinimum":true,"items":[{},false],"additionalItems":{"type":"null"}})");
  const JsonDocument new_form =
      ParseJson(R"({"exclusiveMinimum":2,"prefixItems":[{},false],"items":{"type":"null"}})");
  for (const JsonDocument* document : {&old_form, &new_form}) {
    SchemaReader reader(*document, limits);
    const Schema& schema = reader.Read(document->root());
    EXPECT_TRUE(schema.minimum->exclusive);
    EXPECT_EQ(schema.minimum->value, Decimal::FromInt(2));
    EXPECT_EQ(schema.prefix_items.size(), 2u);
    EXPECT_EQ(reader.Read(schema.items).types, kNullBit);
  }
}

TEST(SchemaReader, InferenceNeedsNoOtherHint) {
  const Limits limits;
  const std::pair<const char*, TypeSet> cases[] = {
      {R"({"properties":{}})", kObjectBit},
      {R"({"items":{}})", kArrayBit},
      {R"({"items":{},"properties":{}})", kObjectBit},
      {R"({"type":["object","null"],"items":{}})", kAllTypes},
      {R"({"required":["a"]})", kAllTypes},
      {R"({"properties":{},"allOf":[{}]})", kAllTypes}};
  for (const auto& [text, expected] : cases) {
    const JsonDocument document = ParseJson(text);
    SchemaReader reader(document, limits);
    EXPECT_EQ(reader.Read(document.root()).inferred_types, expected) << text;
  }
}

TEST(SchemaReader, SiblingsOfReferencesDependOnTheDialect) {
  const Limits limits;
  const JsonDocument old_draft = ParseJson(
      R"({"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/definitions/x","minimum":2}},"definitions":{"x":{}}})");
  SchemaReader reader(old_draft, limits);
  const JsonId a = old_draft.Find(old_draft.Find(old_draft.root(), "properties"), "a");
  EXPECT_FALSE(reader.Read(a).minimum.has_value());
  EXPECT_TRUE(reader.Read(a).is_plain_reference);
}

TEST(SchemaReader, PointersAndCanonicalSchemas) {
  const Limits limits;
  const JsonDocument document =
      ParseJson(R"({"a":[{"x":1},{"title":"t","type":"null"}],"b/~":{"type":"null"}})");
  SchemaReader reader(document, limits);
  const JsonId second = document.items(document.Find(document.root(), "a"))[1];
  const JsonId other = document.Find(document.root(), "b/~");
  EXPECT_EQ(reader.PointerTo(second), "/a/1");
  EXPECT_EQ(reader.PointerTo(other), "/b~1~0");
  EXPECT_EQ(reader.CanonicalId(second), reader.CanonicalId(other));
}

}  // namespace
}  // namespace xgrammar::json_schema
