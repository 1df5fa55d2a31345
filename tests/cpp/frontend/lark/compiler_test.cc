// The compiler of Lark: rules, ignored text, terminals as lexemes, limits and notes of rules,
// reports.
//
// Languages are checked by texts (expectations.h); what leaves no trace in a language, such as the
// kind of a rule, is read off the grammar.
#include "frontend/lark/compiler.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "expectations.h"

namespace xgrammar::lark {
namespace {

TEST(LarkCompiler, Rules) {
  const std::vector<LanguageCase> cases = {
      {"start: \"a\"\n     | \"b\" \"c\"\n     | ", {"a", "bc", ""}, {"b"}},
      {"start: \"a\"~2 \"b\"~1..2 \"c\"{2} \"d\"{,1} \"e\"{1,}",
       {"aabccee", "aabbccde"},
       {"aabcc"}},
      {"start: \"x\"{,} \"y\"{0}", {"", "xx"}, {"y"}},
      {"start: [\"a\" \"b\"] \"c\"", {"c", "abc"}, {"ac"}},
      {"?start: x -> foo\n!x: \"a\" -> bar", {"a"}, {"foo"}},
      {"start: n\nn: \"o\" | \"<\" n \">\"", {"o", "<<o>>"}, {"<>"}},
      {"start: \"//\" // c\n  | \"#\" # d", {"//", "#"}, {"/"}},
      {"start: () [] //", {""}, {"a"}},
      {"start:/a/|/b/\r\nx : \"c\"\r\n", {"a", "b"}, {"c"}},
  };
  for (const LanguageCase& expected : cases) ExpectLanguage(expected);
}

TEST(LarkCompiler, IgnoredTextFollowsLexemes) {
  const std::vector<LanguageCase> cases = {
      {"%ignore \" \"\nstart: A A\nA: \"a\" \"b\"",
       {"abab", "ab ab", "abab  "},
       {"a bab", " abab"}},
      {"%ignore \" \"\n%ignore /-/\nstart: \"a\" \"\" \"b\"", {"a - b--"}, {"-ab"}},
      {"%ignore \" \"\nstart: %json true \"!\"", {"1 !"}, {" 1!"}},
      {"%ignore \" \"\nstart: x \"!\"\nx[lazy]: /a*/ \"b\"", {"aab !"}, {"a b!"}},
      {"%grammar_options {\"allow_initial_skip\": true}\n%ignore \" \"\nstart: \"a\"",
       {"a", " a ", "  a"},
       {"b"}},
      {"%llguidance {}\n%ignore \" \"\nstart: \"a\"", {"a "}, {" a"}},
  };
  for (const LanguageCase& expected : cases) ExpectLanguage(expected);
}

TEST(LarkCompiler, OnlyReachableRulesAreKept) {
  const GrammarPtr grammar =
      LarkToGrammar("%import common.INT\nstart: A\nA: \"a\"\nx: y\ny: \"z\"", {}, nullptr).grammar;
  EXPECT_EQ(grammar->num_rules(), 2);
}

TEST(LarkCompiler, TerminalsAreLexemes) {
  const GrammarPtr grammar = LarkToGrammar("start: A\nA: \"a\"+", {}, nullptr).grammar;
  for (RuleId id = 0; id < grammar->num_rules(); ++id) {
    if (id == grammar->root()) continue;
    EXPECT_EQ(grammar->rule(id).kind, RuleKind::kLexeme);
  }
}

TEST(LarkCompiler, LimitsAreRuleOptions) {
  const GrammarPtr grammar =
      LarkToGrammar("start[max_tokens=5, max_chars=9]: /a*/", {}, nullptr).grammar;
  EXPECT_EQ(grammar->rule(grammar->root()).options.max_tokens, 5);
  EXPECT_EQ(grammar->rule(grammar->root()).options.max_chars, 9);
}

TEST(LarkCompiler, CapturesAndTemperaturesAreNotes) {
  const LarkResult result = LarkToGrammar(
      "start: x y z\nx[capture, temperature=0.5]: /a/\n"
      "y[suffix=\"##\", capture=\"n\"]: /b*/\nz[stop=/[;.]/, stop_capture=\"m\"]: /c*/",
      {}, nullptr);
  EXPECT_TRUE(result.report.empty());
  std::map<std::string, RuleNotes> notes;
  for (RuleId id = 0; id < result.grammar->num_rules(); ++id) {
    const Rule& rule = result.grammar->rule(id);
    if (rule.notes != nullptr) notes[rule.name] = *rule.notes;
  }
  ASSERT_EQ(notes.size(), 3U);
  EXPECT_EQ(notes["x"].capture, "x");
  EXPECT_EQ(notes["x"].temperature, 0.5);
  EXPECT_EQ(notes["y"].capture, "n");
  EXPECT_EQ(notes["y"].hidden_suffix_bytes, 2);
  EXPECT_EQ(notes["z"].stop_capture, "m");
  EXPECT_EQ(notes["z"].hidden_stop_bytes, 1);
}

TEST(LarkCompiler, NotesWithoutEffectAreReported) {
  const LarkResult result = LarkToGrammar(
      "start: x\nx[capture, stop=/#+;/]: /[a-z]*/\nunused[temperature=1]: \"a\"", {}, nullptr);
  ASSERT_EQ(result.report.size(), 2U);
  EXPECT_EQ(result.report[0].pointer, "x");
  EXPECT_EQ(result.report[0].keyword, "stop");
  EXPECT_EQ(result.report[1].pointer, "unused");
  EXPECT_EQ(result.report[1].keyword, "temperature");
  EXPECT_EQ(result.report[1].effect, "ignored");
}

}  // namespace
}  // namespace xgrammar::lark
