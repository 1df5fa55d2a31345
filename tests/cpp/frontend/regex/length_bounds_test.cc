// Bounds on the whole text: which look-aheads state them, and that pattern and bounds together are
// what the pattern was.
//
// The general treatment of look-ahead (assertions_test.cc) is what the parts are compared with.
#include "frontend/regex/length_bounds.h"

#include <string>

#include "expectations.h"
#include "frontend/regex/parser.h"

namespace xgrammar {
namespace {

RegexLength BoundsOf(std::string_view pattern, const RegexOptions& options = Searching()) {
  return LengthOfRegex(pattern, options);
}

void ExpectBounds(std::string_view pattern, int64_t min, int64_t max) {
  const RegexLength length = BoundsOf(pattern);
  EXPECT_EQ(length.min, min) << pattern;
  EXPECT_EQ(length.max, max) << pattern;
}

TEST(RegexLengthBoundsTest, BoundsOfTheWholeText) {
  ExpectBounds("^(?=.{20,2048}$)arn:.*", 20, 2048);
  ExpectBounds("^((?=[a-z]{3,}$)(?!x).*)", 3, -1);
  ExpectBounds("(?=.{1,9}$)^a", 1, 9);
  ExpectBounds("(?=^.{4,253}$)(?!a).*", 4, 253);
  ExpectBounds("^(?=.{1,9}$)(?=[^]{2,7}$)(?=.{0,8}$)a*", 2, 7);
  ExpectBounds("^\\b(?=.+$)a", 1, -1);
  ExpectBounds("^(?=a{2}$)", 2, 2);
  ExpectBounds("^[a-z]{2,30000}$", 2, 30000);
  ExpectBounds("^.{20000,}$", 20000, -1);
  const RegexLength whole = BoundsOf("(?=.{1,9}$)a*", {});
  EXPECT_EQ(whole.max, 9);
}

TEST(RegexLengthBoundsTest, OthersAreNone) {
  for (const char* pattern :
       {"(?=.{1,9}$)a", "^a(?=.{1,9}$)", "^(?=.{1,9})a", "^(?!.{1,9}$)a", "^(?=.{1,9}$)a|b",
        "^((?=.{1,9}$)a)?", "^(?=(ab){1,9}$)a", "^(?=.{1,9}a$)a", "^(?=.{1,9}$|b)a",
        "^[a-z]{2,3000}$", "^[a-z]{2,30000}", "[a-z]{2,30000}$", "^(ab){2,30000}$",
        "^(?:a{2,30000})$", "abc", ""}) {
    ExpectBounds(pattern, 0, -1);
  }
}

TEST(RegexLengthBoundsTest, TogetherTheyAreThePattern) {
  for (const char* pattern : {"^(?=.{2,5}$)a.*", "^(?=[ab]{2,}$)(?!ab)[abc]*$", "(?=^[^]{1,4}$)b|c",
                              "^(?=[^]{1,3}$)(a|b)", "^((?=.{1,9}$)(?=a{2,7}$))", "^(?=.{3}$)[^]*",
                              "^(?=.{2,1000}$)(a+b)*$", "^[ab]{3,20000}$", "^(?:a{2,20000})$",
                              "^a{2,20000}?$", "^(?:a{200}){100}$"}) {
    RegexOptions rest = Searching();
    rest.ignores_length = true;
    const RegexLength length = BoundsOf(pattern);
    constexpr int64_t kStates = 100000;
    const CodePointDfa parts =
        Intersect(RegexToDfa(pattern, rest), LengthRange(length.min, length.max, kStates), kStates);
    const CodePointDfa whole = RegexToDfa(pattern, Searching());
    EXPECT_EQ(parts.states(), whole.states()) << pattern;
  }
}

TEST(RegexLengthBoundsTest, AnySetTakesNoLookahead) {
  RegexAst ast = ParseRegex("^(?=[\\s\\S]{1,512}$)a+$", Searching(), {});
  EXPECT_EQ(TakeLengthBounds(true, &ast).max, 512);
  EXPECT_FALSE(AnalyzeRegex(ast).has_lookaround);
}

}  // namespace
}  // namespace xgrammar
