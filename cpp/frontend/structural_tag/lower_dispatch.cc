// dispatch and triggered_tags: free text in which patterns start something else.
//
// A pattern that nothing else can overlap is a literal after the same free text as all such
// patterns: `text (pattern content text)*`. The text before any other pattern is an automaton of
// its own: the runs that end with the pattern, divided by the pattern on the right (a right
// quotient; Hopcroft and Ullman 1979). So every pattern is a literal, which a special token may
// stand for.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "automata/free_run.h"
#include "frontend/structural_tag/check.h"
#include "frontend/structural_tag/lower.h"
#include "support/error.h"
#include "support/utf8.h"
#include "support/work_meter.h"

namespace xgrammar::structural_tag {

namespace {

/// States that a right quotient may visit, over all characters of the divisor. Patterns meet it
/// only in quadratic numbers: thousands of prefixes that end with each other, with some string that
/// is excluded.
constexpr int64_t kMaxQuotientSteps = int64_t{1} << 30;

/// Edges by the state they lead to.
class ReverseEdges {
 public:
  struct Edge {
    uint32_t lo = 0;
    uint32_t hi = 0;
    int32_t source = 0;
  };

  explicit ReverseEdges(const std::vector<CodePointDfa::State>& states)
      : first_(states.size() + 1, 0) {
    for (const auto& state : states) {
      for (const auto& edge : state.edges) ++first_[static_cast<size_t>(edge.target) + 1];
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    edges_.resize(first_.back());
    std::vector<size_t> next(first_.begin(), first_.end() - 1);
    for (size_t id = 0; id < states.size(); ++id) {
      for (const auto& edge : states[id].edges) {
        edges_[next[static_cast<size_t>(edge.target)]++] = {edge.lo, edge.hi,
                                                            static_cast<int32_t>(id)};
      }
    }
  }

  std::span<const Edge> To(int32_t target) const {
    const size_t first = first_[static_cast<size_t>(target)];
    return std::span(edges_).subspan(first, first_[static_cast<size_t>(target) + 1] - first);
  }

 private:
  std::vector<size_t> first_;
  std::vector<Edge> edges_;
};

std::vector<uint32_t> CodePointsOf(const std::string& text) {
  std::vector<uint32_t> code_points;
  for (size_t pos = 0; pos < text.size();) {
    const DecodedCodePoint decoded = DecodeUtf8(text, pos);
    code_points.push_back(decoded.code_point);
    pos += decoded.size;
  }
  return code_points;
}

/// Texts that `suffix` turns into members of the language. Walks the suffix backwards from the
/// accepting states; in the runs of a pattern few states can be on the way to its end, so that this
/// is linear where a walk from each state is not.
CodePointDfa RightQuotient(const CodePointDfa& dfa, const std::string& suffix) {
  std::vector<CodePointDfa::State> states = dfa.CopyStates();
  const ReverseEdges reverse(states);
  std::vector<int32_t> reached;
  for (size_t id = 0; id < states.size(); ++id) {
    if (states[id].accept) reached.push_back(static_cast<int32_t>(id));
    states[id].accept = false;
  }
  std::vector<int32_t> before;
  std::vector<uint32_t> code_points = CodePointsOf(suffix);
  int64_t steps = 0;
  for (; !code_points.empty() && !reached.empty(); code_points.pop_back()) {
    const uint32_t code_point = code_points.back();
    const int64_t steps_before = steps;
    before.clear();
    for (int32_t target : reached) {
      const auto edges = reverse.To(target);
      steps += 1 + static_cast<int64_t>(edges.size());
      // No state comes twice: the automaton is deterministic.
      for (const ReverseEdges::Edge& edge : edges) {
        if (edge.lo <= code_point && code_point <= edge.hi) before.push_back(edge.source);
      }
    }
    CountWork("building free text", 1 + (steps - steps_before) / 16);
    if (steps > kMaxQuotientSteps) {
      ThrowFixedLimitError(
          "free text with a trigger and other strings that overlap themselves too often", steps,
          kMaxQuotientSteps);
    }
    reached.swap(before);
  }
  for (int32_t id : reached) states[static_cast<size_t>(id)].accept = true;
  return CodePointDfa(std::move(states));
}

}  // namespace

ExprId Lowerer::Alternate(ExprId free, ExprId marked, bool loop) {
  if (!loop) return builder_.AddSequence({free, builder_.AddOptional(marked)});
  const ExprId again = builder_.AddSequence({marked, free});
  return builder_.AddSequence({free, builder_.AddStar(Shared(again, "run"))});
}

ExprId Lowerer::FreeRuns(const std::vector<PatternRule>& rules,
                         const std::vector<std::string>& excludes, bool loop) {
  FreeRunOptions options;
  options.excludes = excludes;
  for (const PatternRule& rule : rules) options.patterns.push_back(rule.pattern);
  const FreeRun run(options, limits_.max_grammar_size);
  const auto add_text = [&](CodePointDfa dfa) {
    const ExprId body = builder_.AddAutomaton(std::make_shared<CodePointDfa>(std::move(dfa)));
    return builder_.AddRuleRef(builder_.AddRuleWithHint("text", body, RuleKind::kLexeme));
  };
  const ExprId text = add_text(run.End());
  std::vector<ExprId> separable;
  std::vector<ExprId> others;
  for (size_t i = 0; i < rules.size(); ++i) {
    const auto pattern = static_cast<int32_t>(i);
    if (run.IsSeparable(pattern)) {
      separable.push_back(rules[i].continuation);
    } else {
      const CodePointDfa to = run.To(std::span(&pattern, 1));
      if (to.IsEmpty()) continue;
      others.push_back(builder_.AddSequence(
          {add_text(RightQuotient(to, rules[i].pattern)), rules[i].continuation}));
    }
  }
  const ExprId marked = builder_.AddChoices(separable);
  if (others.empty()) return Alternate(text, marked, loop);
  others.push_back(builder_.AddSequence({text, marked}));
  const ExprId any = builder_.AddChoices(others);
  if (!loop) return builder_.AddChoices({text, any});
  return builder_.AddSequence({builder_.AddStar(Shared(any, "run")), text});
}

ExprId Lowerer::LowerValue(const Format&, const Dispatch& value, const Scope& scope) {
  std::map<std::string, std::vector<ExprId>> contents;
  for (const auto& [pattern, id] : value.rules) {
    const ExprId content = Lower(id, scope);
    contents[pattern].push_back(content);
  }
  std::vector<PatternRule> rules;
  for (const auto& [pattern, alternatives] : contents) {
    const ExprId literal = builder_.AddByteString(pattern);
    rules.push_back({pattern, builder_.AddSequence({literal, builder_.AddChoices(alternatives)})});
  }
  return FreeRuns(rules, WithEnds(value.excludes, Scope()), value.loop);
}

ExprId Lowerer::LowerValue(const Format& format, const TriggeredTags& value, const Scope& scope) {
  const std::vector<int32_t> trigger_of = TriggersOfTags(tag_, format, value);
  std::vector<std::vector<ExprId>> tags_of(value.triggers.size());
  for (size_t i = 0; i < value.tags.size(); ++i) {
    const ExprId tag = Lower(value.tags[i], scope);
    tags_of[static_cast<size_t>(trigger_of[i])].push_back(tag);
  }
  std::vector<PatternRule> rules;
  std::vector<ExprId> all;
  for (size_t i = 0; i < tags_of.size(); ++i) {
    ExprId tags = builder_.AddChoices(tags_of[i]);
    // Leading tags and tags in the text are the same.
    if (value.flow.at_least_one) tags = Shared(tags, "tag");
    rules.push_back({value.triggers[i], tags});
    all.push_back(tags);
  }
  const ExprId any = builder_.AddChoices(all);
  if (!value.flow.at_least_one) {
    return FreeRuns(rules, WithEnds(value.excludes, scope), !value.flow.stop_after_first);
  }
  if (value.flow.stop_after_first) return any;
  return builder_.AddSequence({any, FreeRuns(rules, WithEnds(value.excludes, scope), true)});
}

}  // namespace xgrammar::structural_tag
