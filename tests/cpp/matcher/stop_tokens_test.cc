// Stop and special tokens: the end mark of a complete match, never text, but what literals and
// token sets name; several at once, none at all, and those of a matcher that overrides the
// tokenizer's.
//
// Each rule is checked by the mask and by acceptance. Where literals spell a marker is
// tests/cpp/mask/marker_tokens_test.cc.
#include <gtest/gtest.h>

#include "matcher/grammar_matcher.h"
#include "matcher/matcher_fixtures.h"

namespace xgrammar {
namespace {

TokenizerInfoPtr Tokenizer(std::vector<int64_t> stop = {0}) {
  return SmallTokenizer({"a", "b", "<", "/s>", "e>"}, std::move(stop));
}
GrammarMatcher Match(const std::string& ebnf, const MatcherOptions& options = {},
                     std::vector<int64_t> stop = {0}) {
  return GrammarMatcher(Compile(ebnf, Tokenizer(std::move(stop))), options);
}
MatcherOptions WithoutStop() {
  MatcherOptions options;
  options.terminate_without_stop_token = true;
  return options;
}
MatcherOptions Override(std::vector<int64_t> ids) {
  MatcherOptions options;
  options.override_stop_tokens = std::move(ids);
  return options;
}

TEST(StopTokens, MarkTheEndOfACompleteMatch) {
  GrammarMatcher matcher = Match("root ::= \"a\" \"b\"?");
  EXPECT_EQ(Mask(&matcher), Texts{"a"});
  EXPECT_TRUE(matcher.AcceptToken(2));
  EXPECT_EQ(Mask(&matcher), (Texts{"b", "</s>"}));
  EXPECT_TRUE(matcher.AcceptToken(0));
  EXPECT_TRUE(matcher.IsTerminated());
  EXPECT_TRUE(matcher.IsCompleted());
  EXPECT_FALSE(matcher.AcceptToken(3));
  EXPECT_FALSE(matcher.AcceptToken(0));
  EXPECT_FALSE(matcher.AcceptString(""));
  EXPECT_EQ(KindOfError([&] { MaskIds(&matcher); }), ErrorKind::kUsage);
}

TEST(StopTokens, AreNoText) {
  GrammarMatcher free = Match("root ::= [^x]* \"q\"");
  EXPECT_EQ(Mask(&free), (Texts{"a", "b", "<", "/s>", "e>"}));
  GrammarMatcher literal = Match("root ::= \"</s>\" \"a\"");
  EXPECT_EQ(Mask(&literal), Texts{"<"}) << "in the middle not even where a literal spells them";
  EXPECT_TRUE(literal.AcceptToken(4) && literal.AcceptToken(5));
  EXPECT_EQ(Mask(&literal), Texts{"a"});
}

TEST(StopTokens, CompleteAndEndWhereTheirTextIsWhatRemains) {
  for (const char* ebnf : {"root ::= \"a\" \"</s>\"", "root ::= \"a</s>\"",
                           "root ::= \"a\" end\nend ::= \"</s>\"", "root ::= (\"a\" \"</s>\")+"}) {
    GrammarMatcher matcher = Match(ebnf);
    EXPECT_EQ(Mask(&matcher), Texts{"a"}) << ebnf;
    EXPECT_TRUE(matcher.AcceptToken(2));
    EXPECT_EQ(Mask(&matcher), (Texts{"</s>", "<"})) << ebnf;
    EXPECT_TRUE(matcher.AcceptToken(0)) << ebnf;
    EXPECT_TRUE(matcher.IsTerminated() && matcher.IsCompleted());
    matcher.Rollback(1);
    EXPECT_TRUE(matcher.AcceptString("</s>"));
    EXPECT_FALSE(matcher.IsTerminated()) << "text completes and does not end";
    EXPECT_TRUE(matcher.IsCompleted());
    EXPECT_TRUE(matcher.AcceptToken(0));
  }
}

TEST(StopTokens, NamedByATokenSetAtTheEnd) {
  for (bool in_the_middle : {false, true}) {
    GrammarBuilder builder;
    const RuleId root = builder.AddRule("root");
    const ExprId stop = builder.AddTokenSet({0}, false);
    const ExprId a = builder.AddByteString("a");
    builder.SetBody(
        root, in_the_middle ? builder.AddSequence({stop, a}) : builder.AddSequence({a, stop}));
    GrammarMatcher matcher(Compile(builder.Build(root), Tokenizer()), {});
    if (in_the_middle) {
      EXPECT_TRUE(Mask(&matcher).empty());
      continue;
    }
    EXPECT_TRUE(matcher.AcceptToken(2));
    EXPECT_EQ(Mask(&matcher), Texts{"</s>"});
    EXPECT_TRUE(matcher.AcceptToken(0));
    EXPECT_TRUE(matcher.IsTerminated());
  }
}

TEST(StopTokens, SpecialTokensStandForTheirLiterals) {
  GrammarMatcher matcher = Match("root ::= [<e>ab]* \"!\" | \"<e>\" \"b\"");
  EXPECT_EQ(Mask(&matcher), (Texts{"<e>", "a", "b", "<", "e>"}));
  EXPECT_TRUE(matcher.AcceptToken(1));
  EXPECT_EQ(Mask(&matcher), Texts{"b"}) << "the token was no text, so the loop is over";
  GrammarMatcher text = Match("root ::= [<e>ab]*");
  EXPECT_EQ(Mask(&text).count("<e>"), 0u);
}

TEST(StopTokens, TerminatingWithoutThem) {
  GrammarMatcher matcher = Match("root ::= \"a\"*", WithoutStop());
  EXPECT_TRUE(matcher.IsTerminated()) << "complete from the start";
  EXPECT_EQ(Mask(&matcher), Texts{"a"});
  EXPECT_TRUE(matcher.AcceptToken(2));
  EXPECT_FALSE(matcher.AcceptToken(0));
  EXPECT_EQ(matcher.FindJumpForwardString(), "");
  GrammarMatcher closing = Match("root ::= \"a</s>\"", WithoutStop());
  EXPECT_FALSE(closing.IsTerminated());
  EXPECT_TRUE(closing.AcceptToken(2));
  EXPECT_EQ(Mask(&closing), (Texts{"</s>", "<"}));
  EXPECT_TRUE(closing.AcceptToken(0));
  EXPECT_TRUE(closing.IsTerminated());
}

TEST(StopTokens, SeveralAreAllowedTogether) {
  GrammarMatcher matcher = Match("root ::= \"a\"?", {}, {0, 3});
  EXPECT_EQ(Mask(&matcher), (Texts{"a", "</s>", "b"}));
  EXPECT_TRUE(matcher.AcceptToken(3));
  EXPECT_TRUE(matcher.IsTerminated());
}

TEST(StopTokens, OverriddenByOthers) {
  GrammarMatcher matcher = Match("root ::= [ab]*", Override({3, 3, 5}));
  EXPECT_EQ(matcher.stop_token_ids(), (std::vector<int32_t>{3, 5}));
  EXPECT_EQ(Mask(&matcher), (Texts{"a", "b", "/s>"})) << "b is an end mark now, </s> stays special";
  EXPECT_TRUE(matcher.AcceptToken(3));
  EXPECT_TRUE(matcher.IsTerminated());
}

TEST(StopTokens, OverridesAreChecked) {
  std::string text;
  EXPECT_EQ(KindOfError([&] { Match("root ::= \"a\"", Override({})); }), ErrorKind::kUsage);
  for (int64_t id : {int64_t{-1}, int64_t{7}, int64_t{1} << 33}) {
    EXPECT_EQ(KindOfError([&] { Match("root ::= \"a\"", Override({id})); }, &text),
              ErrorKind::kUsage);
    EXPECT_NE(text.find(std::to_string(id)), std::string::npos);
    EXPECT_NE(text.find("[0, 7)"), std::string::npos);
  }
}

TEST(StopTokens, NoneAtAll) {
  GrammarMatcher matcher = Match("root ::= \"a\"", {}, {});
  EXPECT_TRUE(matcher.AcceptToken(2));
  EXPECT_TRUE(Mask(&matcher).empty());
}

}  // namespace
}  // namespace xgrammar
