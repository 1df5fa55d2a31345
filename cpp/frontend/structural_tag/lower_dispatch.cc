// dispatch and triggered_tags: free text in which patterns start something else.
//
// A pattern that nothing else can overlap is a literal after the same free text as all such
// patterns: `text (pattern content text)*`. The text before any other pattern is an automaton of
// its own: the runs that end with the pattern, divided by the pattern on the right (a right
// quotient; Hopcroft and Ullman 1979). So every pattern is a literal, which a special token may
// stand for.
#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "automata/free_run.h"
#include "frontend/structural_tag/check.h"
#include "frontend/structural_tag/lower.h"
#include "support/utf8.h"

namespace xgrammar::structural_tag {

namespace {

/// Texts that `suffix` turns into members of the language.
CodePointDfa RightQuotient(const CodePointDfa& dfa, const std::string& suffix) {
  std::vector<CodePointDfa::State> states = dfa.states();
  for (size_t i = 0; i < states.size(); ++i) {
    int32_t state = static_cast<int32_t>(i);
    for (size_t pos = 0; pos < suffix.size() && state >= 0;) {
      const DecodedCodePoint decoded = DecodeUtf8(suffix, pos);
      state = dfa.Next(state, decoded.code_point);
      pos += decoded.size;
    }
    states[i].accept = state >= 0 && dfa.states()[static_cast<size_t>(state)].accept;
  }
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
