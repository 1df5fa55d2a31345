// RegexToDfa: anchors anywhere, also where nothing can match, search for a match in any place,
// lengths and minimality of the result.
//
// The budget of states is checked before the work is done, by the size that counts would take.
// Look-around is assertions_test.cc.
#include "expectations.h"

namespace xgrammar {
namespace {

TEST(RegexToDfaTest, AnchorsInFullMatch) {
  ExpectLanguage("^abc$", {"abc"}, {"abcd"});
  ExpectLanguage("^a|b$", {"a", "b"}, {"ab", ""});
  ExpectLanguage("(^a|b$)", {"a", "b"}, {"ab"});
  ExpectLanguage("^$|^x", {"", "x"}, {"xx"});
  ExpectLanguage("\\Aab\\z|\\Acd\\Z", {"ab", "cd"}, {"abcd"});
  EXPECT_TRUE(RegexToDfa("a^b", {}).IsEmpty());
  EXPECT_TRUE(RegexToDfa("a$b", {}).IsEmpty());
  ExpectLanguage("a?^b", {"b"}, {"ab"});
  ExpectLanguage("(^a)+", {"a"}, {"aa"});
  ExpectLanguage("(^|,)a", {"a", ",a"}, {"b"});
}

TEST(RegexToDfaTest, SearchFindsAMatchAnywhere) {
  ExpectLanguage("abc", {"abc", "xabcx"}, {"ab"}, Searching());
  ExpectLanguage("^abc", {"abc", "abcx"}, {"xabc"}, Searching());
  ExpectLanguage("^a|b$", {"axx", "xxb", "b"}, {"xa", "bx"}, Searching());
  ExpectLanguage("(^|,)a(,|$)", {"a", "b,a", "x,a,y"}, {"ba", "ab", ",ab"}, Searching());
  ExpectLanguage("^$", {""}, {"a", "\n"}, Searching());
  ExpectLanguage("", {"", "a"}, {}, Searching());
  ExpectLanguage("a.c", {"\nabc\n"}, {"a\nc"}, Searching());
  ExpectLanguage("a*", {"", "b"}, {}, Searching());
}

TEST(RegexToDfaTest, LengthsAndMinimality) {
  const CodePointDfa dfa = RegexToDfa("[a-z0-9-]{1,63}", {});
  EXPECT_EQ(dfa.states().size(), 64u);
  EXPECT_EQ(dfa.MinLength(), 1);
  EXPECT_EQ(dfa.MaxLength(), 63);
  EXPECT_EQ(RegexToDfa("((((((a*)*)*)*)*)*)*b", {}).states().size(), 2u);
  EXPECT_EQ(RegexToDfa("(x+x+)+y", {}).states().size(), 4u);
}

TEST(RegexToDfaTest, AmbiguousCountsStaySmall) {
  // The copies that a text may be split into are many; the least of them decides.
  const auto size_of = [](std::string_view pattern) {
    return RegexToDfa(pattern, Searching()).states().size();
  };
  EXPECT_LT(size_of("^https://([.\\-_a-zA-Z0-9]+/?){3,1016}$"), 5000u);
  EXPECT_LT(size_of("^https://([^/]+)/?.{3,1016}$"), 5000u);
  EXPECT_LT(size_of("[a-zA-Z][a-zA-Z0-9_]{0,99}-[a-zA-Z0-9]{10}"), 5000u);
  EXPECT_LT(size_of("^role/(([^/][!-~]+/){1,51})?[a-z]{1,9}$"), 5000u);
  ExpectLanguage("^s/([ab]+/?){2,4}$", {"s/ab", "s/a/b/a/b/", "s/abababab"},
                 {"s/a", "s/a/", "s/a/a/a/a/a", "s/a//b"}, Searching());
  ExpectLanguage("[a-c][a-c0-9]{0,3}-", {"a-", "a000-", "0a00-", "aaaaaaaa0-"},
                 {"0-", "a0000-", "-"}, Searching());
}

TEST(RegexToDfaTest, BudgetIsCheckedBeforeTheWork) {
  for (const char* pattern : {"a{1000000}", "(a{1,1000}){1,1000}", "((ab?){0,100}c){0,100000}",
                              "[^\\s]{0,900000}", "((((a{9}b){99}c){999}d){9999}e){99999}"}) {
    try {
      RegexToDfa(pattern, {});
      ADD_FAILURE() << pattern;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kLimit) << error.what();
      EXPECT_EQ(error.limit_name(), "max_dfa_states");
    }
  }
  EXPECT_EQ(RegexToDfa("[a-z]{0,60000}", {}).MaxLength(), 60000);
}

}  // namespace
}  // namespace xgrammar
