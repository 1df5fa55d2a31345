// Formats of strings (dates, addresses, host names, identifiers): edge cases of each standard,
// accepted and refused by the automaton, and which names are known, refused or annotations.
//
// Texts are decoded values, without quotes and escapes. `regex` has a file of its own; formats
// beside patterns and lengths are data cases.
#include "frontend/json_schema/string_formats.h"

#include <gtest/gtest.h>

#include <vector>

namespace xgrammar::json_schema {
namespace {

struct Case {
  const char* format;
  std::vector<const char*> valid;
  std::vector<const char*> invalid;
};

constexpr const char* kLabel63 = "a23456789-123456789-123456789-123456789-123456789-123456789-123";
constexpr const char* kLabel64 = "a23456789-123456789-123456789-123456789-123456789-123456789-1234";

TEST(Formats, Languages) {
  const std::vector<Case> cases = {
      {"date",
       {"2024-02-29", "2000-02-29", "2023-12-31"},
       {"2023-02-29", "1900-02-29", "2024-04-31", "2024-1-1"}},
      {"time",
       {"12:00:00Z", "23:59:60Z", "00:29:60.5+00:30", "15:59:60-08:00"},
       {"12:00:60Z", "24:00:00Z", "12:00:00"}},
      {"date-time",
       {"2024-01-01T00:00:00z", "1998-12-31t23:59:60Z"},
       {"2024-01-01 00:00:00Z", "2024-01-01"}},
      {"duration", {"P1W", "P1Y2M3DT4H5M6S", "PT1S"}, {"P", "PT", "P1Y3D", "P1W1D", "PT1H1S"}},
      {"ipv4", {"0.0.0.0", "255.1.2.3"}, {"256.1.1.1", "01.2.3.4", "1.2.3"}},
      {"ipv6",
       {"::", "::1", "1:2:3:4:5:6:1.2.3.4", "::ffff:1.2.3.4"},
       {"1::2::3", "1:2:3:4:5:6:7", "::1%eth0"}},
      {"hostname", {"a.b", "A-1.example"}, {"-a", "a-.b", "a..b", "a.", "", "ab--c.d"}},
      {"hostname",
       {"a", "ab", "a-b", "a--b", "ab-c", "a-bc", "abc-d", "abc--d", kLabel63},
       {"a-", "ab--", "ab--c", "a---b", kLabel64}},
      {"email", {"a@b.c", "\"a b\"@x.y", "a@[IPv6:::1]"}, {"a", "a@", "a..b@c", ".a@b"}},
      {"uuid", {"2EB8AA08-aa98-11ea-b4aa-73b441d16380"}, {"2eb8aa08aa9811eab4aa73b441d16380"}},
      {"uri", {"http://[::1]/", "urn:x:y", "a:"}, {"/a", "http://a b", "http://a/%zz"}},
      {"uri-reference", {"", "#f", "/a?b"}, {"a b", "%zz"}},
      {"uri-template", {"a{b}c", "{+x,y*}"}, {"{", "{=b}", "{a"}},
      {"json-pointer", {"", "/a~0~1"}, {"a", "/~2"}},
      {"relative-json-pointer", {"0", "1/a", "2#"}, {"01", "/a", "-1"}},
  };
  for (const Case& test : cases) {
    ASSERT_EQ(FormatKindOf(test.format), FormatKind::kRegular);
    const CodePointDfaPtr dfa = AutomataOfFormat(test.format).decoded;
    for (const char* text : test.valid)
      EXPECT_TRUE(dfa->Accepts(text)) << test.format << " " << text;
    for (const char* text : test.invalid)
      EXPECT_FALSE(dfa->Accepts(text)) << test.format << " " << text;
  }
}

TEST(Formats, Kinds) {
  EXPECT_EQ(FormatKindOf("phone"), FormatKind::kUnknown);
  EXPECT_EQ(FormatKindOf("regex"), FormatKind::kSubset);
  EXPECT_EQ(FormatKindOf("idn-hostname"), FormatKind::kUnsupported);
  EXPECT_EQ(MaxLengthOfFormat("hostname"), 253);
  EXPECT_EQ(MaxLengthOfFormat("uri"), kNoMaximum);
  EXPECT_EQ(SpelledFormat(AutomataOfFormat("date").decoded), AutomataOfFormat("date").spelled);
  EXPECT_EQ(SpelledFormat(nullptr), nullptr);
}

}  // namespace
}  // namespace xgrammar::json_schema
