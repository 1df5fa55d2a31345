// Assertions by markers: look-around and word boundaries as exact products of automata.
//
// Every assertion gets a marker symbol of its own. The pattern is first read as a plain regular
// expression in which an assertion stands for its marker, so its language P holds texts with
// markers where a match wants an assertion to be true. For each assertion `a` the set Fails(a) of
// texts with one marker `a` at a place where the assertion is false is regular:
//
//   ^     .+ a .*          $     .* a .+          \b, \B     a machine of five states
//   (?!R)   .* a R .*      (?=R)   (.* a .*) without (.* a R .*)
//   (?<!R)  .* R a .*      (?<=R)  (.* a .*) without (.* R a .*)
//
// Subtracting from P every text with a marker of `a` in a place of Fails(a), other markers being
// invisible, and erasing the markers leaves the language of the pattern. Bodies R come first in the
// tree, so their own assertions are resolved by then. Look-around keeps languages regular: Morihata
// 2012; Miyazaki and Minamide 2019.
#include "frontend/regex/assertions.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "frontend/regex/thompson.h"
#include "support/error.h"
#include "support/fork_safety.h"
#include "support/work_meter.h"

namespace xgrammar {

namespace {

using EdgeKind = CodePointNfa::EdgeKind;

const CodePointSet& WordCharacters() {
  const ForkSection made_whole;
  static const CodePointSet kWord({{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}});
  return kWord;
}

CodePointSet MarkerSet(const std::vector<RegexNodeId>& assertions) {
  std::vector<CodePointRange> ranges;
  for (RegexNodeId id : assertions) ranges.push_back({MarkerOf(id), MarkerOf(id)});
  return CodePointSet(std::move(ranges));
}

/// Copies an edge; of its symbols, those in `silent` become an epsilon edge.
void CopyEdge(const std::vector<CodePointRange>& ranges, const CodePointSet& silent, int32_t from,
              int32_t to, CodePointNfa* nfa) {
  std::vector<CodePointRange> kept;
  bool crossed_silently = false;
  for (const CodePointRange& range : ranges) {
    if (range.lo < kMarkerBase) kept.push_back({range.lo, std::min(range.hi, kMarkerBase - 1)});
    for (uint32_t marker = std::max(range.lo, kMarkerBase); marker <= range.hi; ++marker) {
      if (silent.Contains(marker)) {
        crossed_silently = true;
      } else {
        kept.push_back({marker, marker});
      }
    }
  }
  if (crossed_silently) nfa->AddSilentEdge(from, EdgeKind::kEpsilon, to);
  if (!kept.empty()) nfa->AddEdge(from, CodePointSet(std::move(kept)), to);
}

/// Copies a machine into a builder state for state. Symbols in `silent` become epsilon edges.
CodePointNfa CopyToNfa(const CodePointDfa& dfa, const CodePointSet& silent) {
  CodePointNfa nfa;
  for (size_t s = 0; s < dfa.states().size(); ++s) nfa.AddState();
  for (size_t s = 0; s < dfa.states().size(); ++s) {
    const auto from = static_cast<int32_t>(s);
    std::vector<CodePointDfa::Edge> edges(dfa.states()[s].edges.begin(),
                                          dfa.states()[s].edges.end());
    std::stable_sort(edges.begin(), edges.end(),
                     [](const auto& a, const auto& b) { return a.target < b.target; });
    std::vector<CodePointRange> ranges;
    for (size_t i = 0; i < edges.size();) {
      const int32_t target = edges[i].target;
      ranges.clear();
      for (; i < edges.size() && edges[i].target == target; ++i)
        ranges.push_back({edges[i].lo, edges[i].hi});
      CopyEdge(ranges, silent, from, target, &nfa);
    }
    CountWork("resolving assertions", 1 + static_cast<int64_t>(dfa.states()[s].edges.size()) / 2);
    if (dfa.states()[s].accept) nfa.SetAccept(from);
  }
  return nfa;
}

/// `before* a after*` over all characters, with one character at least where asked for.
CodePointNfa MarkerInText(RegexNodeId assertion, bool some_before, bool some_after) {
  const CodePointSet all = CodePointSet::All();
  CodePointNfa nfa;
  const int32_t start = nfa.AddState();
  int32_t before = start;
  if (some_before) {
    before = nfa.AddState();
    nfa.AddEdge(start, all, before);
  }
  nfa.AddEdge(before, all, before);
  int32_t after = nfa.AddState();
  nfa.AddEdge(before, CodePointSet::Single(MarkerOf(assertion)), after);
  if (some_after) {
    const int32_t more = nfa.AddState();
    nfa.AddEdge(after, all, more);
    after = more;
  }
  nfa.AddEdge(after, all, after);
  nfa.SetAccept(after);
  return nfa;
}

/// Texts with the marker at a place where "this is a word boundary" is not `wanted`.
CodePointNfa MisplacedBoundary(RegexNodeId assertion, bool wanted) {
  const CodePointSet& word = WordCharacters();
  const CodePointSet other = word.Complement();
  const CodePointSet marker = CodePointSet::Single(MarkerOf(assertion));
  CodePointNfa nfa;
  const int32_t after_other = nfa.AddState();  // Also the start of the text.
  const int32_t after_word = nfa.AddState();
  const int32_t needs_word = nfa.AddState();
  const int32_t needs_other = nfa.AddState();  // The end of the text counts.
  const int32_t done = nfa.AddState();
  for (int32_t state : {after_other, after_word}) {
    nfa.AddEdge(state, word, after_word);
    nfa.AddEdge(state, other, after_other);
  }
  nfa.AddEdge(after_word, marker, wanted ? needs_word : needs_other);
  nfa.AddEdge(after_other, marker, wanted ? needs_other : needs_word);
  nfa.AddEdge(needs_word, word, done);
  nfa.AddEdge(needs_other, other, done);
  nfa.AddEdge(done, CodePointSet::All(), done);
  nfa.SetAccept(needs_other);
  nfa.SetAccept(done);
  return nfa;
}

class AssertionResolver {
 public:
  AssertionResolver(const RegexAst& ast, int64_t max_states) : ast_(ast), max_states_(max_states) {
    FindOwners();
  }

  CodePointDfa Run(bool search) {
    for (RegexNodeId id = 0; id < ast_.size(); ++id) {
      if (fails_[static_cast<size_t>(id)].wanted)
        fails_[static_cast<size_t>(id)].machine = MakeFails(id);
    }
    CodePointNfa nfa;
    const int32_t from = nfa.AddState();
    const int32_t to = nfa.AddState();
    AddRegexToNfa(ast_, ast_.root(), from, to, AssertionForm::kMarkers, &nfa);
    if (search) {
      // A new start would have to be state 0, so the loop is at `from`, which nothing enters.
      nfa.AddEdge(from, CodePointSet::All(), from);
      nfa.AddEdge(to, CodePointSet::All(), to);
    }
    nfa.SetAccept(to);
    return Resolve(Determinize(nfa, max_states_), in_root_, {});
  }

 private:
  struct Fails {
    bool wanted = false;
    CodePointNfa machine;
    std::vector<RegexNodeId>
        in_body;  ///< The assertions of a look-around's body, not those of bodies in it.
  };

  /// Finds the assertions of each body, walking from the root, since simplification leaves nodes
  /// nobody uses.
  void FindOwners() {
    fails_.resize(static_cast<size_t>(ast_.size()));
    std::vector<std::pair<RegexNodeId, RegexNodeId>> stack = {{ast_.root(), -1}};
    while (!stack.empty()) {
      const auto [id, owner] = stack.back();
      stack.pop_back();
      switch (ast_.kind(id)) {
        case RegexNodeKind::kEmpty:
        case RegexNodeKind::kChar:
        case RegexNodeKind::kClass:
          break;
        case RegexNodeKind::kSequence:
        case RegexNodeKind::kChoice:
          for (RegexNodeId part : ast_.children(id)) stack.emplace_back(part, owner);
          break;
        case RegexNodeKind::kRepeat:
          stack.emplace_back(ast_.child(id), owner);
          break;
        default:
          fails_[static_cast<size_t>(id)].wanted = true;
          (owner < 0 ? in_root_ : fails_[static_cast<size_t>(owner)].in_body).push_back(id);
          if (IsLookaround(ast_.kind(id))) stack.emplace_back(ast_.child(id), id);
      }
    }
  }

  CodePointNfa MakeFails(RegexNodeId id) const {
    switch (ast_.kind(id)) {
      case RegexNodeKind::kTextStart:
        return MarkerInText(id, true, false);
      case RegexNodeKind::kTextEnd:
        return MarkerInText(id, false, true);
      case RegexNodeKind::kWordBoundary:
        return MisplacedBoundary(id, true);
      case RegexNodeKind::kNotWordBoundary:
        return MisplacedBoundary(id, false);
      case RegexNodeKind::kLookahead:
      case RegexNodeKind::kLookbehind:
        return CopyToNfa(
            DeterminizeDifference(MarkerInText(id, false, false), BodyMatches(id), max_states_),
            {});
      default:
        return BodyMatches(id);
    }
  }

  /// Texts with one marker of a look-around beside which its body matches.
  CodePointNfa BodyMatches(RegexNodeId id) const {
    CodePointNfa nfa;
    const int32_t before = nfa.AddState();
    const int32_t between = nfa.AddState();
    const int32_t after = nfa.AddState();
    nfa.AddEdge(before, CodePointSet::All(), before);
    const CodePointSet marker = CodePointSet::Single(MarkerOf(id));
    if (IsLookahead(ast_.kind(id))) {
      nfa.AddEdge(before, marker, between);
      AddRegexToNfa(ast_, ast_.child(id), between, after, AssertionForm::kMarkers, &nfa);
    } else {
      AddRegexToNfa(ast_, ast_.child(id), before, between, AssertionForm::kMarkers, &nfa);
      nfa.AddEdge(between, marker, after);
    }
    nfa.AddEdge(after, CodePointSet::All(), after);
    nfa.SetAccept(after);
    const std::vector<RegexNodeId>& in_body = fails_[static_cast<size_t>(id)].in_body;
    if (in_body.empty()) return nfa;
    return CopyToNfa(Resolve(Determinize(nfa, max_states_), in_body, {id}), {});
  }

  /// A small machine is made minimal before the product. A large one stays nondeterministic and is
  /// followed along `marked`: in a text without bounds a marker may stand at every place, and all
  /// of these would take more states than the places of the pattern do.
  CodePointDfa Without(const CodePointDfa& marked, const CodePointNfa& bad) const {
    constexpr int64_t kSmallPart = 16;
    std::optional<CodePointDfa> small;
    try {
      small = Determinize(bad, max_states_ / kSmallPart);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kLimit) throw;
      return DeterminizeDifference(CopyToNfa(marked, {}), bad, max_states_);
    }
    return Subtract(marked, *small, max_states_);
  }

  const CodePointNfa& MachineOf(RegexNodeId id) const {
    return fails_[static_cast<size_t>(id)].machine;
  }

  /// Those that count to hundreds come last, since each product is what the next one begins with.
  std::vector<RegexNodeId> SmallestFirst(std::vector<RegexNodeId> assertions) const {
    std::ranges::stable_sort(assertions, {},
                             [this](RegexNodeId id) { return MachineOf(id).states().size(); });
    return assertions;
  }

  /// Takes out the texts in which some marker stands in a wrong place, then the markers. `kept` may
  /// occur, too.
  CodePointDfa Resolve(CodePointDfa marked, const std::vector<RegexNodeId>& assertions,
                       std::vector<RegexNodeId> kept) const {
    if (assertions.empty()) return marked;
    CheckWork(marked, assertions.size());
    kept.insert(kept.end(), assertions.begin(), assertions.end());
    const CodePointSet invisible = MarkerSet(kept);
    for (RegexNodeId id : SmallestFirst(assertions)) {
      CodePointNfa bad = MachineOf(id);
      for (size_t s = 0; s < bad.states().size(); ++s)
        bad.AddEdge(static_cast<int32_t>(s), invisible, static_cast<int32_t>(s));
      marked = Without(marked, bad);
    }
    return Determinize(CopyToNfa(marked, MarkerSet(assertions)), max_states_);
  }

  /// Each assertion costs a pass over the machine.
  void CheckWork(const CodePointDfa& marked, size_t assertions) const {
    const auto work = static_cast<int64_t>(marked.states().size() * assertions);
    if (work > max_states_) {
      ThrowLimitError("max_dfa_states", work, max_states_, "the assertions of a regex");
    }
  }

  const RegexAst& ast_;
  const int64_t max_states_;
  std::vector<Fails> fails_;  ///< By node; empty entries for nodes that are no assertions.
  std::vector<RegexNodeId> in_root_;
};

}  // namespace

CodePointDfa ResolveAssertions(const RegexAst& ast, bool search, const Limits& limits) {
  return AssertionResolver(ast, limits.max_dfa_states).Run(search);
}

}  // namespace xgrammar
