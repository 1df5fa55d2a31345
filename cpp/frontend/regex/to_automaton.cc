// RegexToDfa: syntax tree -> minimal automaton over characters.
//
// Thompson's construction writes repetitions out, so sizes are estimated from the tree first and a
// pattern that cannot fit the budget is refused before any work. Anchors go through Determinize as
// edges; look-around and word boundaries take the longer way of assertions.cc.
#include <algorithm>
#include <string_view>
#include <vector>

#include "frontend/regex/assertions.h"
#include "frontend/regex/length_bounds.h"
#include "frontend/regex/parser.h"
#include "frontend/regex/regex_automaton.h"
#include "frontend/regex/thompson.h"
#include "support/error.h"

namespace xgrammar {

namespace {

/// Builder states for each state of the budget: nondeterministic machines may be larger than their
/// minimal form.
constexpr int64_t kNfaStatesPerState = 4;
/// Ranges on the edges for each state of the budget: bounds memory for large classes under large
/// counts.
constexpr int64_t kRangesPerState = 80;

constexpr char kLimitName[] = "max_dfa_states";

void CheckSize(const RegexFacts& facts, RegexNodeId node, const Limits& limits) {
  const auto index = static_cast<size_t>(node);
  const int64_t budget = limits.max_dfa_states;
  const int64_t needed = std::max(facts.nfa_states[index] / kNfaStatesPerState,
                                  facts.nfa_ranges[index] / kRangesPerState);
  if (needed > budget) ThrowLimitError(kLimitName, needed, budget, "the automaton of a regex");
}

/// A chain of characters needs a state for each of them, however it is built.
void CheckLength(const RegexFacts& facts, RegexNodeId root, bool search, const Limits& limits) {
  const auto index = static_cast<size_t>(root);
  const int64_t longest = facts.max_length[index];
  int64_t chain = facts.min_length[index];
  if (!search && longest < RegexFacts::kHuge) chain = longest;
  if (chain >= limits.max_dfa_states) {
    ThrowLimitError(kLimitName, chain + 1, limits.max_dfa_states, "the automaton of a regex");
  }
}

}  // namespace

CodePointDfa RegexAstToDfa(const RegexAst& ast, const RegexFacts& facts, bool search,
                           const Limits& limits) {
  const bool matches_anywhere = facts.min_length[static_cast<size_t>(ast.root())] == 0;
  if (search && matches_anywhere && !facts.has_anchor && !facts.has_lookaround) {
    return LengthRange(0, -1, limits.max_dfa_states);
  }
  CheckSize(facts, ast.root(), limits);
  for (RegexNodeId id = 0; id < ast.size(); ++id) {
    if (IsLookaround(ast.kind(id))) CheckSize(facts, ast.child(id), limits);
  }
  if (facts.has_lookaround) return ResolveAssertions(ast, search, limits);
  CheckLength(facts, ast.root(), search, limits);
  CodePointNfa nfa;
  const int32_t from = nfa.AddState();
  const int32_t to = nfa.AddState();
  AddRegexToNfa(ast, ast.root(), from, to, AssertionForm::kAnchorEdges, &nfa);
  if (search) {
    nfa.AddEdge(from, CodePointSet::All(), from);
    nfa.AddEdge(to, CodePointSet::All(), to);
  }
  nfa.SetAccept(to);
  return Determinize(nfa, limits.max_dfa_states);
}

namespace {

// Whether bounds are looked for: in patterns with a look-ahead, and in those that end with a
// repetition and have a number of five digits. What is not looked at keeps its bounds.
bool MayHaveBounds(std::string_view pattern) {
  if (pattern.find("(?=") != std::string_view::npos) return true;
  if (!pattern.starts_with('^') || !pattern.ends_with("}$")) return false;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  constexpr size_t kDigits = 5;
  size_t run = 0;
  for (const char c : pattern) {
    run = is_digit(c) ? run + 1 : 0;
    if (run == kDigits) return true;
  }
  return false;
}

}  // namespace

RegexLength LengthOfRegex(std::string_view pattern, const RegexOptions& options,
                          const Limits& limits) {
  if (!MayHaveBounds(pattern)) return {};
  try {
    RegexAst ast = ParseRegex(pattern, options, limits);
    return TakeLengthBounds(options.match == RegexOptions::Match::kSearch, &ast);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kBudget) throw;
    return {};
  }
}

CodePointDfa RegexToDfa(std::string_view pattern, const RegexOptions& options,
                        const Limits& limits) {
  RegexAst ast = ParseRegex(pattern, options, limits);
  const bool search = options.match == RegexOptions::Match::kSearch;
  if (options.ignores_length && MayHaveBounds(pattern)) TakeLengthBounds(search, &ast);
  return RegexAstToDfa(ast, AnalyzeRegex(ast), search, limits);
}

}  // namespace xgrammar
