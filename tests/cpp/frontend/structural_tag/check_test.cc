// The checks of formats with one another: ends that may be empty, and which trigger starts a tag.
//
// Refusals are asked through the whole front end, so that messages and places are those of a user;
// the assignment of tags is looked at directly.

#include "frontend/structural_tag/check.h"

#include <gtest/gtest.h>

#include "frontend/structural_tag/expectations.h"

namespace xgrammar::structural_tag {
namespace {

std::string TagOf(const std::string& content, const std::string& end = R"("")") {
  return R"({"type":"tag","begin":"<","content":)" + content + R"(,"end":)" + end + "}";
}

TEST(CheckEmptyEnds, UnlimitedContentNeedsAnEnd) {
  const std::string x = R"({"value":"x"})";
  for (const std::string& content : {
           std::string(R"({"type":"any_text"})"),
           std::string(R"({"type":"any_text","max_chars":2})"),
           R"({"type":"star","content":)" + x + "}",
           R"({"type":"repeat","min":0,"max":-1,"content":)" + x + "}",
           R"({"elements":[)" + x + R"(,{"type":"any_tokens"}]})",
           R"({"type":"or","elements":[)" + x + R"(,{"rules":[["a",)" + x + "]]}]}",
           std::string(R"({"content":{"type":"any_text"}})"),
           R"({"tags":[)" + TagOf(x) + R"(],"separator":","})",
       }) {
    ExpectFormatRefused(TagOf(content), "at least one end string must be non-empty");
    EXPECT_NO_THROW(GrammarOf(TagOf(content, R"(["",">"])"))) << content;
    EXPECT_NO_THROW(GrammarOf(TagOf(content, R"({"token":1})"))) << content;
  }
}

TEST(CheckEmptyEnds, LimitedContent) {
  const std::string x = R"({"value":"x"})";
  for (const std::string& content : {
           x,
           std::string(R"({"type":"any_text","excludes":["y"]})"),
           std::string(R"({"type":"regex","pattern":"a*"})"),
           R"({"type":"repeat","min":0,"max":3,"content":)" + x + "}",
           std::string(R"({"type":"repeat","min":0,"max":0,"content":{"type":"any_text"}})"),
           TagOf(R"({"type":"any_text"})", R"(">")"),
       }) {
    EXPECT_NO_THROW(GrammarOf(TagOf(content))) << content;
  }
  ExpectFormatRefused(
      R"({"elements":[{"tags":[)" + TagOf(R"({"type":"any_text"})") + R"(],"separator":","}]})",
      "at least one end string", "/format/elements/0/tags/0");
}

std::string Triggered(const std::string& triggers, const std::string& begins) {
  std::string tags;
  for (char begin : begins) {
    tags += std::string(tags.empty() ? "" : ",") + R"({"begin":")" + begin +
            R"(b","content":{"value":"x"},"end":""})";
  }
  return R"({"triggers":)" + triggers + R"(,"tags":[)" + tags + "]}";
}

TEST(TriggersOfTags, EachTagHasOne) {
  ExpectFormatRefused(Triggered(R"(["a","ab"])", "a"), "matches multiple triggers",
                      "/format/tags/0");
  ExpectFormatRefused(Triggered(R"(["a","a"])", "a"), "matches multiple triggers",
                      "/format/tags/0");
  ExpectFormatRefused(Triggered(R"(["a"])", "ac"), "does not match any trigger", "/format/tags/1");
  ExpectFormatRefused(Triggered(R"(["a","c"])", "a"), "is not the begin of any tag");
  ExpectFormatRefused(Triggered(R"(["abc"])", "a"), "does not match any trigger", "/format/tags/0");
  EXPECT_NO_THROW(GrammarOf(Triggered(R"(["ab","c"])", "aca")));
  ExpectFormatRefused(
      R"({"triggers":["a"],"tags":[{"begin":{"token":1},"content":{"value":"x"},"end":""}]})",
      "must have a string begin", "/format/tags/0");
}

TEST(TriggersOfTags, Tokens) {
  const auto with = [](const std::string& triggers, const std::string& begin) {
    return R"({"type":"token_triggered_tags","trigger_tokens":)" + triggers +
           R"(,"tags":[{"begin":)" + begin + R"(,"content":{"value":"x"},"end":""}]})";
  };
  EXPECT_NO_THROW(GrammarOf(with("[3]", R"({"token":3})")));
  ExpectFormatRefused(with("[3]", R"("a")"), "must have a token format begin", "/format/tags/0");
  ExpectFormatRefused(with("[3]", R"({"token":4})"), "does not match any trigger",
                      "/format/tags/0");
  ExpectFormatRefused(with("[3,3]", R"({"token":3})"), "matches multiple triggers");
  ExpectFormatRefused(with("[3,4]", R"({"token":3})"), "is not the begin of any tag");
}

}  // namespace
}  // namespace xgrammar::structural_tag
