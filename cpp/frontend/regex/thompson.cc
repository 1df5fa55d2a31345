// Thompson's construction with an explicit work stack (Thompson 1968).
//
// A repetition writes out its copies, which the size check of the facts has bounded before; loops
// get states of their own. The result has epsilon edges and is determinised by
// automata/determinize.cc.
#include "frontend/regex/thompson.h"

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
      Expand(item);
    }
  }

 private:
  struct Item {
    RegexNodeId node = 0;
    int32_t from = 0;
    int32_t to = 0;
  };

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
          stack_.push_back({part, item.from, item.to});
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
      const int32_t to = i + 1 == parts.size() ? item.to : nfa_.AddState();
      stack_.push_back({parts[i], from, to});
      from = to;
    }
  }

  void ExpandRepeat(const Item& item) {
    const RegexNodeId body = ast_.child(item.node);
    const int64_t min = ast_.repeat_min(item.node);
    const int64_t max = ast_.repeat_max(item.node);
    int32_t from = item.from;
    for (int64_t i = 0; i < min; ++i) from = AddCopy(body, from);
    if (max < 0) {
      // The loop has a state of its own: looping on `from` would let the others that leave it go
      // around, too.
      const int32_t loop = nfa_.AddState();
      nfa_.AddSilentEdge(from, EdgeKind::kEpsilon, loop);
      stack_.push_back({body, loop, loop});
      from = loop;
    }
    for (int64_t i = min; i < max; ++i) {
      nfa_.AddSilentEdge(from, EdgeKind::kEpsilon, item.to);
      from = AddCopy(body, from);
    }
    nfa_.AddSilentEdge(from, EdgeKind::kEpsilon, item.to);
  }

  int32_t AddCopy(RegexNodeId body, int32_t from) {
    CountWork("building the automaton of a regular expression");
    const int32_t to = nfa_.AddState();
    stack_.push_back({body, from, to});
    return to;
  }

  const RegexAst& ast_;
  const AssertionForm form_;
  CodePointNfa& nfa_;
  std::vector<Item> stack_;
};

}  // namespace

void AddRegexToNfa(const RegexAst& ast, RegexNodeId node, int32_t from, int32_t to,
                   AssertionForm form, CodePointNfa* nfa) {
  Builder(ast, form, nfa).Run(node, from, to);
}

}  // namespace xgrammar
