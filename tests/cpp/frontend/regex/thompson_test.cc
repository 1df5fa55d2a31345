// AddRegexToNfa: the machine is linear in the written-out pattern, loops do not leak into what is
// around them, and assertions become edges or markers as asked for.
//
// Languages are those of the determinised machine, on patterns where a loop shared with its
// surroundings would accept too much. Random patterns are random_test.cc.
#include "frontend/regex/thompson.h"

#include "expectations.h"
#include "frontend/regex/parser.h"

namespace xgrammar {
namespace {

CodePointNfa Build(std::string_view pattern, AssertionForm form) {
  const RegexAst ast = ParseRegex(pattern, {}, {});
  CodePointNfa nfa;
  const int32_t from = nfa.AddState();
  const int32_t to = nfa.AddState();
  AddRegexToNfa(ast, ast.root(), from, to, form, &nfa);
  nfa.SetAccept(to);
  return nfa;
}

TEST(ThompsonTest, SizeIsLinearInTheWrittenOutPattern) {
  EXPECT_EQ(Build("abc", AssertionForm::kAnchorEdges).states().size(), 4u);
  EXPECT_LE(Build("a{100}", AssertionForm::kAnchorEdges).states().size(), 103u);
  EXPECT_LE(Build("(ab|c){10,20}", AssertionForm::kAnchorEdges).states().size(), 45u);
}

TEST(ThompsonTest, LoopsDoNotLeakIntoTheirSurroundings) {
  ExpectLanguage("(a*|b)c", {"c", "aac", "bc"}, {"abc", "bac", "bbc"});
  ExpectLanguage("(a*b*)*c?(d|e*)", {"", "abba", "cd", "cee", "aee"}, {"ca", "de", "dd"});
  ExpectLanguage("((a|b*)c*)+d", {"d", "acbccd"}, {"a"});
}

TEST(ThompsonTest, AssertionsAsEdgesOrMarkers) {
  const CodePointNfa edges = Build("^a$", AssertionForm::kAnchorEdges);
  EXPECT_EQ(edges.states()[0].silent_edges.size(), 1u);
  const CodePointNfa markers = Build("^a\\b", AssertionForm::kMarkers);
  ASSERT_EQ(markers.states()[0].class_edges.size(), 1u);
  EXPECT_GE(markers.states()[0].class_edges[0].set.ranges()[0].lo, kMarkerBase);
}

}  // namespace
}  // namespace xgrammar
