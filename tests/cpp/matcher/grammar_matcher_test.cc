// GrammarMatcher: what the mask allows is accepted and nothing else, strings are all or nothing,
// rollback, fork and reset lead back to the same masks, token budgets count tokens.
//
// Refused calls leave the state as it was. Stop tokens are in stop_tokens_test.cc, limits in
// matcher_limits_test.cc.
#include "matcher/grammar_matcher.h"

#include <gtest/gtest.h>

#include <random>

#include "matcher/matcher_fixtures.h"
#include "parser/naive_earley.h"
#include "parser/random_grammar.h"

namespace xgrammar {
namespace {

TokenizerInfoPtr Tokenizer() {
  return SmallTokenizer({"a", "b", "ab", "ba", "", "\xC3", "\xA9", "!"});
}
GrammarMatcher Match(const std::string& ebnf) {
  return GrammarMatcher(Compile(ebnf, Tokenizer()), {});
}

TEST(GrammarMatcher, AcceptsWhatTheMaskAllows) {
  GrammarMatcher matcher = Match("root ::= [ab]{3} \"!\"");
  EXPECT_EQ(Mask(&matcher), (Texts{"a", "b", "ab", "ba"}));
  EXPECT_TRUE(matcher.AcceptToken(4));
  EXPECT_EQ(Mask(&matcher), (Texts{"a", "b"}));
  EXPECT_FALSE(matcher.AcceptToken(4)) << "one character too many";
  EXPECT_EQ(matcher.num_steps(), 1);
  EXPECT_TRUE(matcher.AcceptToken(2));
  EXPECT_TRUE(matcher.AcceptToken(9));
  EXPECT_TRUE(matcher.IsCompleted());
  EXPECT_FALSE(matcher.IsTerminated());
  EXPECT_EQ(Mask(&matcher), Texts{"</s>"});
}

TEST(GrammarMatcher, OddIdsAreRefusedWithoutChange) {
  GrammarMatcher matcher = Match("root ::= [^x]*");
  for (int64_t id :
       {int64_t{-1}, int64_t{10}, int64_t{1} << 40, int64_t{6}, int64_t{1}, -(int64_t{1} << 40)}) {
    EXPECT_FALSE(matcher.AcceptToken(id)) << id;
  }
  EXPECT_EQ(matcher.num_steps(), 0);
}

TEST(GrammarMatcher, StringsAreAllOrNothing) {
  GrammarMatcher matcher = Match("root ::= \"ab\" [\xC3\xA9]");
  EXPECT_FALSE(matcher.AcceptString("abx"));
  EXPECT_EQ(matcher.num_steps(), 0);
  EXPECT_EQ(matcher.MatchPrefix("abx"), 2u);
  EXPECT_TRUE(matcher.AcceptString(""));
  EXPECT_TRUE(matcher.AcceptString("ab\xC3"));
  EXPECT_EQ(matcher.num_steps(), 2);
  EXPECT_EQ(Mask(&matcher), Texts{"\xA9"});
  EXPECT_TRUE(matcher.AcceptString("\xA9"));
  EXPECT_TRUE(matcher.IsCompleted());
}

TEST(GrammarMatcher, RollbackUndoesSteps) {
  GrammarMatcher matcher = Match("root ::= \"ab\" \"ab\" \"!\"");
  const auto start = Mask(&matcher);
  ASSERT_TRUE(matcher.AcceptToken(4) && matcher.AcceptString("a") && matcher.AcceptString(""));
  const auto middle = Mask(&matcher);
  ASSERT_TRUE(matcher.AcceptToken(3) && matcher.AcceptToken(9) && matcher.AcceptToken(0));
  EXPECT_TRUE(matcher.IsTerminated());
  matcher.Rollback(1);
  EXPECT_FALSE(matcher.IsTerminated());
  EXPECT_TRUE(matcher.IsCompleted());
  matcher.Rollback(2);
  EXPECT_EQ(Mask(&matcher), middle);
  matcher.Rollback(0);
  EXPECT_EQ(matcher.num_steps(), 3);
  matcher.Rollback(3);
  EXPECT_EQ(Mask(&matcher), start);
}

TEST(GrammarMatcher, RollbackPastTheStartIsRefused) {
  GrammarMatcher matcher = Match("root ::= \"ab\"");
  matcher.AcceptToken(2);
  std::string text;
  EXPECT_EQ(KindOfError([&] { matcher.Rollback(5); }, &text), ErrorKind::kUsage);
  EXPECT_NE(text.find("5"), std::string::npos);
  EXPECT_NE(text.find("1"), std::string::npos);
  EXPECT_EQ(matcher.num_steps(), 1);
  EXPECT_EQ(KindOfError([&] { matcher.Rollback(-1); }), ErrorKind::kValue);
  matcher.Reset();
  EXPECT_EQ(KindOfError([&] { matcher.Rollback(1); }), ErrorKind::kUsage);
}

TEST(GrammarMatcher, ForksAreIndependent) {
  GrammarMatcher matcher = Match("root ::= [ab]* \"!\"");
  matcher.AcceptToken(2);
  GrammarMatcher fork = matcher.Fork();
  EXPECT_TRUE(fork.AcceptToken(9));
  EXPECT_TRUE(fork.AcceptToken(0));
  EXPECT_FALSE(matcher.IsTerminated());
  EXPECT_EQ(matcher.num_steps(), 1);
  fork.Rollback(3);  // A fork has the history, too.
  EXPECT_EQ(fork.num_steps(), 0);
  EXPECT_TRUE(matcher.AcceptToken(3));
}

TEST(GrammarMatcher, ResetStartsOver) {
  GrammarMatcher matcher = Match("root ::= \"ab\"");
  const auto start = Mask(&matcher);
  matcher.AcceptToken(4);
  matcher.AcceptToken(0);
  matcher.Reset();
  EXPECT_FALSE(matcher.IsTerminated());
  EXPECT_EQ(Mask(&matcher), start);
}

TEST(GrammarMatcher, AFullRowNeedsNotBeApplied) {
  TokenizerOptions options;
  options.stop_token_ids = std::vector<int64_t>{};
  const auto tokenizer = TokenizerInfo::Make({"a", "b", "c"}, options);
  GrammarMatcher all(Compile("root ::= [a-z]*", tokenizer), {});
  std::vector<int32_t> row(1, 0);
  EXPECT_FALSE(all.FillNextTokenBitmask(row));
  EXPECT_EQ(row[0], -1);
  GrammarMatcher some(Compile("root ::= [a-b]*", tokenizer), {});
  EXPECT_TRUE(some.FillNextTokenBitmask(row));
  EXPECT_EQ(row[0], 3);
}

TEST(GrammarMatcher, RowsOfTheWrongWidthAreRefused) {
  GrammarMatcher matcher = Match("root ::= \"a\"");
  for (size_t words : {0u, 2u}) {
    std::vector<int32_t> row(words, 7);
    EXPECT_EQ(KindOfError([&] { matcher.FillNextTokenBitmask(row); }), ErrorKind::kUsage);
  }
}

TEST(GrammarMatcher, TokenSetsTakeWholeTokens) {
  GrammarBuilder builder;
  const RuleId root = builder.AddRule("root");
  builder.SetBody(
      root, builder.AddSequence({builder.AddTokenSet({1, 2}, false), builder.AddTokenSet({2}, true),
                                 builder.AddByteString("!")}));
  GrammarMatcher matcher(Compile(builder.Build(root), Tokenizer()), {});
  EXPECT_EQ(Mask(&matcher), (Texts{"<e>", "a"}));
  EXPECT_FALSE(matcher.AcceptString("a")) << "text is no token";
  EXPECT_TRUE(matcher.AcceptToken(1));
  EXPECT_EQ(Mask(&matcher).count("a"), 0u);
  EXPECT_EQ(Mask(&matcher).count("ab"), 1u);
  EXPECT_TRUE(matcher.AcceptToken(3));
  EXPECT_EQ(Mask(&matcher), Texts{"!"});
}

TEST(GrammarMatcher, TokenLimitsCountTokens) {
  GrammarBuilder builder;
  const RuleId root = builder.AddRule("root");
  const RuleId text = builder.AddRule("text");
  builder.SetBody(text, builder.AddStar(builder.AddCharClass(CodePointSet({{'a', 'b'}}))));
  RuleOptions options;
  options.max_tokens = 2;
  builder.SetOptions(text, options);
  builder.SetBody(root,
                  builder.AddSequence({builder.AddRuleRef(text), builder.AddByteString("!")}));
  GrammarMatcher matcher(Compile(builder.Build(root), Tokenizer()), {});
  const Texts free{"a", "b", "ab", "ba", "!"};
  EXPECT_EQ(Mask(&matcher), free);
  EXPECT_TRUE(matcher.AcceptToken(4));
  EXPECT_TRUE(matcher.AcceptString("abab")) << "text that is no token does not count";
  EXPECT_EQ(Mask(&matcher), free);
  EXPECT_TRUE(matcher.AcceptToken(2));
  EXPECT_EQ(Mask(&matcher), Texts{"!"});
  matcher.Rollback(1);
  EXPECT_EQ(Mask(&matcher), free);
}

/// The invariant over random grammars: a bit is set if and only if a fork accepts the token, and
/// that is if and only if a textbook recogniser reads its bytes.
TEST(GrammarMatcher, MaskAndAcceptanceAgree) {
  const auto tokenizer = SmallTokenizer({"a", "b", "c", "ab", "bc", "abc", "\xC3\xA9", "\xC3",
                                         "\xA9", "\xE2\x82", "\xAC", "aa", "cab"});
  const auto& vocab = tokenizer->decoded_vocab();
  for (uint32_t seed = 0; seed < 250; ++seed) {
    const GrammarPtr grammar = RandomGrammar(seed).Make();
    NaiveEarley naive(*grammar);
    if (naive.is_empty()) continue;
    GrammarMatcher matcher(Compile(grammar, tokenizer), {});
    std::mt19937 random(seed);
    for (int step = 0; step < 6; ++step) {
      const auto allowed = MaskIds(&matcher);
      ASSERT_EQ(matcher.IsCompleted(), naive.IsComplete()) << seed;
      for (int32_t id = 0; id < tokenizer->vocab_size(); ++id) {
        GrammarMatcher fork = matcher.Fork();
        ASSERT_EQ(fork.AcceptToken(id), allowed.count(id) > 0) << seed << " token " << id;
        const bool expected =
            id == 0 ? naive.IsComplete() : id != 1 && naive.Allows(vocab[static_cast<size_t>(id)]);
        ASSERT_EQ(allowed.count(id) > 0, expected) << seed << " token " << id;
      }
      std::vector<int32_t> text_ids;
      for (int32_t id : allowed) {
        if (id > 1) text_ids.push_back(id);
      }
      if (text_ids.empty()) break;
      const int32_t id = text_ids[random() % text_ids.size()];
      ASSERT_TRUE(matcher.AcceptToken(id));
      ASSERT_TRUE(naive.PushAll(vocab[static_cast<size_t>(id)]));
    }
  }
}

TEST(GrammarMatcher, ExplainsItself) {
  GrammarMatcher matcher = Match("root ::= \"ab\"");
  EXPECT_EQ(matcher.NextBytes(), std::vector<uint8_t>{'a'});
  EXPECT_NE(matcher.DebugString().find("steps 0"), std::string::npos);
  EXPECT_TRUE(matcher.limit_error().empty());
}

}  // namespace
}  // namespace xgrammar
