// Token and ExcludeToken: one whole token by its id, as a token set of the grammar.
//
// Arguments must be non-negative integers of 31 bits. Whether an id exists is known when the
// grammar meets a vocabulary.
#include "frontend/ebnf/token_macro.h"

#include <utility>
#include <vector>

namespace xgrammar::ebnf {

std::string TokenIdTooLarge(int64_t id) {
  return "Token id " + std::to_string(id) + " is above " + std::to_string(kMaxTokenId);
}

ExprId BuildTokenMacro(const MacroCall& call, const Lexer& lexer, GrammarBuilder* builder) {
  const size_t offset = call.arguments_offset;
  const std::string subject = call.name + "() ";
  if (!call.named.empty()) lexer.Fail(offset, subject + "does not accept named arguments");
  if (call.positional.empty()) {
    lexer.Fail(offset, subject + "requires at least one integer argument");
  }
  std::vector<int32_t> ids;
  ids.reserve(call.positional.size());
  for (const MacroArgument& argument : call.positional) {
    if (argument.kind != MacroArgument::Kind::kInteger || argument.integer < 0) {
      lexer.Fail(offset, subject + "arguments must be non-negative integers");
    }
    if (argument.integer > kMaxTokenId) lexer.Fail(offset, TokenIdTooLarge(argument.integer));
    ids.push_back(static_cast<int32_t>(argument.integer));
  }
  return builder->AddTokenSet(std::move(ids), call.name == "ExcludeToken");
}

}  // namespace xgrammar::ebnf
