// Macro calls of EBNF: reading the argument list, a recursive descent over tuples, bounded by
// max_nesting.
//
// Values are texts, integers, booleans, names and tuples, each with the byte where it stands. Which
// of them a macro takes is not judged here.
#include "frontend/ebnf/macro.h"

#include <algorithm>
#include <array>

namespace xgrammar::ebnf {

namespace {

constexpr std::array<std::string_view, 6> kMacroNames = {
    "TagDispatch", "TokenTagDispatch", "Token", "ExcludeToken", "Regex", "Substring"};

// No macro takes deeper tuples than pairs, so raising Limits::max_nesting need not deepen the
// native stack.
constexpr int64_t kMaxTupleDepth = 2000;

class ArgumentParser {
 public:
  ArgumentParser(Lexer* lexer, Token* token, const Limits& limits)
      : lexer_(lexer), token_(token), limits_(limits) {}

  void ParseArguments(MacroCall* call) {
    if (token_->kind == TokenKind::kClose) return;
    for (;;) {
      ParseArgument(call);
      if (token_->kind == TokenKind::kClose) return;
      if (token_->kind != TokenKind::kComma) Fail("Expect , or ) in macro arguments");
      lexer_->Next(token_);
    }
  }

 private:
  [[noreturn]] void Fail(const char* message) const { lexer_->Fail(token_->offset, message); }

  void ParseArgument(MacroCall* call) {
    MacroArgument value = ParseValue(0);
    bool is_name = value.kind == MacroArgument::Kind::kIdentifier;
    if (!is_name || token_->kind != TokenKind::kEqual) {
      call->positional.push_back(std::move(value));
      return;
    }
    for (const auto& [name, unused] : call->named) {
      if (name == value.text) {
        lexer_->Fail(value.offset, "The named argument " + value.text + " is given twice");
      }
    }
    lexer_->Next(token_);
    call->named.emplace_back(std::move(value.text), ParseValue(0));
  }

  MacroArgument ParseValue(int64_t depth) {
    MacroArgument value;
    value.offset = token_->offset;
    switch (token_->kind) {
      case TokenKind::kString:
        value.text = token_->text;
        break;
      case TokenKind::kInteger:
        value.kind = MacroArgument::Kind::kInteger;
        value.integer = token_->integer;
        break;
      case TokenKind::kBoolean:
        value.kind = MacroArgument::Kind::kBoolean;
        value.integer = token_->integer;
        break;
      case TokenKind::kIdentifier:
        value.kind = MacroArgument::Kind::kIdentifier;
        value.text = std::string(lexer_->SourceOf(*token_));
        break;
      case TokenKind::kOpen:
        value.kind = MacroArgument::Kind::kTuple;
        ParseItems(&value.items, depth + 1);
        break;
      default:
        Fail("Expect string, integer, boolean, or tuple in macro argument");
    }
    lexer_->Next(token_);
    return value;
  }

  // From the `(` to the `)`, which stays the current token.
  void ParseItems(std::vector<MacroArgument>* items, int64_t depth) {
    if (depth > limits_.max_nesting)
      ThrowLimitError("max_nesting", depth, limits_.max_nesting, "a macro argument");
    if (depth > kMaxTupleDepth)
      ThrowFixedLimitError("the tuples of a macro argument", depth, kMaxTupleDepth);
    lexer_->Next(token_);
    while (token_->kind != TokenKind::kClose) {
      items->push_back(ParseValue(depth));
      if (token_->kind == TokenKind::kComma) {
        lexer_->Next(token_);
      } else if (token_->kind != TokenKind::kClose) {
        Fail("Expect , or ) in tuple");
      }
    }
  }

  Lexer* lexer_;
  Token* token_;
  const Limits& limits_;
};

}  // namespace

bool IsMacroName(std::string_view name) {
  for (std::string_view macro : kMacroNames) {
    if (name == macro) return true;
  }
  return false;
}

MacroCall ParseMacroCall(Lexer* lexer, Token* token, const Limits& limits) {
  MacroCall call;
  call.name = std::string(lexer->SourceOf(*token));
  call.offset = token->offset;
  lexer->Next(token);
  if (token->kind != TokenKind::kOpen) {
    lexer->Fail(token->offset, "Expect ( after macro function name");
  }
  call.arguments_offset = token->offset + token->size;
  lexer->Next(token);
  ArgumentParser(lexer, token, limits).ParseArguments(&call);
  lexer->Next(token);
  return call;
}

}  // namespace xgrammar::ebnf
