// Keyword arguments with literals of Python: arguments, containers, strings in either quote,
// constraints on the decoded text.
//
// Lengths count characters of the value, not of its spelling; names that are no identifiers are
// refused.
#include "frontend/json_schema/styles/pythonic.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "frontend/json_schema/styles/styled.h"
#include "support/error.h"

namespace xgrammar::json_schema {
namespace {

TEST(PythonicStyle, ArgumentsAndLiterals) {
  const Styled any("pythonic", "true");
  for (const char* text : {"", "a=1", "a=1,b='x'", R"(a = 1)", R"(a={'k' : [1,  -2.5e3 ], "l":{}})",
                           "a=[None, True, False]"}) {
    EXPECT_EQ(any.Accepts(text), std::string_view(text) != "a = 1") << text;
  }
  for (const char* text : {" a=1", "a=1 ", "a=1,", "a=true", "a=null", "a={1: 2}", "a={k: 2}",
                           "a=(1, 2)", "a=[1,]", "a=[\n]", "lambda=1", "1", "a='x' 'y'"}) {
    EXPECT_FALSE(any.Accepts(text)) << text;
  }
}

TEST(PythonicStyle, StringsInEitherQuote) {
  const Styled string("pythonic", R"({"type":"string"})");
  for (const char* text : {"''", "\"it's\"", R"('it\'s')", R"('\"\\\a\b\f\n\r\t\v')", "'日\x7f'",
                           R"('\x41\u00E9\U0001f600\ud7ff\ue000\U0010ffff')"}) {
    EXPECT_TRUE(string.Accepts(text)) << text;
  }
  for (const char* text : {"x", "'", "'x\"", "'a\nb'", "'\t'", "'\u0085'", "'\u2028'", R"('\')",
                           R"('\d')", R"('\0')", R"('\N{DASH}')", R"('\ud800')", R"('\UdFFFFFFF')",
                           R"('\U00110000')", R"('\U0000D800')", R"('\x4')"}) {
    EXPECT_FALSE(string.Accepts(text)) << text;
  }
}

TEST(PythonicStyle, ConstraintsActOnTheValue) {
  const Styled pattern("pythonic", R"({"type":"string","pattern":"^[\\n'\"]{2}$"})");
  EXPECT_TRUE(pattern.Accepts(R"('\n"')"));
  EXPECT_TRUE(pattern.Accepts(R"("\"'")"));
  EXPECT_FALSE(pattern.Accepts(R"('\n')"));
  const Styled length("pythonic", R"({"type":"string","minLength":2,"maxLength":3})");
  EXPECT_TRUE(length.Accepts(R"('\x00日')"));
  EXPECT_TRUE(length.Accepts(R"('\'\\\u2028')"));
  EXPECT_FALSE(length.Accepts("'a'"));
  EXPECT_FALSE(length.Accepts("'abcd'"));
}

// What is counted is a rule with a bound, in both forms.
TEST(PythonicStyle, LargeLengthsAreCountedInCharacters) {
  for (const bool has_pattern : {true, false}) {
    const std::string schema = has_pattern
                                   ? R"({"type":"string","pattern":"^(ab\\n)*$","maxLength":5000})"
                                   : R"({"type":"string","maxLength":5000})";
    const Styled string(
        "pythonic", schema,
        has_pattern ? std::vector<std::string>{} : std::vector<std::string>{"STOP"});
    int num_bounds = 0;
    for (RuleId rule = 0; rule < string.grammar().num_rules(); ++rule)
      num_bounds += string.grammar().rule(rule).options.max_escaped_length == 5000 ? 1 : 0;
    EXPECT_EQ(num_bounds, 2);
    EXPECT_TRUE(string.Accepts(R"('ab\n')"));
    EXPECT_TRUE(string.Accepts(R"("")"));
    EXPECT_FALSE(string.Accepts(R"("STOP")"));
  }
}

TEST(PythonicStyle, LiteralsKeepTheirDigits) {
  const Styled literal("pythonic", ObjectOfA(R"({"enum":[1.50,{"k":[null,"v"]},"a\"'"]})"));
  for (const char* text :
       {"a=1.50", "a=1.5", "a={'k': [None, \"v\"]}", R"(a='a"\'')", R"(a="a\"'")"})
    EXPECT_TRUE(literal.Accepts(text)) << text;
  for (const char* text : {"a=1.500", "a={'k': [null, 'v']}", "a={}", "a='a'"})
    EXPECT_FALSE(literal.Accepts(text)) << text;
}

TEST(PythonicStyle, NamesOfArgumentsAreIdentifiers) {
  const Styled declared("pythonic", R"({"properties":{"a":{"type":"integer"},"_b":{}},
                                        "patternProperties":{"^c":{"type":"null"}},
                                        "additionalProperties":{"type":"string"}})");
  for (const char* text : {"a=1", "_b={'x-y': 1}", "a=1, c=None", "d='x'"})
    EXPECT_TRUE(declared.Accepts(text)) << text;
  for (const char* text : {"a='x'", "class='x'", "c-d=None", "日='x'", "continue=None"})
    EXPECT_FALSE(declared.Accepts(text)) << text;
  for (const char* name : {"a-b", "from", "", "1a", "日"}) {
    const std::string schema = R"({"properties":{")" + std::string(name) + R"(":{}}})";
    EXPECT_THROW(Styled("pythonic", schema), Error) << name;
  }
}

TEST(PythonicStyle, ExcludesActOnAllStrings) {
  const Styled object("pythonic", R"({"properties":{"s":{"type":"string","pattern":"^<"},
                                        "t":{"type":"string","maxLength":5000}}})",
                      {"<x>"});
  EXPECT_TRUE(object.Accepts("s='<x', t='<x'"));
  EXPECT_FALSE(object.Accepts("s='<x>'"));
  EXPECT_FALSE(object.Accepts("t='<x>'"));
}

// Bodies of strings are made when a parse comes to them, unless an escape could be part of an
// excluded text; their sizes and languages are what was said of them.
TEST(PythonicStyle, BodiesOfStringsAreMadeLate) {
  const std::string schema =
      R"({"properties":{"s":{"type":"string"},"t":{"type":"string","maxLength":5000}}})";
  const std::vector<std::string> markers = {"<|tool_call_start|>", "<|tool_call_end|>", "[",
                                            "日本"};
  for (const auto& [excludes, num_wanted] : std::vector<std::pair<std::vector<std::string>, int>>{
           {markers, 4}, {{}, 2}, {{"<", "STOP"}, 0}, {{"x", "<"}, 0}, {{"<\\"}, 0}, {{"'"}, 0}}) {
    const Styled object("pythonic", schema, excludes);
    const Grammar& grammar = object.grammar();
    int num_late = 0;
    for (ExprId e = 0; e < grammar.num_exprs(); ++e) {
      if (grammar.kind(e) != ExprKind::kAutomaton) continue;
      const LateAutomatonPtr late = grammar.late_automaton(e);
      if (late == nullptr) continue;
      ++num_late;
      const CodePointDfa& made = *late->Get();
      EXPECT_LE(static_cast<int64_t>(made.states().size()) + made.num_edges(), late->size());
      EXPECT_EQ(made.states()[0].accept, late->accepts_empty());
      EXPECT_TRUE(made.Accepts("a"));
    }
    EXPECT_EQ(num_late, num_wanted) << (excludes.empty() ? "" : excludes[0]);
    EXPECT_TRUE(object.Accepts(R"(s='\n', t="a")"));
    for (const std::string& text : excludes) {
      EXPECT_FALSE(object.Accepts("s=\"a" + text + "b\"")) << text;
      EXPECT_FALSE(object.Accepts("t=\"a" + text + "b\"")) << text;
    }
  }
}

}  // namespace
}  // namespace xgrammar::json_schema
