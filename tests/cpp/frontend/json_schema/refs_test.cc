// References: URI resolution by the examples of RFC 3986 5.4, JSON pointers with escapes, `$id`
// within `$id`, and anchors.
//
// What leads nowhere has no target; the error for it is the reader's. Dynamic ones are
// dynamic_scope_test.cc; cycles are cases of tests/data/json_schema.
#include "frontend/json_schema/refs.h"

#include <gtest/gtest.h>

#include "json/parser.h"

namespace xgrammar::json_schema {
namespace {

TEST(ResolveUri, ExamplesOfTheStandard) {
  const char* base = "http://a/b/c/d;p?q";
  const std::pair<const char*, const char*> cases[] = {{"g:h", "g:h"},
                                                       {"g", "http://a/b/c/g"},
                                                       {"./g", "http://a/b/c/g"},
                                                       {"/g", "http://a/g"},
                                                       {"//g", "http://g"},
                                                       {"?y", "http://a/b/c/d;p?y"},
                                                       {"", "http://a/b/c/d;p?q"},
                                                       {"..", "http://a/b/"},
                                                       {"../g", "http://a/b/g"},
                                                       {"../../../g", "http://a/g"},
                                                       {"./", "http://a/b/c/"}};
  for (const auto& [reference, expected] : cases)
    EXPECT_EQ(ResolveUri(base, reference), expected) << reference;
}

TEST(References, PointersIdsAndAnchors) {
  const JsonDocument document =
      ParseJson(R"({"$id":"http://x/root.json","$defs":{"a/b c":{"type":"null"},
      "r":{"$id":"sub/r.json","$defs":{"y":{"$anchor":"here"}}}},"enum":[{"$id":"http://x/no"}]})");
  References references(document);
  const JsonId root = document.root();
  const JsonId defs = document.Find(root, "$defs");
  const JsonId r = document.Find(defs, "r");
  EXPECT_EQ(references.Resolve(root, "#"), root);
  EXPECT_EQ(references.Resolve(root, "#/$defs/a~1b%20c"), document.Find(defs, "a/b c"));
  EXPECT_EQ(references.Resolve(root, "sub/r.json"), r);
  EXPECT_EQ(references.Resolve(root, "http://x/sub/r.json#here"),
            document.Find(document.Find(r, "$defs"), "y"));
  EXPECT_EQ(references.Resolve(r, "#here"), document.Find(document.Find(r, "$defs"), "y"));
  EXPECT_EQ(references.Resolve(root, "#here"), kNoJson);
  EXPECT_EQ(references.Resolve(root, "http://x/no"), kNoJson);
  EXPECT_EQ(references.Resolve(root, "#/$defs/none"), kNoJson);
}

}  // namespace
}  // namespace xgrammar::json_schema
