// Lowering: the language of each kind of format, and the size of what is written.
//
// Languages are judged by the reference recogniser, on the grammar and on what its printed form is
// read back as. Whole tokens are looked at in the expressions, because they have no text.

#include "frontend/structural_tag/lower.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "frontend/structural_tag/expectations.h"

namespace xgrammar::structural_tag {
namespace {

const std::string kAny = R"({"type":"any_text"})";

std::string Const(const std::string& value) { return R"({"value":")" + value + R"("})"; }

std::string TagOf(const std::string& begin, const std::string& content, const std::string& end) {
  return R"({"begin":")" + begin + R"(","content":)" + content + R"(,"end":)" + end + "}";
}

TEST(LowerText, Excludes) {
  ExpectLanguage(kAny, {"", "x\ny", "好"}, {});
  ExpectLanguage(R"({"excludes":["aab"]})", {"aaa", "aa"}, {"aaab"});
  ExpectLanguage(R"({"excludes":["abcd","bc"]})", {"ab"}, {"abc"});
}

TEST(LowerText, BudgetsAreRuleOptions) {
  const GrammarPtr grammar = GrammarOf(R"({"type":"any_text","max_tokens":7,"excludes":["a"]})");
  bool found = false;
  for (RuleId rule = 0; rule < grammar->num_rules(); ++rule) {
    found = found || grammar->rule(rule).options.max_tokens == 7;
  }
  EXPECT_TRUE(found);
  const GrammarPtr again = ParseEbnf(GrammarToString(*grammar));
  EXPECT_EQ(GrammarToString(*again), GrammarToString(*grammar));
  ExpectLanguage(R"({"type":"any_text","max_chars":0})", {""}, {"a"});
  // Two budgets are two options of one rule; how they count is the parser's matter.
  const std::string both = R"({"type":"any_text","max_chars":3,"max_tokens":1,"excludes":["b"]})";
  ExpectLanguage(both, {"acd", ""}, {"ab"});
  const GrammarPtr limited = GrammarOf(both);
  bool has_both = false;
  for (RuleId rule = 0; rule < limited->num_rules(); ++rule) {
    const RuleOptions& options = limited->rule(rule).options;
    has_both = has_both || (options.max_chars == 3 && options.max_tokens == 1);
  }
  EXPECT_TRUE(has_both);
}

TEST(LowerTag, EndDetection) {
  ExpectLanguage(TagOf("<a>", kAny, R"("</a>")"), {"<a></a>", "<a>q</a>"}, {"<a>q</a></a>"});
  ExpectLanguage(
      TagOf("<", R"({"elements":[{"type":"any_text"},{"value":"X"},{"type":"any_text"}]})",
            R"(">")"),
      {"<aXbXc>"}, {"<a>Xb>"});
  ExpectLanguage(TagOf("<a>", TagOf("<b>", kAny, R"("</b>")"), R"("</a>")"),
                 {"<a><b>x</a></b></a>"}, {"<a><b>x</b></a></a>"});
  ExpectLanguage(TagOf("<a>", TagOf("<b>", kAny, R"(["","</b>"])"), R"("</a>")"),
                 {"<a><b>q</a></a>"}, {});
  ExpectLanguage(TagOf("<a>", kAny, R"(["E","EE"])"), {"<a>qE", "<a>qEE"}, {"<a>EEE"});
  ExpectLanguage(
      TagOf("<a>", R"({"type":"or","elements":[{"type":"any_text"},{"value":"z</a>z"}]})",
            R"("</a>")"),
      {"<a>z</a>z</a>"}, {});
  ExpectLanguage(TagOf("<a>", R"({"type":"star","content":{"type":"any_text"}})", R"("</a>")"),
                 {"<a>x</a></a>"}, {});
  ExpectLanguage(TagOf("<a>", R"({"rules":[["T",{"type":"any_text"}]]})", R"("</a>")"),
                 {"<a></a></a>"}, {});
  ExpectLanguage(TagOf("<a>", R"({"type":"regex","pattern":".*"})", R"("</a>")"), {"<a>q</a></a>"},
                 {});
}

TEST(LowerTag, SeparatedTags) {
  const std::string tags = R"({"tags":[)" + TagOf("<b>", Const("x"), R"("</b>")") + "]";
  ExpectLanguage(tags + R"(,"separator":","})", {"", "<b>x</b>", "<b>x</b>,<b>x</b>"},
                 {"<b>x</b>,", ",<b>x</b>", "<b>x</b><b>x</b>"});
  ExpectLanguage(tags + R"(,"separator":"","at_least_one":true})", {"<b>x</b><b>x</b>"}, {""});
  ExpectLanguage(tags + R"(,"separator":",","stop_after_first":true})", {"", "<b>x</b>"},
                 {"<b>x</b>,<b>x</b>"});
}

TEST(LowerComposite, Repetitions) {
  ExpectLanguage(
      R"({"type":"star","content":{"type":"or","elements":[{"value":"a"},{"value":"bb"}]}})",
      {"", "abba"}, {"ab"});
  ExpectLanguage(R"({"type":"plus","content":{"value":""}})", {""}, {"a"});
  ExpectLanguage(R"({"type":"repeat","min":0,"max":0,"content":{"value":"x"}})", {""}, {"x"});
  ExpectLanguage(R"({"type":"repeat","min":2,"max":2,"content":{"value":"x"}})", {"xx"},
                 {"x", "xxx"});
}

TEST(LowerComposite, NestedRepetitionsStaySmall) {
  std::string format = Const("x");
  for (int i = 0; i < 40; ++i) {
    format = R"({"type":"repeat","min":3,"max":4,"content":{"elements":[)" + format +
             R"(,{"value":"y"}]}})";
  }
  EXPECT_LT(GrammarOf(format)->num_exprs(), 400);
}

std::string Dispatch(const std::string& rules, const std::string& rest = "") {
  return R"({"type":"dispatch","rules":[)" + rules + "]" + rest + "}";
}

TEST(LowerDispatch, Patterns) {
  ExpectLanguage(Dispatch(R"(["T",{"value":"1"}])"), {"", "xT1y", "T1T1"}, {"T", "xTz"});
  ExpectLanguage(Dispatch(R"(["T",{"value":"1"}])", R"(,"loop":false)"), {"x", "xT1"},
                 {"xT1y", "T1T1"});
  ExpectLanguage(Dispatch(R"(["ab",{"value":"1"}],["b",{"value":"2"}])"), {"ab1", "xb2"},
                 {"ab2", "b1"});
  ExpectLanguage(Dispatch(R"(["T",{"value":"1"}],["TAB",{"value":"2"}])"),
                 {"T1", "TAB2", "xT1TAB2"}, {"TAB1", "TA", "TAx"});
  ExpectLanguage(Dispatch(R"(["ABC",{"value":"1"}],["B",{"value":"2"}])"), {"ABC1e", "AB2e"},
                 {"ABC2e", "ABx"});
  ExpectLanguage(Dispatch(R"(["aab",{"value":"1"}])"), {"aaab1e"}, {"aaab"});
  ExpectLanguage(Dispatch(R"(["T",{"value":"1"}],["T",{"value":"2"}])"), {"T1", "T2"}, {"T"});
  ExpectLanguage(Dispatch(R"(["AB",{"value":"XA"}])"), {"ABXAB"}, {});
}

TEST(LowerDispatch, PatternsThatOverlapThemselves) {
  ExpectLanguage(Dispatch(R"(["aaa",{"value":"1"}])"), {"", "aa", "aaa1", "baaa1aaa1", "aaba"},
                 {"aaa", "aaaa1", "aaa1aaa"});
  ExpectLanguage(Dispatch(R"(["abab",{"value":"1"}])"), {"aba", "abab1", "aabab1ab", "ab"},
                 {"ababab1", "abab"});
  ExpectLanguage(Dispatch(R"(["\u00e9\u00e9",{"value":"1"}],["b\u00e9",{"value":"2"}])"),
                 {"\u00e9\u00e91", "b\u00e92\u00e9", "\u00e9b\u00e92"}, {"b\u00e9\u00e91"});
  ExpectLanguage(Dispatch(R"(["aab",{"value":"1"}])", R"(,"excludes":["aaaa"])"),
                 {"aab1", "aaab1", "aaa"}, {"aaaab1", "aaaa"});
}

TEST(LowerDispatch, LongPatternsThatOverlapThemselves) {
  const std::string pattern(200000, 'a');
  const auto begin = std::chrono::steady_clock::now();
  const GrammarPtr grammar = GrammarOf(Dispatch(R"([")" + pattern + R"(",{"value":"1"}])"));
  // A fraction of a second where the work is linear, minutes where it is quadratic.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_GT(grammar->num_rules(), 1);
  // With an excluded string it is quadratic, and bounded.
  ExpectRefused(R"({"format":)" +
                    Dispatch(R"([")" + pattern + R"(b",{"value":"1"}])",
                             R"(,"excludes":[")" + pattern + pattern + R"("])") +
                    "}",
                ErrorKind::kLimit, "overlap", "");
}

TEST(LowerDispatch, Excludes) {
  ExpectLanguage(Dispatch(R"(["f",{"value":"1"}])", R"(,"excludes":["<f"])"), {"xf1", "f1"},
                 {"<f1"});
  ExpectLanguage(Dispatch(R"(["<fx",{"value":"1"}])", R"(,"excludes":["<f"])"), {"<"}, {"<fx1"});
  ExpectLanguage(Dispatch(R"(["AB",{"value":"C"}])", R"(,"excludes":["CD"])"), {"ABCD"}, {"CD"});
}

std::string Triggered(const std::string& rest, const std::string& content = Const("x")) {
  return R"({"triggers":["<b"],"tags":[)" + TagOf("<b>", content, R"("</b>")") + "]" + rest + "}";
}

TEST(LowerDispatch, TriggeredTags) {
  ExpectLanguage(Triggered(""), {"", "a<b>x</b>b", "<c"}, {"<b", "<b>y</b>"});
  ExpectLanguage(Triggered(R"(,"at_least_one":true)"), {"<b>x</b>", "<b>x</b>q<b>x</b>q"},
                 {"", "q<b>x</b>"});
  ExpectLanguage(Triggered(R"(,"stop_after_first":true)"), {"", "q", "q<b>x</b>"}, {"<b>x</b>q"});
  ExpectLanguage(Triggered(R"(,"stop_after_first":true,"at_least_one":true)"), {"<b>x</b>"},
                 {"", "<b>x</b><b>x</b>"});
  ExpectLanguage(TagOf("<a>", Triggered("", kAny), R"("</a>")"), {"<a>q<b></a></b>q</a>"},
                 {"<a>q</a>q</a>"});
}

TEST(LowerEmbedded, NamesAreLocal) {
  const std::string grammar = R"({"type":"grammar","grammar":"root ::= text\ntext ::= \"a\""})";
  ExpectLanguage(R"({"elements":[)" + grammar + "," + kAny + "," + grammar + "]}", {"aa", "aqa"},
                 {"a"});
}

TEST(LowerEmbedded, EqualGrammarsAreTranslatedOnce) {
  const auto of = [](const std::string& syntax, const std::string& text) {
    return R"({"type":"grammar","syntax":")" + syntax + R"(","grammar":")" + text + R"("})";
  };
  const auto rules = [](const std::string& a, const std::string& b) {
    return GrammarOf(R"({"elements":[)" + a + "," + b + "]}")->num_rules();
  };
  const std::string ebnf = of("ebnf", R"(root ::= \"a\" root | \"b\")");
  const std::string other = of("ebnf", R"(root ::= \"a\" root | \"c\")");
  const std::string lark = of("lark", R"(start: \"a\" start | \"b\")");
  EXPECT_EQ(rules(ebnf, ebnf) + 1, rules(ebnf, other));
  EXPECT_LT(rules(lark, lark), rules(lark, of("lark", R"(start: \"a\" start | \"c\")")));
  ExpectLanguage(R"({"elements":[)" + ebnf + "," + other + "," + ebnf + "]}", {"bcb", "abacab"},
                 {"bbb", "bc"});
}

TEST(LowerEmbedded, ErrorsKeepTheirKind) {
  ExpectRefused(R"({"format":{"elements":[{"type":"regex","pattern":"("}]}})",
                ErrorKind::kGrammarSyntax, "", "/format/elements/0/pattern");
  ExpectRefused(R"({"format":{"json_schema":{"properties":{"a":{"type":"strin"}}}}})",
                ErrorKind::kJsonSchema, "", "/format/json_schema/properties/a");
  ExpectRefused(R"({"format":{"type":"grammar","grammar":"root ::= a"}})",
                ErrorKind::kGrammarSyntax, "line 1, column 10", "/format/grammar");
}

TEST(LowerTokens, Sets) {
  const GrammarPtr grammar = GrammarOf(
      R"({"begin":{"token":3},"content":{"type":"any_tokens","exclude_tokens":[7]},"end":{"token":4}})");
  EXPECT_EQ(GrammarToString(*grammar), "root ::= Token(3) ExcludeToken(4, 7)* Token(4)\n");
}

}  // namespace
}  // namespace xgrammar::structural_tag
