// Grammars within a grammar, substrings and whole tokens.
//
// Nested text and named grammars keep their names and ignored text to themselves; how deep they may
// nest is bounded. Tokens by text are looked up in a vocabulary of a few tokens.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "expectations.h"
#include "frontend/json_schema/json_schema.h"
#include "tokenizer/tokenizer_info.h"

namespace xgrammar::lark {
namespace {

TEST(LarkEmbedded, NestedGrammarsHaveNamesAndIgnoredTextOfTheirOwn) {
  ExpectLanguage({"start: item %lark {\n start: item\n item: \"b\"\n} item\nitem: \"a\"",
                  {"aba"},
                  {"aaa", "bbb"}});
  ExpectLanguage({"start: %lark { start: A \"b\"\n%ignore \"_\"\n A: \"x\" } \"c\"",
                  {"xbc", "x_b_c"},
                  {"xbc_", "x b c"}});
}

TEST(LarkEmbedded, NamedGrammars) {
  ExpectLanguage({"start: \"[\" @x (\",\" @x)* \"]\"", {"[q]", "[q,q]"}, {"[]"}},
                 {{"x", "start: \"q\"", nullptr}});
  ExpectLanguage({"start: @json", {"{}", "[1]"}, {"1"}}, {{"json", "", BuiltinJsonGrammar()}});
  ExpectLarkError({"start: @x", 1, 8, "unknown grammar '@x'"});
  ExpectLarkError({"start: @left", 1, 8, "named grammars form a circle: @left -> @right -> @left"},
                  {{"left", "start: @right", nullptr}, {"right", "start: @left", nullptr}});
  ExpectLarkError({"start: @x", 1, 10, "unknown name 'y'"}, {{"x", "start:   y", nullptr}});
}

TEST(LarkEmbedded, GrammarsWithinGrammarsAreBounded) {
  std::string nested = "@x0";
  for (int i = 0; i < 50; ++i) nested = "%lark { start: " + nested + " }";
  std::vector<NamedGrammar> named;
  for (int i = 0; i < 60; ++i) {
    named.push_back({"x" + std::to_string(i), "start: @x" + std::to_string(i + 1), nullptr});
  }
  named.push_back({"x60", "start: \"a\"", nullptr});
  ExpectLanguage({"start: @x0", {"a"}, {""}}, named);
  const std::string text = "start: " + nested;
  ExpectLarkError(
      {text, 1, 8, "A fixed limit was exceeded by grammars within grammars: 101 is larger than 100",
       ErrorKind::kLimit},
      named);
}

TEST(LarkEmbedded, Substrings) {
  const std::vector<LanguageCase> cases = {
      {"start: \"<\" S \">\"\nS: %regex {\"substring_chunks\":[\"xy\",\"z\"]}",
       {"<>", "<xyz>", "<z>"},
       {"<x>"}},
      {"start: %regex {\"substring_words\": \"the  quick, brown\"}",
       {"", "quick,", "the  quick", ", brown"},
       {"qui", " quick"}},
      {"start: %regex {\"substring_chars\": \"aβc\"}", {"", "βc"}, {"ac"}},
  };
  for (const LanguageCase& expected : cases) ExpectLanguage(expected);
  ExpectLarkError({"start: %regex {\"a\":1}", 1, 15, "unknown %regex field 'a'"});
  ExpectLarkError({"start: %regex {}", 1, 15, "%regex takes an object with one field"});
  ExpectLarkError({"start: %regex {\"substring_chunks\":[1]}", 1, 15, "substring_chunks must be"});
}

TEST(LarkEmbedded, TokensByText) {
  const TokenizerInfoPtr info = TokenizerInfo::Make({"a", "<t>", "b", "<t>"}, {});
  const GrammarPtr grammar = LarkToGrammar("start: <t>", {}, info.get()).grammar;
  const ExprId body = grammar->rule(grammar->root()).body;
  ASSERT_EQ(grammar->kind(body), ExprKind::kTokenSet);
  EXPECT_EQ(std::vector<int32_t>(grammar->token_ids(body).begin(), grammar->token_ids(body).end()),
            (std::vector<int32_t>{1, 3}));
  EXPECT_THROW(LarkToGrammar("start: <u>", {}, info.get()), Error);
  ExpectLarkError({"start: <t>", 1, 8, "special token <t> needs a tokenizer"});
  ExpectLarkError({"start: <[*]>", 1, 8, "special token <[*]> needs a tokenizer"});
}

}  // namespace
}  // namespace xgrammar::lark
