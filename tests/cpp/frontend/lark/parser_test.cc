// Expressions, definitions, attributes, directives and special tokens of Lark: what is well-formed,
// and where the error is if it is not.
//
// What the pieces mean is compiler_test.cc.
#include "frontend/lark/parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "expectations.h"

namespace xgrammar::lark {
namespace {

std::unique_ptr<Document> ParseText(std::string_view text) {
  const Source source(text, "", Limits());
  Lexer lexer(source);
  return Parser(&lexer, Limits()).Parse();
}

TEST(LarkParser, TheCaseOfTheFirstLetterTellsTerminals) {
  const auto document = ParseText("a:\n__B:\n_c: \"x\"\naB:\n");
  ASSERT_EQ(document->definitions.size(), 4U);
  EXPECT_FALSE(document->definitions[0].is_terminal);
  EXPECT_TRUE(document->definitions[1].is_terminal);
  EXPECT_FALSE(document->definitions[2].is_terminal);
  EXPECT_FALSE(document->definitions[3].is_terminal);
}

TEST(LarkParser, ChildrenComeBeforeTheirParents) {
  const auto document = ParseText("start: (a | b c)* [d]~2 \"x\"..\"y\" -> z");
  for (NodeId id = 0; id < static_cast<NodeId>(document->nodes.size()); ++id) {
    const NodeKind kind = document->kind(id);
    if (kind != NodeKind::kSequence && kind != NodeKind::kChoices && kind != NodeKind::kRepeat) {
      continue;
    }
    for (NodeId child : document->children_of(id)) EXPECT_LT(child, id);
  }
}

TEST(LarkParser, Attributes) {
  const auto document = ParseText(
      "a[lazy, capture, max_tokens=7, max_chars=0]: \"x\"\n"
      "b[stop=/x/, stop_capture=\"n.1\"]: \"y\"\n"
      "c[temperature=0.5]: \"y\"");
  const Attributes& a = document->definitions[0].attributes;
  EXPECT_TRUE(a.lazy);
  EXPECT_EQ(a.max_tokens, 7);
  EXPECT_EQ(a.max_chars, 0);
  ASSERT_EQ(a.notes.size(), 1U);
  EXPECT_EQ(a.notes[0].name, "capture");
  EXPECT_NE(document->definitions[1].attributes.stop, kNoNode);
  EXPECT_EQ(document->definitions[2].attributes.notes[0].name, "temperature");
}

TEST(LarkParser, TokenIds) {
  const auto document = ParseText("start: <[5,1-3]> <[^7]> <[*]> <|end|>");
  ASSERT_EQ(document->token_ids.size(), 3U);
  EXPECT_EQ(document->token_ids[0].ids, (std::vector<int32_t>{5, 1, 2, 3}));
  EXPECT_TRUE(document->token_ids[1].excluding);
  EXPECT_TRUE(document->token_ids[2].ids.empty());
  EXPECT_EQ(document->literals.back().text, "<|end|>");
}

TEST(LarkParser, ErrorsInExpressions) {
  const std::vector<ErrorCase> cases = {
      {"start:\n \"a\"", 2, 2, "expected rule or terminal name"},
      {"start: \"a\"\n  \"b\"", 2, 3, "expected rule or terminal name"},
      {"start: (\"a\"\n)", 1, 12, "expected ')' after group"},
      {"start: [\"a\"", 1, 12, "expected ']' after group"},
      {"start: (\"a\"]", 1, 12, "expected ')' after group"},
      {"start: \"a\")", 1, 11, "unexpected ')'"},
      {"start: \"a\"**", 1, 12, "unexpected '*'"},
      {"start: *", 1, 8, "unexpected '*'"},
      {"start: \"a\" -> b c", 1, 17, "an alias must end its alternative"},
      {"start: \"z\"..\"a\"", 1, 8, "range end must be greater than or equal to start"},
      {"start: \"ab\"..\"c\"", 1, 8, "each end of a range must be one character"},
      {"start: \"a\"i..\"c\"", 1, 8, "the ends of a range take no flags"},
      {"start: \"a\"{3,2}", 1, 12, "repetition end must be greater than or equal to start"},
      {"start: \"a\"~3..2", 1, 12, "repetition end must be greater than or equal to start"},
      {"start: \"a\"{-1}", 1, 12, "invalid repetition count"},
      {"start: \"a\"{1.5}", 1, 12, "invalid repetition count"},
      {"start: \"a\"{}", 1, 12, "invalid repetition count"},
      {"start: \"a\"{99999999999}", 1, 12, "invalid repetition count"},
      {"start: A\nA: \"a\" ~", 2, 8, "expected a terminal after '~'"},
      {"start: A\nA: \"a\" &", 2, 9, "expected a terminal after '&'"},
      {"start: %lark \"a\"", 1, 14, "expected '{' after %lark"},
      {"start: %lark { start: \"a\"", 1, 26, "expected '}' after a nested grammar"},
  };
  for (const ErrorCase& expected : cases) ExpectLarkError(expected);
}

TEST(LarkParser, ErrorsInDefinitions) {
  const std::vector<ErrorCase> cases = {
      {"?!start: \"a\"", 1, 2, "expected rule or terminal name"},
      {"start ::= \"a\"", 1, 8, "unexpected ':'"},
      {"start.2: \"a\"", 1, 6, "a priority is not supported", ErrorKind::kUnsupported},
      {"s{x}: x", 1, 1, "a template is not supported", ErrorKind::kUnsupported},
      {"start: s{\"a\"}", 1, 8, "a template is not supported", ErrorKind::kUnsupported},
      {"%declare A\nstart: \"a\"", 1, 1, "%declare is not supported", ErrorKind::kUnsupported},
      {"%what", 1, 1, "unknown directive '%what'"},
      {"%ignore\nstart:", 1, 8, "expected a terminal after %ignore"},
      {"%grammar_options {\"x\": true}", 1, 24, "unknown grammar option 'x'"},
      {"%grammar_options {\"no_forcing\": 1}", 1, 33, "grammar option 'no_forcing' must be"},
      {"%llguidance {\"no_forcing\": true}", 1, 28, "grammar option 'no_forcing' is not supported",
       ErrorKind::kUnsupported},
      {"X[lazy]: \"a\"", 1, 2, "attributes are only supported on rules"},
      {"x[]: \"a\"", 1, 3, "expected the name of an attribute"},
      {"x[lazy,lazy]: \"a\"", 1, 8, "duplicate attribute 'lazy'"},
      {"x[lazy=1]: \"a\"", 1, 7, "attribute 'lazy' takes no value"},
      {"x[odd=1]: \"a\"", 1, 3, "unknown attribute 'odd'"},
      {"x[max_tokens=0]: \"a\"", 1, 14, "expected an integer from 1 to 1000000"},
      {"x[max_chars=-1]: \"a\"", 1, 13, "expected an integer from 0 to 2147483647"},
      {"x[suffix=\"\"]: \"a\"", 1, 10, "suffix and stop must not be an empty string"},
      {"x[suffix=\"a\", stop=\"b\"]: \"a\"", 1, 2, "suffix and stop cannot be used together"},
      {"x[stop_capture=\"n\"]: \"a\"", 1, 2, "stop_capture needs suffix or stop"},
      {"x[capture=\"a b\"]: \"a\"", 1, 11, "a capture name is a string of letters"},
      {"x[temperature=-1]: \"a\"", 1, 15, "the temperature must be a finite non-negative number"},
      {"x[temperature=1, lazy]: \"a\"", 1, 2, "temperature cannot be used with"},
  };
  for (const ErrorCase& expected : cases) ExpectLarkError(expected);
}

TEST(LarkParser, ErrorsInSpecialTokens) {
  const std::vector<ErrorCase> cases = {
      {"start: <>", 1, 8, "expected a token between"},
      {"start: <[1>", 1, 8, "expected ']'"},
      {"start: <[]>", 1, 8, "expected token ids"},
      {"start: <[^*]>", 1, 8, "expected token ids"},
      {"start: <[*,1]>", 1, 8, "expected token ids"},
      {"start: <[1,]>", 1, 8, "expected token ids"},
      {"start: <[99999999999]>", 1, 8, "expected token ids"},
      {"start: <[3-1]>", 1, 8, "invalid range of token ids"},
      {"start: <[0-1000000]>", 1, 8, "a range of token ids may hold at most"},
  };
  for (const ErrorCase& expected : cases) ExpectLarkError(expected);
}

TEST(LarkParser, NestingIsBounded) {
  const std::string deep = "start: " + std::string(1000, '(') + "\"a\"" + std::string(1000, ')');
  EXPECT_TRUE(Accepts(*LarkToGrammar(deep, {}, nullptr).grammar, "a"));
  const std::string deeper = "start: " + std::string(100000, '(');
  ExpectLarkError({deeper, 1, 1, "The limit max_nesting", ErrorKind::kLimit});
  std::string grammars = "start: ";
  for (int i = 0; i < 200; ++i) grammars += "%lark { start: ";
  ExpectLarkError({grammars, 1, 1, "A fixed limit was exceeded", ErrorKind::kLimit});
}

}  // namespace
}  // namespace xgrammar::lark
