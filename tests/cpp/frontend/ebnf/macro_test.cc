// Macro calls as the parser reads them: every form of argument, names that are reserved for macros,
// structural errors with their place, and a bound on nested tuples.
//
// What each macro means has a file of its own (dispatch_macro_test.cc, regex_macro_test.cc,
// token_macro_test.cc); here calls are only read.
#include "frontend/ebnf/macro.h"

#include <gtest/gtest.h>

#include <string>

#include "syntax_error_expectation.h"

namespace xgrammar::ebnf {
namespace {

MacroCall Parse(std::string_view source) {
  Lexer lexer(source);
  Token token;
  lexer.Next(&token);
  MacroCall call = ParseMacroCall(&lexer, &token, Limits());
  EXPECT_EQ(token.kind, TokenKind::kEnd);
  return call;
}

using Kind = MacroArgument::Kind;

TEST(Macro, Arguments) {
  MacroCall call =
      Parse("Token \n ( \"a\", 12, -1, true, name, (), (\"z\"), (1, (2,),), x=(3), y=false)");
  EXPECT_EQ(call.name, "Token");
  ASSERT_EQ(call.positional.size(), 8u);
  EXPECT_EQ(call.positional[0].text, "a");
  EXPECT_EQ(call.positional[1].integer, 12);
  EXPECT_EQ(call.positional[2].integer, -1);
  EXPECT_EQ(call.positional[3].kind, Kind::kBoolean);
  EXPECT_EQ(call.positional[4].kind, Kind::kIdentifier);
  EXPECT_TRUE(call.positional[5].items.empty());
  EXPECT_EQ(call.positional[6].items.size(), 1u);
  ASSERT_EQ(call.positional[7].items.size(), 2u);
  EXPECT_EQ(call.positional[7].items[1].items[0].integer, 2);
  ASSERT_EQ(call.named.size(), 2u);
  EXPECT_EQ(call.named[0].first, "x");
  EXPECT_EQ(call.named[0].second.items[0].integer, 3);
  EXPECT_EQ(call.named[1].second.integer, 0);
}

TEST(Macro, NamesAreReserved) {
  for (const char* name :
       {"TagDispatch", "TokenTagDispatch", "Token", "ExcludeToken", "Regex", "Substring"}) {
    EXPECT_TRUE(IsMacroName(name));
    std::string text = std::string("root ::= ") + name + " \"x\"\n" + name + " ::= \"y\"";
    ExpectSyntaxError(text, 1, static_cast<int64_t>(std::string(name).size()) + 11,
                      "Expect ( after macro function name");
  }
  EXPECT_FALSE(IsMacroName("regex"));
}

TEST(Macro, StructuralErrors) {
  ExpectSyntaxError("root ::= Token(1,)", 1, 18,
                    "Expect string, integer, boolean, or tuple in macro argument");
  ExpectSyntaxError("root ::= Token(1 2)", 1, 18, "Expect , or ) in macro arguments");
  ExpectSyntaxError("root ::= Token((1 2))", 1, 19, "Expect , or ) in tuple");
  ExpectSyntaxError("root ::= Token(", 1, 16,
                    "Expect string, integer, boolean, or tuple in macro argument");
  ExpectSyntaxError("root ::= Token(x=1,x=2)", 1, 20, "The named argument x is given twice");
}

TEST(Macro, NestedTuplesAreBounded) {
  std::string text =
      "root ::= Token(" + std::string(3000, '(') + "1" + std::string(3000, ')') + ")";
  ExpectSyntaxError(text, 1, 15 + 2001, "The limit max_nesting was exceeded", ErrorKind::kLimit);
}

}  // namespace
}  // namespace xgrammar::ebnf
