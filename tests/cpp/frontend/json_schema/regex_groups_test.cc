// Groups of the format `regex`: depth, look-around, the one named group and references to it, in
// both spellings.
//
// Terms without groups are regex_class_test.cc and regex_format_test.cc.
#include "frontend/json_schema/regex_groups.h"

#include <gtest/gtest.h>

#include <string>

#include "frontend/json_schema/regex_format.h"
#include "json/writer.h"

namespace xgrammar::json_schema {
namespace {

void ExpectVerdict(const std::string& text, bool verdict) {
  static const CodePointDfa decoded_patterns = RegexFormatToDfa();
  static const CodePointDfa spelled_patterns = SpelledRegexFormatToDfa();
  EXPECT_EQ(decoded_patterns.Accepts(text), verdict) << text;
  std::string spelled;
  AppendJsonString(text, &spelled);
  EXPECT_EQ(spelled_patterns.Accepts(spelled.substr(1, spelled.size() - 2)), verdict) << spelled;
}

TEST(RegexGroups, DepthIsBounded) {
  for (const char* text : {"()", "(?:a|(b(c)))+", "(((a)))*", "(?=a)(?!b)(?<=c)(?<!d)(e)"})
    ExpectVerdict(text, true);
  for (const char* text : {"((((a))))", "(?=(a))", "(?=a)*", "(a", "a)", "(?", "(?<"})
    ExpectVerdict(text, false);
}

TEST(RegexGroups, OneNamedGroup) {
  for (const char* text : {"(?<n>)", "a(?<name>x|[a-z]{2,3})*(b)c", "(a)(?<$_1>b)", "(?<=a)(?<n>b)",
                           "(?<\xC3\xA9\xE2\x80\x8D\xF0\x90\x8A\x80>a)"})
    ExpectVerdict(text, true);
  // Two may have one name; a group in or around it would need more to be remembered.
  for (const char* text :
       {"(?<n>a)(?<m>b)", "((?<n>a))", "(?<n>(a))", "(?<n>a)((b))", "(?<n>a)(?=b)", "(?=(?<n>a))",
        "(?<n>a", "(?<>a)", "(?<1>a)", "(?<n m>a)", "(?<n-m>a)", "(?<\xE2\x80\x8D>a)", "(?P<n>a)"})
    ExpectVerdict(text, false);
}

TEST(RegexGroups, ReferencesNameTheGroup) {
  for (const char* text : {"(?<n>a)\\k<n>", "(?<n>a\\k<n>)\\k<n>*",
                           "a(?<z>b*c+?|\\.\"\\\\\n\x01)??x\\b\\k<z>|\\k<z>{2}(b)"})
    ExpectVerdict(text, true);
  for (const char* text : {"\\k<n>", "\\k<n>(?<n>a)", "(?<n>a)\\k<m>", "(?<nm>a)\\k<n>",
                           "(?<n>a)\\k<nm>", "(?<n>a)\\k", "(?<n>a)\\k<n", "(?<n>a)\\k{n}",
                           "[\\k<n>]", "(?<n>a)[\\k<n>]", "(?<n>a)(\\k<n>)", "(?<n>[ab])\\k<n>"})
    ExpectVerdict(text, false);
}

}  // namespace
}  // namespace xgrammar::json_schema
