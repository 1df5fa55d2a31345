// AddRegexToNfa: the machine is linear in the written-out pattern, loops do not leak into what is
// around them, assertions become edges or markers as asked for, and of a family of states those
// with lower ranks accept more.
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

/// The same machine from one of its states.
CodePointNfa From(const CodePointNfa& nfa, size_t state) {
  CodePointNfa out;
  const int32_t start = out.AddState();
  const int32_t own_start = out.Append(nfa);
  out.AddSilentEdge(start, CodePointNfa::EdgeKind::kEpsilon,
                    own_start + static_cast<int32_t>(state));
  return out;
}

TEST(ThompsonTest, LowerRanksAcceptMore) {
  for (const char* pattern :
       {"a{0,4}", "(ab?){2,5}c", "((a|bc){0,3}d){0,3}", "((a{0,5}b)?|c){1,3}a", "x(a{2}b*){3,5}",
        "(a{0,2}b{0,2}){0,2}", "((ab){1,4}){3}", "(a$|^b|c){0,3}", "((a?b?){0,2}c{0,9}){0,2}"}) {
    const CodePointNfa nfa = Build(pattern, AssertionForm::kAnchorEdges);
    const size_t n = nfa.states().size();
    int pairs = 0;
    for (size_t s = 0; s < n; ++s) {
      for (size_t t = 0; t < n; ++t) {
        const CodePointNfa::State& more = nfa.states()[s];
        const CodePointNfa::State& less = nfa.states()[t];
        if (more.family < 0 || more.family != less.family || more.rank >= less.rank) continue;
        ++pairs;
        EXPECT_TRUE(DeterminizeDifference(From(nfa, t), From(nfa, s), 1000).IsEmpty())
            << pattern << ": " << s << " against " << t;
      }
    }
    EXPECT_GT(pairs, 0) << pattern;
  }
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
