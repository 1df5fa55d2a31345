// Macro calls of EBNF: `Name(value, name=value, ...)`, read without knowing what the macro means.
//
// The six names are reserved in expressions. Which arguments a macro takes is checked by the file
// of that macro (regex_macro.h, dispatch_macro.h, token_macro.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/ebnf/lexer.h"
#include "support/limits.h"

namespace xgrammar::ebnf {

/// One argument value; tuples nest up to Limits::max_nesting, at most 2,000.
struct MacroArgument {
  enum class Kind : uint8_t { kString, kInteger, kBoolean, kIdentifier, kTuple };

  Kind kind = Kind::kString;
  size_t offset = 0;                 ///< In the source.
  int64_t integer = 0;               ///< kInteger; kBoolean: 0 or 1.
  std::string text;                  ///< kString: decoded; kIdentifier: the name.
  std::vector<MacroArgument> items;  ///< kTuple.
};

struct MacroCall {
  std::string name;
  size_t offset = 0;            ///< Of the name.
  size_t arguments_offset = 0;  ///< Just after `(`: where errors about values are reported.
  std::vector<MacroArgument> positional;
  std::vector<std::pair<std::string, MacroArgument>> named;
};

bool IsMacroName(std::string_view name);

/// Reads the call whose name is `*token`, and leaves the token after its `)` there. Raises
/// kGrammarSyntax, kLimit.
MacroCall ParseMacroCall(Lexer* lexer, Token* token, const Limits& limits);

}  // namespace xgrammar::ebnf
