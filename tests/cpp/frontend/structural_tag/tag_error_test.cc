// TagError: the message that callers look for, and the JSON pointer of a value within its document.
//
// Keys with `/` and `~` are escaped as RFC 6901 says; the whole document has no pointer.

#include "frontend/structural_tag/tag_error.h"

#include <gtest/gtest.h>

#include "json/parser.h"

namespace xgrammar::structural_tag {
namespace {

TEST(TagError, PointerEscapesAndCounts) {
  const JsonDocument document = ParseJson(R"({"a/b":[0,{"~":"here"}]})");
  const JsonId list = document.Find(document.root(), "a/b");
  const JsonId object = document.items(list)[1];
  EXPECT_EQ(PointerTo(document, document.root()), "");
  EXPECT_EQ(PointerTo(document, list), "/a~1b");
  EXPECT_EQ(PointerTo(document, document.Find(object, "~")), "/a~1b/1/~0");
}

TEST(TagError, Message) {
  const JsonDocument document = ParseJson(R"({"format":1})");
  const Error whole = TagError(document, document.root(), "bad");
  EXPECT_FALSE(whole.has_pointer());
  EXPECT_STREQ(whole.what(), "Invalid structural tag error: bad");
  const Error part = TagError(document, document.Find(document.root(), "format"), "bad");
  EXPECT_EQ(part.pointer(), "/format");
  EXPECT_STREQ(part.what(), "Invalid structural tag error: bad at /format");
}

}  // namespace
}  // namespace xgrammar::structural_tag
