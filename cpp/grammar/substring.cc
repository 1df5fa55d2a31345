// AddSubstring: the suffix automaton of the list of chunks, spelled in characters.
//
// The suffix automaton (Blumer et al. 1985) over chunks as letters has at most twice as many states
// as there are chunks, and every state accepts. Spelling a chunk where another chunk begins alike
// makes the machine nondeterministic; in the rare case that this blows up, a chain of rules, one a
// chunk, says the same without a machine.
#include "grammar/substring.h"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "support/error.h"
#include "support/utf8.h"

namespace xgrammar {

namespace {

/// Determinised states allowed for each character of the chunks.
constexpr int64_t kStatesPerCharacter = 4;

class SuffixAutomaton {
 public:
  struct State {
    int32_t length = 0;
    int32_t link = -1;
    std::map<int32_t, int32_t> next;  // By letter; ordered, so that the result is deterministic.
  };

  SuffixAutomaton() : states_(1) {}

  void Append(int32_t letter) {
    const int32_t added = Add({at(last_).length + 1, 0, {}});
    int32_t p = last_;
    for (; p >= 0 && !at(p).next.contains(letter); p = at(p).link) at(p).next[letter] = added;
    if (p >= 0) at(added).link = Target(p, letter);
    last_ = added;
  }

  const std::vector<State>& states() const { return states_; }

 private:
  State& at(int32_t id) { return states_[static_cast<size_t>(id)]; }
  int32_t Add(State state) {
    states_.push_back(std::move(state));
    return static_cast<int32_t>(states_.size()) - 1;
  }
  /// The state for `p` followed by `letter` alone, split off from longer words if need be.
  int32_t Target(int32_t p, int32_t letter) {
    const int32_t q = at(p).next[letter];
    if (at(p).length + 1 == at(q).length) return q;
    State copy = at(q);
    copy.length = at(p).length + 1;
    const int32_t clone = Add(std::move(copy));
    for (; p >= 0; p = at(p).link) {
      const auto it = at(p).next.find(letter);
      if (it == at(p).next.end() || it->second != q) break;
      it->second = clone;
    }
    at(q).link = clone;
    return clone;
  }

  std::vector<State> states_;
  int32_t last_ = 0;
};

void SpellEdge(std::string_view text, int32_t from, int32_t to, CodePointNfa* nfa) {
  for (size_t i = 0; i < text.size();) {
    const DecodedCodePoint decoded = DecodeUtf8(text, i);
    i += decoded.size;
    const int32_t next = i == text.size() ? to : nfa->AddState();
    nfa->AddEdge(from, CodePointSet::Single(decoded.code_point), next);
    from = next;
  }
}

CodePointNfa SpellInCharacters(const std::vector<std::string_view>& chunks) {
  SuffixAutomaton automaton;
  std::unordered_map<std::string_view, int32_t> letters;
  std::vector<std::string_view> text_of_letter;
  for (std::string_view chunk : chunks) {
    const auto letter = static_cast<int32_t>(letters.size());
    const auto [it, is_new] = letters.emplace(chunk, letter);
    if (is_new) text_of_letter.push_back(chunk);
    automaton.Append(it->second);
  }
  CodePointNfa nfa;
  for (size_t i = 0; i < automaton.states().size(); ++i) nfa.SetAccept(nfa.AddState());
  for (size_t i = 0; i < automaton.states().size(); ++i) {
    for (const auto& [letter, target] : automaton.states()[i].next) {
      SpellEdge(text_of_letter[static_cast<size_t>(letter)], static_cast<int32_t>(i), target, &nfa);
    }
  }
  return nfa;
}

/// Rule i is nothing, or chunk i and then rule i + 1; a run begins with any rule.
ExprId AddChainOfRules(const std::vector<std::string_view>& chunks, std::string_view rule_name,
                       GrammarBuilder* builder) {
  ExprId rest = builder->AddEmpty();
  std::vector<ExprId> starts;
  for (size_t i = chunks.size(); i-- > 0;) {
    const ExprId chunk = builder->AddByteString(chunks[i]);
    const ExprId body = builder->AddOptional(builder->AddSequence({chunk, rest}));
    rest = builder->AddRuleRef(builder->AddRuleWithHint(rule_name, body));
    starts.push_back(rest);
  }
  return builder->AddChoices(starts);
}

}  // namespace

ExprId AddSubstring(std::span<const std::string> chunks, std::string_view rule_name,
                    GrammarBuilder* builder, const Limits& limits) {
  std::vector<std::string_view> kept;
  int64_t characters = 1;
  for (const std::string& chunk : chunks) {
    if (chunk.empty()) continue;
    kept.push_back(chunk);
    characters += static_cast<int64_t>(chunk.size());
  }
  if (kept.empty()) return builder->AddEmpty();
  try {
    const int64_t max_states = std::min(limits.max_grammar_size, kStatesPerCharacter * characters);
    CodePointDfa dfa = Determinize(SpellInCharacters(kept), max_states);
    return builder->AddAutomaton(std::make_shared<const CodePointDfa>(std::move(dfa)));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kLimit) throw;
    return AddChainOfRules(kept, rule_name, builder);
  }
}

}  // namespace xgrammar
