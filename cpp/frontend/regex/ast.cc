// RegexAst: node constructors with the simplifications that keep later stages small, and the
// bottom-up analysis.
//
// Simplifications never change the language: choices of single characters become one class,
// repeated repetitions one where the counts leave no gap. Facts are sizes and lengths, saturating.
// Work and nodes are counted against the limits.
#include "frontend/regex/ast.h"

#include <algorithm>
#include <utility>

#include "support/error.h"
#include "support/work_meter.h"

namespace xgrammar {

namespace {

constexpr int64_t kHuge = RegexFacts::kHuge;

int64_t SaturatingAdd(int64_t a, int64_t b) { return std::min(a + b, kHuge); }

int64_t SaturatingMultiply(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  return a > kHuge / b ? kHuge : std::min(a * b, kHuge);
}

/// Whether the lengths of (x{a,b}){m,n} in copies of x have no gap: [a*k, b*k] must touch the
/// interval of k+1 for every k from m to n-1, and k = m is the tightest.
bool RepeatOfRepeatIsContiguous(int64_t a, int64_t b, int64_t m, int64_t n) {
  if (m == n) return true;
  if (m == 0) return a <= 1;
  return b < 0 || b * m + 1 >= a * (m + 1);
}

}  // namespace

RegexNodeId RegexAst::Add(RegexNodeKind kind, int32_t first, int32_t count) {
  if (size() >= max_nodes_)
    ThrowLimitError("max_grammar_size", int64_t{size()} + 1, max_nodes_, "regex");
  CountWork("reading a regular expression");
  nodes_.push_back({kind, first, count});
  return size() - 1;
}

RegexNodeId RegexAst::AddClass(CodePointSet set) {
  if (set.size() == 1) return AddChar(set.ranges()[0].lo);
  sets_.push_back(std::move(set));
  return Add(RegexNodeKind::kClass, static_cast<int32_t>(sets_.size()) - 1, 0);
}

RegexNodeId RegexAst::AddParent(RegexNodeKind kind, std::span<const RegexNodeId> children) {
  const auto first = static_cast<int32_t>(children_.size());
  children_.insert(children_.end(), children.begin(), children.end());
  return Add(kind, first, static_cast<int32_t>(children.size()));
}

RegexNodeId RegexAst::AddSequence(std::span<const RegexNodeId> parts) {
  if (parts.empty()) return AddEmpty();
  if (parts.size() == 1) return parts[0];
  return AddParent(RegexNodeKind::kSequence, parts);
}

RegexNodeId RegexAst::AddChoice(std::span<const RegexNodeId> alternatives) {
  if (alternatives.size() == 1) return alternatives[0];
  const bool all_single =
      std::all_of(alternatives.begin(), alternatives.end(), [this](RegexNodeId id) {
        return kind(id) == RegexNodeKind::kChar || kind(id) == RegexNodeKind::kClass;
      });
  if (!all_single) return AddParent(RegexNodeKind::kChoice, alternatives);
  std::vector<CodePointRange> ranges;
  for (RegexNodeId id : alternatives) {
    if (kind(id) == RegexNodeKind::kChar) {
      ranges.push_back({code_point(id), code_point(id)});
    } else {
      ranges.insert(ranges.end(), set(id).ranges().begin(), set(id).ranges().end());
    }
  }
  return AddClass(CodePointSet(std::move(ranges)));
}

RegexNodeId RegexAst::AddRepeat(RegexNodeId child_id, int64_t min, int64_t max) {
  if (min > max_repeat_ || max > max_repeat_) {
    ThrowLimitError("max_repeat", std::max(min, max), max_repeat_, "regex");
  }
  if (max == 0) return AddEmpty();
  if ((min == 1 && max == 1) || kind(child_id) == RegexNodeKind::kEmpty) return child_id;
  if (kind(child_id) == RegexNodeKind::kRepeat) {
    const Bounds inner = bounds(child_id);
    const int64_t joined_min = inner.min * min;
    const int64_t joined_max = inner.max < 0 || max < 0 ? -1 : inner.max * max;
    if (RepeatOfRepeatIsContiguous(inner.min, inner.max, min, max) && joined_min <= max_repeat_ &&
        joined_max <= max_repeat_) {
      return AddRepeat(child(child_id), joined_min, joined_max);
    }
  }
  bounds_.push_back({min, max});
  return Add(RegexNodeKind::kRepeat, child_id, static_cast<int32_t>(bounds_.size()) - 1);
}

std::span<const RegexNodeId> RegexAst::children(RegexNodeId id) const {
  return std::span(children_).subspan(static_cast<size_t>(node(id).first),
                                      static_cast<size_t>(node(id).count));
}

namespace {

/// Fills in the facts of one node from those of its children.
class Analyzer {
 public:
  explicit Analyzer(const RegexAst& ast) : ast_(ast) {}

  RegexFacts Run() {
    const auto n = static_cast<size_t>(ast_.size());
    for (auto* facts : {&out_.min_length, &out_.max_length, &out_.nfa_states, &out_.nfa_ranges}) {
      facts->assign(n, 0);
    }
    for (RegexNodeId id = 0; id < ast_.size(); ++id) Visit(id);
    return std::move(out_);
  }

 private:
  void Set(RegexNodeId id, int64_t min, int64_t max, int64_t states, int64_t ranges) {
    const auto index = static_cast<size_t>(id);
    out_.min_length[index] = min;
    out_.max_length[index] = max;
    out_.nfa_states[index] = states;
    out_.nfa_ranges[index] = ranges;
  }

  void Visit(RegexNodeId id) {
    switch (ast_.kind(id)) {
      case RegexNodeKind::kEmpty:
        return Set(id, 0, 0, 1, 0);
      case RegexNodeKind::kChar:
        return Set(id, 1, 1, 1, 1);
      case RegexNodeKind::kClass:
        return Set(id, 1, 1, 1, static_cast<int64_t>(ast_.set(id).ranges().size()));
      case RegexNodeKind::kTextStart:
      case RegexNodeKind::kTextEnd:
        out_.has_anchor = true;
        return Set(id, 0, 0, 1, 1);
      case RegexNodeKind::kWordBoundary:
      case RegexNodeKind::kNotWordBoundary:
      case RegexNodeKind::kLookahead:
      case RegexNodeKind::kNegativeLookahead:
      case RegexNodeKind::kLookbehind:
      case RegexNodeKind::kNegativeLookbehind:
        // The body of a look-around makes a machine of its own, which is bounded by its own check.
        out_.has_lookaround = true;
        return Set(id, 0, 0, 1, 1);
      case RegexNodeKind::kSequence:
      case RegexNodeKind::kChoice:
        return VisitParent(id);
      case RegexNodeKind::kRepeat:
        return VisitRepeat(id);
    }
  }

  void VisitParent(RegexNodeId id) {
    const bool sequence = ast_.kind(id) == RegexNodeKind::kSequence;
    int64_t min = sequence ? 0 : kHuge;
    int64_t max = 0;
    int64_t states = 1;
    int64_t ranges = 0;
    for (RegexNodeId part : ast_.children(id)) {
      const auto p = static_cast<size_t>(part);
      min = sequence ? SaturatingAdd(min, out_.min_length[p]) : std::min(min, out_.min_length[p]);
      max = sequence ? SaturatingAdd(max, out_.max_length[p]) : std::max(max, out_.max_length[p]);
      states = SaturatingAdd(states, out_.nfa_states[p]);
      ranges = SaturatingAdd(ranges, out_.nfa_ranges[p]);
    }
    Set(id, min, max, states, ranges);
  }

  void VisitRepeat(RegexNodeId id) {
    const auto body = static_cast<size_t>(ast_.child(id));
    const int64_t min = ast_.repeat_min(id);
    const int64_t max = ast_.repeat_max(id);
    const int64_t copies = max < 0 ? min + 1 : max;
    Set(id, SaturatingMultiply(out_.min_length[body], min),
        SaturatingMultiply(out_.max_length[body], max < 0 ? kHuge : max),
        SaturatingMultiply(out_.nfa_states[body], copies),
        SaturatingMultiply(out_.nfa_ranges[body], copies));
  }

  const RegexAst& ast_;
  RegexFacts out_;
};

}  // namespace

RegexFacts AnalyzeRegex(const RegexAst& ast) { return Analyzer(ast).Run(); }

}  // namespace xgrammar
