// Jump-forward: the longest text that every continuation begins with, which stops where the input
// may end and never within a character, and tokens that spell it.
//
// Text that is forced for ever is bounded. Tokens are greedy, neither stop nor special, and can be
// accepted; encoding by the tokenizer's own rules is tests/python/test_jump_forward.py.
#include <gtest/gtest.h>

#include "matcher/grammar_matcher.h"
#include "matcher/matcher_fixtures.h"

namespace xgrammar {
namespace {

GrammarMatcher Match(const std::string& ebnf,
                     const std::vector<std::string>& texts = {"a", "b", "ab", "abc", "c"}) {
  return GrammarMatcher(Compile(ebnf, SmallTokenizer(texts)), {});
}
std::string Forced(const std::string& ebnf, const std::string& before = "") {
  GrammarMatcher matcher = Match(ebnf);
  EXPECT_TRUE(matcher.AcceptString(before));
  const int64_t steps = matcher.num_steps();
  const std::string forced = matcher.FindJumpForwardString();
  EXPECT_EQ(matcher.num_steps(), steps);
  return forced;
}

TEST(JumpForward, ForcedText) {
  EXPECT_EQ(Forced("root ::= \"abc\" [xy]"), "abc");
  EXPECT_EQ(Forced("root ::= \"abx\" | \"aby\""), "ab");
  EXPECT_EQ(Forced("root ::= [xy]"), "");
  EXPECT_EQ(Forced("root ::= \"a\" x \"b\"\nx ::= \"(\" x \")\" | \"c\" \"d\"", "ac"), "db");
}

TEST(JumpForward, StopsWhereTheInputMayEnd) {
  EXPECT_EQ(Forced("root ::= \"ab\" \"c\"?"), "ab");
  EXPECT_EQ(Forced("root ::= \"a\"", "a"), "");
  EXPECT_EQ(Forced("root ::= \"a\"*"), "");
}

TEST(JumpForward, KeepsCharactersWhole) {
  EXPECT_EQ(Forced("root ::= \"a\" [\xC3\xA9\xC3\xA8]"), "a");  // One lead byte, two characters.
  EXPECT_EQ(Forced("root ::= \"a\xC3\xA9\" [xy]"), "a\xC3\xA9");
  EXPECT_EQ(Forced("root ::= \"\xC3\xA9z\"", "\xC3"), "") << "inside a character";
}

TEST(JumpForward, LongLiteralsAndEndlessOnes) {
  const std::string text(5000, 'a');
  EXPECT_EQ(Forced("root ::= \"" + text + "\""), text);
  // Forced for ever is bounded, not endless.
  EXPECT_GT(Forced("root ::= \"a\"{3000000,}").size(), 100000u);
}

TEST(JumpForward, AfterTheEnd) {
  GrammarMatcher matcher = Match("root ::= \"a\"");
  matcher.AcceptToken(2);
  matcher.AcceptToken(0);
  EXPECT_EQ(KindOfError([&] { matcher.FindJumpForwardString(); }), ErrorKind::kUsage);
  EXPECT_EQ(KindOfError([&] { matcher.FindJumpForwardTokens(); }), ErrorKind::kUsage);
}

// Ids: 2 a, 3 b, 4 ab, 5 abc, 6 c.
TEST(JumpForward, TokensAreGreedy) {
  EXPECT_EQ(Match("root ::= \"abcab\" \"b\" [xy]").FindJumpForwardTokens(),
            (std::vector<int32_t>{5, 4, 3}));
  EXPECT_EQ(Match("root ::= \"bca\" \"b\" [xy]").FindJumpForwardTokens(),
            (std::vector<int32_t>{3, 6}))
      << "ab may be the beginning of abc";
  EXPECT_EQ(Match("root ::= [xy]").FindJumpForwardTokens(), std::vector<int32_t>{});
}

TEST(JumpForward, TokensStopWhereNoneFits) {
  EXPECT_EQ(Match("root ::= \"abz\" \"a\" [xy]").FindJumpForwardTokens(), std::vector<int32_t>{4});
}

TEST(JumpForward, TokensAreNeitherStopNorSpecial) {
  GrammarMatcher matcher = Match("root ::= \"<e></s>\" [xy]", {"<", "e>", "</s", ">"});
  EXPECT_EQ(matcher.FindJumpForwardTokens(), (std::vector<int32_t>{2, 3, 4, 5}));
  MatcherOptions options;
  options.override_stop_tokens = std::vector<int64_t>{2};
  GrammarMatcher other(Compile("root ::= \"aab\" [xy]", SmallTokenizer({"a", "aa", "b"})), options);
  EXPECT_EQ(other.FindJumpForwardTokens(), (std::vector<int32_t>{3, 4}));
}

TEST(JumpForward, TokensCanBeAccepted) {
  GrammarMatcher matcher = Match("root ::= \"abcab\" x\nx ::= \"b\" [xy]");
  for (int32_t token : matcher.FindJumpForwardTokens()) EXPECT_TRUE(matcher.AcceptToken(token));
  EXPECT_EQ(matcher.num_steps(), 3);
}

}  // namespace
}  // namespace xgrammar
