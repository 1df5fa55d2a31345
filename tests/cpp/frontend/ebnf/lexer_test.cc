// Lexer of EBNF: kinds and values of tokens, comments and line ends, how options are told from
// classes, and each lexical error.
//
// Lines and columns count characters, not bytes, from 1. What tokens mean in a row is
// parser_test.cc, escapes are escape_test.cc.
#include "frontend/ebnf/lexer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "syntax_error_expectation.h"

namespace xgrammar::ebnf {
namespace {

std::vector<Token> Tokens(std::string_view source) {
  Lexer lexer(source);
  std::vector<Token> tokens;
  Token token;
  for (lexer.Next(&token); token.kind != TokenKind::kEnd; lexer.Next(&token)) {
    tokens.push_back(token);
  }
  return tokens;
}

std::vector<TokenKind> Kinds(std::string_view source) {
  std::vector<TokenKind> kinds;
  for (const Token& token : Tokens(source)) kinds.push_back(token.kind);
  return kinds;
}

using Kind = TokenKind;

TEST(Lexer, Punctuation) {
  EXPECT_EQ(Kinds("::= | ( (= ) { } , * + ? ="),
            std::vector<Kind>({Kind::kAssign, Kind::kBar, Kind::kOpen, Kind::kOpenLookahead,
                               Kind::kClose, Kind::kOpenBrace, Kind::kCloseBrace, Kind::kComma,
                               Kind::kStar, Kind::kPlus, Kind::kQuestion, Kind::kEqual}));
  EXPECT_EQ(Kinds("( ="), std::vector<Kind>({Kind::kOpen, Kind::kEqual}));
}

TEST(Lexer, WordsAndIntegers) {
  std::vector<Token> tokens = Tokens("a.b-c_D9 true false 12 -7 1st -x");
  ASSERT_EQ(tokens.size(), 7u);
  EXPECT_EQ(tokens[0].kind, Kind::kIdentifier);
  EXPECT_EQ(tokens[1].kind, Kind::kBoolean);
  EXPECT_EQ(tokens[1].integer, 1);
  EXPECT_EQ(tokens[2].integer, 0);
  EXPECT_EQ(tokens[3].kind, Kind::kInteger);
  EXPECT_EQ(tokens[3].integer, 12);
  EXPECT_EQ(tokens[4].integer, -7);
  EXPECT_EQ(tokens[5].kind, Kind::kIdentifier);
  EXPECT_EQ(tokens[6].kind, Kind::kIdentifier);
}

TEST(Lexer, BracesHoldIntegers) {
  EXPECT_EQ(Kinds("{1.5}"), std::vector<Kind>({Kind::kOpenBrace, Kind::kInteger, Kind::kIdentifier,
                                               Kind::kCloseBrace}));
  EXPECT_EQ(Kinds("{2,-1}x1"),
            std::vector<Kind>({Kind::kOpenBrace, Kind::kInteger, Kind::kComma, Kind::kInteger,
                               Kind::kCloseBrace, Kind::kIdentifier}));
}

TEST(Lexer, CommentsAndLineEnds) {
  EXPECT_EQ(Kinds("# one\r\na # two \"\r[#] \"#\"\n#"),
            std::vector<Kind>({Kind::kIdentifier, Kind::kCharClass, Kind::kString}));
}

TEST(Lexer, ClassMembers) {
  auto set = [](std::string_view source) { return Tokens(source).at(0).set; };
  EXPECT_EQ(set("[a-c-e]"), CodePointSet({{'a', 'c'}, {'-', '-'}, {'e', 'e'}}));
  EXPECT_EQ(set("[-a]"), CodePointSet({{'-', '-'}, {'a', 'a'}}));
  EXPECT_EQ(set("[a-]"), CodePointSet({{'-', '-'}, {'a', 'a'}}));
  EXPECT_EQ(set(R"([c\-d])"), CodePointSet({{'-', '-'}, {'c', 'd'}}));
  EXPECT_EQ(set("[^^]"), CodePointSet::Single('^').Complement());
  EXPECT_EQ(set("[a^]"), CodePointSet({{'^', '^'}, {'a', 'a'}}));
  EXPECT_EQ(set("[[]"), CodePointSet::Single('['));
  EXPECT_EQ(set(R"([\]])"), CodePointSet::Single(']'));
  EXPECT_EQ(set("[]"), CodePointSet());
  EXPECT_EQ(set("[^]"), CodePointSet::All());
  EXPECT_EQ(set(R"([\uD83D\uDE00-\uD83D\uDE0F])"), CodePointSet({{0x1F600, 0x1F60F}}));
  EXPECT_EQ(set("[\xCE\xB1-\xCF\x89]"), CodePointSet({{0x3B1, 0x3C9}}));
}

TEST(Lexer, OptionsAreToldFromClasses) {
  EXPECT_EQ(Kinds("a[lazy] ::= b[c]"),
            std::vector<Kind>({Kind::kIdentifier, Kind::kOptions, Kind::kAssign, Kind::kIdentifier,
                               Kind::kCharClass}));
  EXPECT_EQ(Kinds("a[capture=\"]\"] ::="),
            std::vector<Kind>({Kind::kIdentifier, Kind::kOptions, Kind::kAssign}));
  EXPECT_EQ(Kinds("a [lazy] ::="),
            std::vector<Kind>({Kind::kIdentifier, Kind::kCharClass, Kind::kAssign}));
  EXPECT_EQ(
      Kinds("x ::=\na[c]\nb ::= c"),
      std::vector<Kind>({Kind::kIdentifier, Kind::kAssign, Kind::kIdentifier, Kind::kCharClass,
                         Kind::kIdentifier, Kind::kAssign, Kind::kIdentifier}));
}

TEST(Lexer, Errors) {
  ExpectSyntaxError("root ::= ;", 1, 10, "Unexpected character \";\" (U+003B)");
  ExpectSyntaxError("root ::= 'a'", 1, 10, "Unexpected character \"'\"");
  ExpectSyntaxError("root : \"a\"", 1, 6, "Unexpected character \":\"");
  ExpectSyntaxError("\xC3\xA9 ::= \"a\"", 1, 1, "Unexpected character \"\xC3\xA9\" (U+00E9)");
  ExpectSyntaxError("\xEF\xBB\xBFroot ::= \"a\"", 1, 1, "Unexpected character \"\xEF\xBB\xBF\"");
  ExpectSyntaxError(std::string_view("root ::= \"\0\"", 12), 1, 11, "Unexpected character NUL");
  ExpectSyntaxError("root ::= \"\xFF\"", 1, 11, "The grammar text is not well-formed UTF-8");
  ExpectSyntaxError("root ::= \"a\" \"", 1, 15, "Expect \" in string literal");
  ExpectSyntaxError("root ::= \"a\nb\"", 1, 12, "Expect \" in string literal");
  ExpectSyntaxError("root ::= [a", 1, 12, "Unterminated character class");
  ExpectSyntaxError("root ::= [a-", 1, 13, "Unterminated character class");
  ExpectSyntaxError("root ::= [a\n]", 1, 12, "Character class should not contain newline");
  ExpectSyntaxError("root ::= [ab\xC3\xA9Z-A]", 1, 14,
                    "Invalid character class: lower bound is larger than upper bound");
  ExpectSyntaxError("root ::= \"a\"{1000000000000001}", 1, 14, "Integer is too large");
  ExpectSyntaxError("root ::= !a", 1, 10, "Unexpected character \"!\"");
  ExpectSyntaxError("root ::= <[x]>", 1, 12, "Expect a token id in the token literal");
  ExpectSyntaxError("root ::= <[1>", 1, 13, "Expect ]> in the token literal");
  ExpectSyntaxError("root ::= <>", 1, 11, "The token literal has no name");
  ExpectSyntaxError("root ::= <think\n>", 1, 16, "Expect > in the token literal");
  ExpectSyntaxError("root ::= !<think", 1, 17, "Expect > in the token literal");
}

TEST(Lexer, LinesAndColumnsCountCharacters) {
  ExpectSyntaxError("root ::= \"\xC3\xA9\" @", 1, 14, "Unexpected character");
  ExpectSyntaxError("a ::= \"x\"\r\nroot ::= @", 2, 10, "Unexpected character");
  ExpectSyntaxError("a ::= \"x\"\rroot ::= @", 2, 10, "Unexpected character");
  ExpectSyntaxError("\n\n\troot ::= @", 3, 11, "Unexpected character");
}

}  // namespace
}  // namespace xgrammar::ebnf
