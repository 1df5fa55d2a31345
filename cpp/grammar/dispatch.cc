// AddDispatch: patterns grouped by what follows them, one automaton for each group.
//
// Every automaton reads the same free text in parallel, so many groups would be slow. Patterns that
// nothing else can touch (FreeRun::IsSeparable) then follow one common automaton as plain text.
#include "grammar/dispatch.h"

#include <memory>
#include <unordered_map>
#include <utility>

#include "automata/free_run.h"

namespace xgrammar {

namespace {

/// Groups up to this many get an automaton each.
constexpr size_t kMaxOwnAutomata = 4;

struct Group {
  ExprId content = kNoExpr;
  std::vector<int32_t> patterns;  // Indices into the distinct patterns.
};

/// Distinct patterns with the contents of each, both in order of appearance.
struct Patterns {
  std::vector<std::string> texts;
  std::vector<std::vector<ExprId>> contents;
};

Patterns MergeEqualPatterns(const std::vector<DispatchCase>& cases) {
  Patterns patterns;
  std::unordered_map<std::string, size_t> index;
  for (const DispatchCase& entry : cases) {
    const auto [it, is_new] = index.emplace(entry.pattern, patterns.texts.size());
    if (is_new) {
      patterns.texts.push_back(entry.pattern);
      patterns.contents.emplace_back();
    }
    patterns.contents[it->second].push_back(entry.content);
  }
  return patterns;
}

std::vector<Group> GroupByContent(const Patterns& patterns, GrammarBuilder* builder) {
  std::vector<Group> groups;
  std::unordered_map<ExprId, size_t> index;
  for (size_t i = 0; i < patterns.texts.size(); ++i) {
    const ExprId content = builder->AddChoices(patterns.contents[i]);
    const auto [it, is_new] = index.emplace(content, groups.size());
    if (is_new) groups.push_back({content, {}});
    groups[it->second].patterns.push_back(static_cast<int32_t>(i));
  }
  return groups;
}

ExprId AddDfa(CodePointDfa dfa, GrammarBuilder* builder) {
  return builder->AddAutomaton(std::make_shared<const CodePointDfa>(std::move(dfa)));
}

/// Free text, a pattern of the groups, its content.
ExprId AddRounds(const Patterns& patterns, const std::vector<Group>& groups, const FreeRun& run,
                 ExprId end, GrammarBuilder* builder) {
  std::vector<ExprId> rounds;
  std::vector<ExprId> separate;
  for (const Group& group : groups) {
    std::vector<int32_t> own;
    std::vector<ExprId> literals;
    for (int32_t pattern : group.patterns) {
      if (groups.size() > kMaxOwnAutomata && run.IsSeparable(pattern)) {
        literals.push_back(builder->AddByteString(patterns.texts[static_cast<size_t>(pattern)]));
      } else {
        own.push_back(pattern);
      }
    }
    if (!literals.empty()) {
      separate.push_back(builder->AddSequence({builder->AddChoices(literals), group.content}));
    }
    if (own.empty()) continue;
    rounds.push_back(builder->AddSequence({AddDfa(run.To(own), builder), group.content}));
  }
  if (!separate.empty()) {
    rounds.push_back(builder->AddSequence({end, builder->AddChoices(separate)}));
  }
  return builder->AddChoices(rounds);
}

}  // namespace

ExprId AddDispatch(const std::vector<DispatchCase>& cases, const DispatchOptions& options,
                   GrammarBuilder* builder, const Limits& limits) {
  const Patterns patterns = MergeEqualPatterns(cases);
  const FreeRun run({patterns.texts, options.excludes}, limits.max_grammar_size);
  const ExprId end = AddDfa(run.End(), builder);
  const ExprId rounds = AddRounds(patterns, GroupByContent(patterns, builder), run, end, builder);
  if (!options.loop) return builder->AddChoices({rounds, end});
  return builder->AddSequence({builder->AddStar(rounds), end});
}

}  // namespace xgrammar
