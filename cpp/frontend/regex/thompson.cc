// Thompson's construction with an explicit work stack (Thompson 1968).
//
// A repetition writes out its copies, which the size check of the facts has bounded before; loops
// get states of their own. The same places in copies that need not follow make a family of states
// (CodePointNfa::AddFamily), ranked by the copies before. The result has epsilon edges and is
// determinised by automata/determinize.cc.
#include "frontend/regex/thompson.h"

#include <algorithm>
#include <limits>

#include "support/work_meter.h"

namespace xgrammar {

namespace {

using EdgeKind = CodePointNfa::EdgeKind;

class Builder {
 public:
  Builder(const RegexAst& ast, AssertionForm form, CodePointNfa* nfa)
      : ast_(ast), form_(form), nfa_(*nfa) {}

  void Run(RegexNodeId node, int32_t from, int32_t to) {
    stack_.push_back({node, from, to});
    while (!stack_.empty()) {
      CountWork("building the automaton of a regular expression");
      const Item item = stack_.back();
      stack_.pop_back();
      if (item.begins_copy) families_[static_cast<size_t>(item.copy.repeat)].next = 0;
      Expand(item);
    }
  }

 private:
  /// A copy of a repetition's body, to whose families states belong; of nested ones that with the
  /// most optional copies.
  struct Copy {
    int32_t repeat = -1;       ///< Index into families_, or -1.
    int32_t rank = 0;          ///< Copies before and this one.
    int64_t num_optional = 0;  ///< Of the repetition.
  };
  struct Item {
    RegexNodeId node = 0;
    int32_t from = 0;
    int32_t to = 0;
    Copy copy = {};
    bool begins_copy = false;
  };

  // The states of a copy are made one after the other, since items are taken from the top of the
  // stack, and in the same order in each copy.
  int32_t AddState(const Copy& copy) {
    const int32_t state = nfa_.AddState();
    if (copy.repeat < 0) return state;
    Families& own = families_[static_cast<size_t>(copy.repeat)];
    if (own.next == own.ids.size()) own.ids.push_back(nfa_.AddFamily());
    nfa_.SetRank(state, own.ids[own.next++], copy.rank);
    return state;
  }

  void Expand(const Item& item) {
    switch (ast_.kind(item.node)) {
      case RegexNodeKind::kEmpty:
        return nfa_.AddSilentEdge(item.from, EdgeKind::kEpsilon, item.to);
      case RegexNodeKind::kChar:
        return nfa_.AddEdge(item.from, CodePointSet::Single(ast_.code_point(item.node)), item.to);
      case RegexNodeKind::kClass:
        return nfa_.AddEdge(item.from, ast_.set(item.node), item.to);
      case RegexNodeKind::kSequence:
        return ExpandSequence(item);
      case RegexNodeKind::kChoice:
        for (RegexNodeId part : ast_.children(item.node))
          stack_.push_back({part, item.from, item.to, item.copy});
        return;
      case RegexNodeKind::kRepeat:
        return ExpandRepeat(item);
      case RegexNodeKind::kTextStart:
      case RegexNodeKind::kTextEnd:
      case RegexNodeKind::kWordBoundary:
      case RegexNodeKind::kNotWordBoundary:
      case RegexNodeKind::kLookahead:
      case RegexNodeKind::kNegativeLookahead:
      case RegexNodeKind::kLookbehind:
      case RegexNodeKind::kNegativeLookbehind:
        return ExpandAssertion(item);
    }
  }

  void ExpandAssertion(const Item& item) {
    if (form_ == AssertionForm::kMarkers) {
      return nfa_.AddEdge(item.from, CodePointSet::Single(MarkerOf(item.node)), item.to);
    }
    const bool start = ast_.kind(item.node) == RegexNodeKind::kTextStart;
    nfa_.AddSilentEdge(item.from, start ? EdgeKind::kTextStart : EdgeKind::kTextEnd, item.to);
  }

  void ExpandSequence(const Item& item) {
    const std::span<const RegexNodeId> parts = ast_.children(item.node);
    int32_t from = item.from;
    for (size_t i = 0; i < parts.size(); ++i) {
      const int32_t to = i + 1 == parts.size() ? item.to : AddState(item.copy);
      stack_.push_back({parts[i], from, to, item.copy});
      from = to;
    }
  }

  void ExpandRepeat(const Item& item) {
    const RegexNodeId body = ast_.child(item.node);
    const int64_t min = ast_.repeat_min(item.node);
    const int64_t max = ast_.repeat_max(item.node);
    int32_t from = item.from;
    Ranks ranks{item.copy};
    if (max - min > item.copy.num_optional) {
      ranks.first = std::max<int64_t>(min, 1);
      ranks.own = {static_cast<int32_t>(families_.size()), 0, max - min};
      ranks.family = nfa_.AddFamily();
      families_.emplace_back();
    }
    for (int64_t i = 0; i < min; ++i) from = AddCopy(body, from, i + 1, ranks);
    if (max < 0) {
      // The loop has a state of its own: looping on `from` would let the others that leave it go
      // around, too.
      const int32_t loop = AddState(item.copy);
      nfa_.AddSilentEdge(from, EdgeKind::kEpsilon, loop);
      stack_.push_back({body, loop, loop, item.copy});
      from = loop;
    }
    for (int64_t i = min; i < max; ++i) {
      nfa_.AddSilentEdge(from, EdgeKind::kEpsilon, item.to);
      from = AddCopy(body, from, i + 1, ranks);
    }
    nfa_.AddSilentEdge(from, EdgeKind::kEpsilon, item.to);
  }

  /// How the states of a repetition's copies are ranked.
  struct Ranks {
    Copy outer;          ///< Where the repetition stands.
    Copy own = {};       ///< Without a number, if it has families of its own.
    int32_t family = 0;  ///< Of the states between copies.
    int64_t first = std::numeric_limits<int64_t>::max();  ///< The first copy that is in `own`.
  };

  /// The copy with a number, counted from 1.
  int32_t AddCopy(RegexNodeId body, int32_t from, int64_t number, const Ranks& ranks) {
    CountWork("building the automaton of a regular expression");
    if (number < ranks.first) {
      const int32_t to = AddState(ranks.outer);
      stack_.push_back({body, from, to, ranks.outer});
      return to;
    }
    const int32_t to = nfa_.AddState();
    Copy copy = ranks.own;
    copy.rank = static_cast<int32_t>(number);
    nfa_.SetRank(to, ranks.family, copy.rank);
    stack_.push_back({body, from, to, copy, true});
    return to;
  }

  /// Of one repetition: the families of the states of a copy in the order in which they are made.
  struct Families {
    std::vector<int32_t> ids;
    size_t next = 0;
  };

  const RegexAst& ast_;
  const AssertionForm form_;
  CodePointNfa& nfa_;
  std::vector<Item> stack_;
  std::vector<Families> families_;
};

}  // namespace

void AddRegexToNfa(const RegexAst& ast, RegexNodeId node, int32_t from, int32_t to,
                   AssertionForm form, CodePointNfa* nfa) {
  Builder(ast, form, nfa).Run(node, from, to);
}

}  // namespace xgrammar
