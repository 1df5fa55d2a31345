// ShortenLazyRules: body -> automaton -> no edges out of accepting states.
//
// A lazy rule may use other lazy rules, so they are done in the order of a depth-first search over
// the rules they reach (Tarjan 1972, topological order); a rule that reaches itself is no regular
// language as far as this search can tell and is refused.
#include "frontend/ebnf/lazy_rules.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "grammar/regular.h"
#include "grammar/rule_refs.h"
#include "support/error.h"

namespace xgrammar::ebnf {

namespace {

class LazyRules {
 public:
  LazyRules(const std::vector<LazyRule>& lazy_rules, const Lexer& lexer, GrammarBuilder* builder,
            const Limits& limits)
      : lexer_(lexer),
        builder_(*builder),
        limits_(limits),
        refs_(builder->view()),
        marks_(static_cast<size_t>(builder->num_rules()), Mark::kNew) {
    for (const LazyRule& lazy : lazy_rules) offsets_.emplace(lazy.rule, lazy.offset);
  }

  void ShortenAll(const std::vector<LazyRule>& lazy_rules) {
    for (const LazyRule& lazy : lazy_rules) Visit(lazy);
  }

 private:
  enum class Mark : uint8_t { kNew, kOpen, kDone };
  struct Frame {
    RuleId rule = -1;
    std::vector<RuleId> uses;
    size_t next = 0;
  };

  [[noreturn]] void Refuse(const LazyRule& lazy, const char* reason) const {
    const std::string& name = builder_.view().rule(lazy.rule).name;
    Error error =
        lexer_.ErrorAt(ErrorKind::kUnsupported, lazy.offset,
                       "The rule " + QuoteForMessage(name, 60) + " cannot be lazy: " + reason);
    throw error.Feature("lazy").Hint("lazy rules match text without recursion");
  }

  void Visit(const LazyRule& lazy) {
    std::vector<Frame> stack;
    Open(lazy.rule, &stack);
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.next < frame.uses.size()) {
        const RuleId used = frame.uses[frame.next++];
        if (mark(used) == Mark::kOpen) Refuse(lazy, "it reaches a recursive rule");
        Open(used, &stack);
        continue;
      }
      const RuleId done = frame.rule;
      mark(done) = Mark::kDone;
      stack.pop_back();
      const auto it = offsets_.find(done);
      if (it != offsets_.end()) Shorten({done, it->second});
    }
  }

  void Open(RuleId rule, std::vector<Frame>* stack) {
    if (mark(rule) != Mark::kNew) return;
    mark(rule) = Mark::kOpen;
    stack->push_back({rule, refs_.Of(builder_.view().rule(rule).body), 0});
  }

  void Shorten(const LazyRule& lazy) {
    const RuleAutomaton known = [this](RuleId rule) {
      const auto it = automata_.find(rule);
      return it == automata_.end() ? nullptr : it->second;
    };
    const Grammar& grammar = builder_.view();
    const std::optional<CodePointDfa> dfa =
        ExprToDfa(grammar, grammar.rule(lazy.rule).body, known, limits_);
    if (!dfa) Refuse(lazy, "it contains a whole token or a rule with limits");
    auto shortest = std::make_shared<const CodePointDfa>(ShortestOnly(*dfa));
    builder_.SetBody(lazy.rule, builder_.AddAutomaton(shortest));
    // Limits of a lazy rule hold where it is used; there it is no plain automaton any more.
    if (grammar.rule(lazy.rule).options.empty()) automata_.emplace(lazy.rule, std::move(shortest));
  }

  Mark& mark(RuleId rule) { return marks_[static_cast<size_t>(rule)]; }

  const Lexer& lexer_;
  GrammarBuilder& builder_;
  const Limits& limits_;
  RuleRefs refs_;
  std::unordered_map<RuleId, size_t> offsets_;
  std::unordered_map<RuleId, CodePointDfaPtr> automata_;
  std::vector<Mark> marks_;
};

}  // namespace

void ShortenLazyRules(const std::vector<LazyRule>& lazy_rules, const Lexer& lexer,
                      GrammarBuilder* builder, const Limits& limits) {
  LazyRules(lazy_rules, lexer, builder, limits).ShortenAll(lazy_rules);
}

}  // namespace xgrammar::ebnf
