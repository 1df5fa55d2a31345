// DocumentCompiler: whole tokens, and grammars within the grammar.
//
// `%json` goes through the JSON Schema front end, nested Lark text through a compiler of its own in
// the same session, so that both share rules and limits. Tokens named by text are looked up in the
// vocabulary, and it is an error if none is given.
#include <string>
#include <utility>

#include "frontend/lark/compiler.h"
#include "frontend/lark/json_place.h"
#include "support/error.h"

namespace xgrammar::lark {

ExprId DocumentCompiler::CompileJson(NodeId id) {
  const Node& node = document_.node(id);
  const std::string& text = document_.literal(id).text;
  ReadJson(text, node.offset + static_cast<size_t>(node.count), source_, session_.limits());
  return builder().AddRuleRef(session_.AddJsonSchema(text));
}

ExprId DocumentCompiler::CompileNested(NodeId id) {
  const Document& nested = *document_.nested[static_cast<size_t>(document_.node(id).first)];
  return builder().AddRuleRef(DocumentCompiler(nested, source_, &session_).Compile());
}

/// All ids of a token that is named by its text, or of a list.
std::vector<int32_t> DocumentCompiler::IdsOf(NodeId marker) const {
  const Node& node = document_.node(marker);
  if (node.kind == NodeKind::kTokenIds) {
    return document_.token_ids[static_cast<size_t>(node.first)].ids;
  }
  const std::string& text = document_.literal(marker).text;
  if (session_.tokenizer() == nullptr) {
    Error error(ErrorKind::kGrammarSyntax,
                "special token " + QuoteForMessage(text, 60) + " needs a tokenizer");
    throw source_.Placed(error.Hint("pass tokenizer_info, or compile with compile_lark"),
                         node.offset);
  }
  const std::vector<std::string>& vocab = session_.tokenizer()->decoded_vocab();
  std::vector<int32_t> ids;
  for (size_t i = 0; i < vocab.size(); ++i) {
    if (vocab[i] == text) ids.push_back(static_cast<int32_t>(i));
  }
  if (ids.empty()) {
    source_.Fail(node.offset,
                 "no token of the vocabulary has exactly the text " + QuoteForMessage(text, 60));
  }
  return ids;
}

ExprId DocumentCompiler::CompileTokenText(NodeId id) {
  return builder().AddTokenSet(IdsOf(id), false);
}

ExprId DocumentCompiler::CompileTokenIds(NodeId id) {
  const Node& node = document_.node(id);
  const TokenIds& tokens = document_.token_ids[static_cast<size_t>(node.first)];
  if (tokens.ids.empty() && session_.tokenizer() == nullptr) {
    Error error(ErrorKind::kGrammarSyntax, "special token <[*]> needs a tokenizer");
    throw source_.Placed(error.Hint("pass tokenizer_info, or compile with compile_lark"),
                         node.offset);
  }
  return builder().AddTokenSet(tokens.ids, tokens.excluding);
}

}  // namespace xgrammar::lark
