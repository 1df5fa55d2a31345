// ResolveNamedTokens: a name becomes the ids of all tokens that have exactly its text, alone and in
// exclusions; a grammar without names comes back as the same object.
//
// A text that no token has and an id outside the vocabulary are refused. How names get into
// grammars is tested with EBNF and Lark.
#include "compiler/named_tokens.h"

#include <gtest/gtest.h>

#include "grammar/builder.h"
#include "support/error.h"

namespace xgrammar {
namespace {

TokenizerInfoPtr Tokenizer() {
  TokenizerOptions options;
  options.stop_token_ids = std::vector<int64_t>{0};
  return TokenizerInfo::Make({"</s>", "a", "b", "a"}, options);
}

GrammarPtr Named(const std::string& text, bool excluding) {
  GrammarBuilder builder;
  const RuleId root = builder.AddRule("root");
  builder.SetBody(root, builder.AddSequence(
                            {builder.AddByteString("x"), builder.AddNamedToken(text, excluding)}));
  return builder.Build(root);
}

TEST(NamedTokens, BecomeTheIdsOfTheirText) {
  for (bool excluding : {false, true}) {
    const GrammarPtr resolved = ResolveNamedTokens(Named("a", excluding), *Tokenizer(), {});
    const ExprId body = resolved->rule(resolved->root()).body;
    const ExprId set = resolved->children(body)[1];
    ASSERT_EQ(resolved->kind(set), ExprKind::kTokenSet);
    const auto ids = resolved->token_ids(set);
    EXPECT_EQ(std::vector<int32_t>(ids.begin(), ids.end()), (std::vector<int32_t>{1, 3}));
    EXPECT_EQ(resolved->is_excluding(set), excluding);
  }
}

TEST(NamedTokens, GrammarsWithoutNamesStayTheSameObject) {
  GrammarBuilder builder;
  const RuleId root = builder.AddRule("root");
  builder.SetBody(root, builder.AddTokenSet({0, 3}, false));
  const GrammarPtr grammar = builder.Build(root);
  EXPECT_EQ(ResolveNamedTokens(grammar, *Tokenizer(), {}), grammar);
}

TEST(NamedTokens, UnknownTextsAndIdsAreRefused) {
  GrammarBuilder builder;
  const RuleId root = builder.AddRule("root");
  builder.SetBody(root, builder.AddTokenSet({0, 4}, true));
  for (const GrammarPtr& grammar : {Named("ab", false), builder.Build(root)}) {
    try {
      ResolveNamedTokens(grammar, *Tokenizer(), {});
      FAIL() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kGrammarSyntax);
    }
  }
}

}  // namespace
}  // namespace xgrammar
