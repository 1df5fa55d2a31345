// Fuzz target: the reader of regular expressions.
//
// Beyond the common checks, the two ways to build a pattern must agree: a shortest text of its
// automaton is accepted by its grammar, as a textbook recogniser reads it. The search form is built
// as well.
#include <algorithm>
#include <string>
#include <vector>

#include "frontend/regex/regex.h"
#include "fuzz/guard.h"
#include "grammar/reference_recognizer.h"
#include "support/error.h"
#include "support/utf8.h"

namespace xgrammar::fuzz {

namespace {

constexpr size_t kMaxMember = 12;
constexpr int32_t kMaxExprs = 200;

/// A shortest member, by breadth-first search.
std::string ShortestMember(const CodePointDfa& dfa) {
  struct Visit {
    int32_t state;
    int32_t from;
    uint32_t code_point;
  };
  std::vector<Visit> visits = {{0, -1, 0}};
  std::vector<bool> seen(dfa.states().size(), false);
  seen[0] = true;
  for (size_t i = 0; i < visits.size(); ++i) {
    const CodePointDfa::StateView& state = dfa.states()[static_cast<size_t>(visits[i].state)];
    if (state.accept) {
      std::vector<uint32_t> code_points;
      for (int32_t at = static_cast<int32_t>(i); visits[static_cast<size_t>(at)].from >= 0;
           at = visits[static_cast<size_t>(at)].from) {
        code_points.push_back(visits[static_cast<size_t>(at)].code_point);
      }
      std::string text;
      for (size_t k = code_points.size(); k-- > 0;) AppendUtf8(code_points[k], &text);
      return text;
    }
    for (const CodePointDfa::Edge& edge : state.edges) {
      if (seen[static_cast<size_t>(edge.target)]) continue;
      seen[static_cast<size_t>(edge.target)] = true;
      visits.push_back({edge.target, static_cast<int32_t>(i), edge.hi});
    }
  }
  Fail("a language that is not empty has a member", {});
}

GrammarPtr Read(std::string_view pattern) {
  const Limits limits = SmallLimits();
  GrammarPtr grammar = RegexToGrammar(pattern, {}, limits);
  RegexOptions search;
  search.dot = RegexOptions::Dot::kNotLineEnd;
  search.match = RegexOptions::Match::kSearch;
  RegexToDfa(pattern, search, limits);
  const CodePointDfa dfa = RegexToDfa(pattern, {}, limits);
  if (dfa.IsEmpty()) Fail("a pattern that matches nothing is refused", pattern);
  const std::string member = ShortestMember(dfa);
  if (member.size() <= kMaxMember && grammar->num_exprs() <= kMaxExprs &&
      !ReferenceRecognizer(*grammar, member).Accepts()) {
    Fail("the grammar accepts what the automaton does", member);
  }
  return grammar;
}

}  // namespace

}  // namespace xgrammar::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  xgrammar::fuzz::Check(data, size, xgrammar::fuzz::Read);
  return 0;
}
