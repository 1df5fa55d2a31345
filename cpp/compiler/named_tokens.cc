// ResolveNamedTokens: one pass over the vocabulary for all names, then one copy of the grammar.
//
// Several ids may share a text; each of them is then the token.
#include "compiler/named_tokens.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "grammar/builder.h"
#include "support/error.h"

namespace xgrammar {

namespace {

using IdsByText = std::unordered_map<std::string_view, std::vector<int32_t>>;

void CheckIds(const Grammar& grammar, ExprId expr, int32_t vocab_size) {
  const std::span<const int32_t> ids = grammar.token_ids(expr);
  if (vocab_size == 0 || ids.empty() || ids.back() < vocab_size) return;
  throw Error(ErrorKind::kGrammarSyntax, "Token id " + std::to_string(ids.back()) +
                                             " in the grammar is out of the vocabulary range [0, " +
                                             std::to_string(vocab_size) + ")");
}

/// The names in use, without ids yet; the ids in use are checked on the way.
IdsByText CollectNames(const Grammar& grammar, int32_t vocab_size) {
  IdsByText names;
  const std::vector<bool> used = grammar.UsedExprs();
  for (ExprId id = 0; id < grammar.num_exprs(); ++id) {
    if (!used[static_cast<size_t>(id)]) continue;
    if (grammar.kind(id) == ExprKind::kTokenSet) CheckIds(grammar, id, vocab_size);
    if (grammar.kind(id) == ExprKind::kNamedToken) names.try_emplace(grammar.token_text(id));
  }
  return names;
}

void LookUp(const TokenizerInfo& tokenizer_info, IdsByText* names) {
  const std::vector<std::string>& vocab = tokenizer_info.decoded_vocab();
  for (size_t id = 0; id < vocab.size(); ++id) {
    const auto it = names->find(vocab[id]);
    if (it != names->end()) it->second.push_back(static_cast<int32_t>(id));
  }
  for (const auto& [text, ids] : *names) {
    if (!ids.empty()) continue;
    Error error(ErrorKind::kGrammarSyntax,
                "The grammar names the token " + QuoteForMessage(text) +
                    ", but no token of the vocabulary has exactly this text");
    throw error.Hint("write text as a string literal, or name a token of this tokenizer");
  }
}

}  // namespace

GrammarPtr ResolveNamedTokens(GrammarPtr grammar, const TokenizerInfo& tokenizer_info,
                              const Limits& limits) {
  IdsByText names = CollectNames(*grammar, tokenizer_info.vocab_size());
  if (names.empty()) return grammar;
  LookUp(tokenizer_info, &names);
  GrammarBuilder builder(limits);
  const GrammarBuilder::ImportEdits edits = {
      [&](ExprId id) {
        if (grammar->kind(id) != ExprKind::kNamedToken) return kNoExpr;
        return builder.AddTokenSet(names.at(grammar->token_text(id)), grammar->is_excluding(id));
      },
      {}};
  const std::vector<RuleId> rules = builder.ImportEdited(*grammar, edits);
  return builder.Build(rules[static_cast<size_t>(grammar->root())]);
}

}  // namespace xgrammar
