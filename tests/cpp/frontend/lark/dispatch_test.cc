// Heads of the form `TEXT "<t>"` in Lark, alone and in rules that choose between tools: which of
// them become free text with triggers, and what language they then have.
//
// A head alone may lack its marker, a trigger commits, tools may share one, and triggers are of one
// kind. The automaton of free text is tests/cpp/automata/free_run_test.cc.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "expectations.h"

namespace xgrammar::lark {
namespace {

TEST(LarkDispatch, AHeadAloneMayLackItsMarker) {
  ExpectLanguage({"start: head \"x\"\nhead[lazy]: /(.|\\n)*/ \"<t>\"",
                  {"<t>x", "a<t>x", "ax"},
                  {"<t>y", "<t>xx"}});
}

TEST(LarkDispatch, ATriggerCommits) {
  const std::string tool =
      "head[lazy]: TEXT \"<t>\"\ntool: head /[0-9]+/ \"</t>\"\nTEXT: /(\\n|.)*/\ntail: TEXT\n";
  for (const char* start :
       {"start: tool* tail\n", "start: (tool)* TEXT\n", "start: x\nx: tool* tail\n",
        "start: (head /[0-9]+/ \"</t>\")* /.*/s\n"}) {
    ExpectLanguage({tool + start,
                    {"", "plain <t", "a<t>12</t>b", "<t>1</t><t>2</t>"},
                    {"<t>", "<t>x</t>", "<t>1"}});
  }
}

TEST(LarkDispatch, ToolsMayShareATrigger) {
  ExpectLanguage(
      {"start: (a | b | c)* T\na: h \"1\"\nb: h \"2\"\nc: k \"3\" | h \"4\"\n"
       "h[lazy]: T \"<\"\nk[lazy]: T \">\"\nT: /[\\s\\S]*/",
       {"", "x<1y<2>3<4"},
       {"<3", ">1", "<"}});
}

TEST(LarkDispatch, IgnoredTextFollowsTheMarker) {
  ExpectLanguage({"%ignore \" \"\nstart: a* T\na: h \"1\"\nh[lazy]: T \"<\"\nT: /[\\s\\S]*/",
                  {"x<  1 y"},
                  {"<2"}});
}

TEST(LarkDispatch, TriggersAreOfOneKind) {
  ExpectLarkError(
      {"start: (a | b)* T\na: h \"1\"\nb: k \"2\"\nh[lazy]: T \"<\"\nk[lazy]: T <[1]>\n"
       "T: /[\\s\\S]*/",
       1, 8, "cannot mix string and token triggers"});
  ExpectLarkError({"start: h\nh[lazy]: T <[^1]>\nT: /[\\s\\S]*/", 2, 12,
                   "a head that ends at any token but some", ErrorKind::kUnsupported});
}

TEST(LarkDispatch, FreeTokensLeaveOutTheTriggers) {
  const GrammarPtr grammar =
      LarkToGrammar("start: h\nh[lazy]: T <[1]>\nT: /[\\s\\S]*/", {}, nullptr).grammar;
  int excluding = 0;
  for (ExprId id = 0; id < grammar->num_exprs(); ++id) {
    if (grammar->kind(id) == ExprKind::kTokenSet && grammar->is_excluding(id)) ++excluding;
  }
  EXPECT_EQ(excluding, 1);
}

}  // namespace
}  // namespace xgrammar::lark
