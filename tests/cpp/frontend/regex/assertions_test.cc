// Look-around and word boundaries as automata, at the start of a pattern and inside, negative and
// nested, beside anchors, on texts whose verdict follows from ECMA-262.
//
// Contradictions match nothing, and the budget of states covers the bodies of look-arounds. Random
// patterns are random_test.cc.
#include "frontend/regex/assertions.h"

#include "expectations.h"

namespace xgrammar {
namespace {

TEST(RegexAssertionsTest, LookaheadAtTheStart) {
  ExpectLanguage("(?=.*\\d)[a-z\\d]{2,4}", {"a1", "1a"}, {"ab", "1", "abcd"});
  ExpectLanguage("^(?=.*[A-Z])(?=.*\\d).{3,}$", {"aB1", "1Bx"}, {"ab1", "AB", "ABC"});
  ExpectLanguage("(?!ab)[a-z]{2}", {"xy", "ac"}, {"ab"});
  ExpectLanguage("^(?!foo$)\\w+$", {"food", "fo"}, {"foo"});
}

TEST(RegexAssertionsTest, LookaheadInside) {
  ExpectLanguage("a(?=b)[bc]", {"ab"}, {"ac"});
  ExpectLanguage("a(?=b)", {}, {"a", "ab"});
  ExpectLanguage("((?!--)[a-z-])*", {"a-b-", ""}, {"a--b", "--"});
  ExpectLanguage("(a(?!b)|b)*", {"ba", "bb", "bbaa"}, {"ab", "aab"});
  ExpectLanguage("x(?=$)|y(?!$)z", {"x", "yz"}, {"y"});
}

TEST(RegexAssertionsTest, LookbehindAtTheEnd) {
  ExpectLanguage("^[0-9a-z\\.\\-]*(?<!\\.)$", {"", "a", "a.b", "a-"}, {".", "a.", "A"},
                 Searching());
  ExpectLanguage("^(?! )[a-z ]*(?<! )$", {"", "a", "a b"}, {" ", " a", "a "}, Searching());
  ExpectLanguage("^.+(?<!\\.git)$", {"git", "a.gi", "a"}, {".git", "a.git", ""}, Searching());
  ExpectLanguage("[a-z]+(?<=ab|c)", {"ab", "xc", "c"}, {"b", "a", "abd"});
  ExpectLanguage("[ab]*(?<=ab*)", {"a", "ba", "abbb"}, {"", "b", "bb"});
}

TEST(RegexAssertionsTest, LookbehindInside) {
  ExpectLanguage("[ab]+(?<=b)c", {"bc", "abc"}, {"ac", "c", "bac"});
  ExpectLanguage("((?!-)[a-z-]{1,3}(?<!-)\\.)+", {"a.", "a-b.c."}, {"a-.", "-a.", "abcd.", ""});
  ExpectLanguage("(a|b(?<=ab))*", {"", "a", "ab", "aab"}, {"b", "abb"});
  ExpectLanguage("(?<!x)a(?<=a)", {"a"}, {"xa", ""});
  ExpectLanguage("a(?<!b|ba)", {"a"}, {"b"});
}

TEST(RegexAssertionsTest, LookbehindInASearch) {
  // What stands before the match is looked at, too.
  ExpectLanguage("(?<=a)b", {"ab", "xaby"}, {"b", "bb", "a"}, Searching());
  ExpectLanguage("(?<!a)b", {"b", "bb", "abb"}, {"ab", "a"}, Searching());
  ExpectLanguage("(?<=^v?)\\d", {"1", "v1", "1x"}, {"x1", "vv1", "v"}, Searching());
  ExpectLanguage(".*(?<!\\\\)\\$\\{(.*?)\\}|(?<!\\\\)\\$([_a-zA-Z][_a-zA-Z0-9]*).*",
                 {"${}", "x${a}", "$a", "\\${}$b"}, {"\\$a", "$", "\\${}", "${"}, Searching());
}

TEST(RegexAssertionsTest, NestedBodies) {
  ExpectLanguage("ab(?<=(?<!x)ab)c", {"abc"}, {"xabc"});
  ExpectLanguage("x?ab(?<=(?<!x)ab)c", {"abc"}, {"xabc"});
  ExpectLanguage("a(?<=a(?=b)).", {"ab"}, {"ac"});
  ExpectLanguage("a(?<=^a)b", {"ab"}, {});
  ExpectLanguage("a(?=b(?<!ab)).*", {}, {"ab", "a"});
  ExpectLanguage("a(?<=a$)|b(?<!b$)c", {"a", "bc"}, {"b"});

  ExpectLanguage("(?=a(?!b)).*", {"a", "ac"}, {"ab", "b"});
  ExpectLanguage("(?!a(?=b|c)).*", {"a", "ad", ""}, {"ab", "ac"});
  ExpectLanguage("x(?=\\bfoo\\b).*", {}, {"xfoo"});
  ExpectLanguage("x-(?=\\bfoo\\b).*", {"x-foo", "x-foo y"}, {"x-food"});
  ExpectLanguage("(?=^a)a", {"a"}, {});
  ExpectLanguage("b(?=^a)a", {}, {"ba"});
}

TEST(RegexAssertionsTest, WordBoundaries) {
  ExpectLanguage("\\bfoo\\b", {"foo"}, {"fo"});
  ExpectLanguage("\\bfoo\\b", {"foo", "a foo b", "-foo-"}, {"food", "_foo", "afoo"}, Searching());
  ExpectLanguage("\\B.", {"-"}, {"a"});
  ExpectLanguage("a\\Bb", {"ab"}, {});
  ExpectLanguage("a\\b", {"a"}, {});
  ExpectLanguage("\\b", {}, {"", "a"});
  ExpectLanguage("\\B", {""}, {"a"});
  ExpectLanguage("(\\b\\w+\\b ?)+", {"ab cd", "a "}, {""});
}

TEST(RegexAssertionsTest, AnchorsBesideMarkers) {
  ExpectLanguage("(?=a)^a$(?!b)", {"a"}, {"ab"});
  ExpectLanguage("a$\\b", {"a"}, {});
  ExpectLanguage("\\b^a", {"a", "ab"}, {"ba"}, Searching());
}

TEST(RegexAssertionsTest, CountsInBodies) {
  // One place of the pattern at a time: a marker at every place of a text would take 2^32 states.
  const std::string name = "(?!-)(?!.{0,30}--)[a-z-]{1,32}(?<!-)";
  const CodePointDfa two = RegexToDfa("(" + name + "/)?" + name, {});
  EXPECT_LT(two.states().size(), 1000u);
  EXPECT_TRUE(two.Accepts("a-b/c"));
  EXPECT_FALSE(two.Accepts("a-b/c--d"));
  EXPECT_FALSE(two.Accepts("a--b/c"));
  EXPECT_TRUE(two.Accepts(std::string(32, 'a') + "/" + std::string(32, 'b')));
  EXPECT_FALSE(two.Accepts(std::string(33, 'a')));
  ExpectLanguage("^(?=.{2,256}$)([a-z0-9]+([._-][a-z0-9]+)*)$", {"ab", "a.b"}, {"a", "a.", ""});
  ExpectLanguage("[a-z0-9]([a-z0-9-]){0,62}(?<!-)$", {"a", "a-b", "-a"}, {"a-"}, Searching());
}

TEST(RegexAssertionsTest, ContradictionsMatchNothing) {
  EXPECT_TRUE(RegexToDfa("a(?=b)c", {}).IsEmpty());
  ExpectError("a(?=b)c", ErrorKind::kUnsatisfiable);
  ExpectError("a\\bb", ErrorKind::kUnsatisfiable);
}

TEST(RegexAssertionsTest, BudgetCoversBodies) {
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "(?=a)";
  ExpectError(many + "a", ErrorKind::kLimit);
  ExpectError("(?=a{2000000})a*", ErrorKind::kLimit);
  ExpectError("(?!(a|b)*a(a|b){25}$).*", ErrorKind::kLimit);
  ExpectError("a*(?<=a{2000000})", ErrorKind::kLimit);
}

}  // namespace
}  // namespace xgrammar
