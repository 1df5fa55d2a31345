// FoldPrintedAutomata: right-linear rules with telling names -> deterministic automata.
//
// The groups are folded if they are closed and deterministic: every alternative of their rules is
// empty, one character, or one character and a rule of the same group, and other rules refer to the
// rules 0 alone. Such rules are a finite automaton written as a grammar (Chomsky 1959), so the
// language stays the same whoever wrote them.
#include "frontend/ebnf/printed_automata.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/builder.h"
#include "grammar/rule_refs.h"
#include "support/utf8.h"

namespace xgrammar::ebnf {

namespace {

constexpr std::string_view kPrefix = "_dfa";
constexpr size_t kMaxDigits = 9;

using State = CodePointDfa::State;

/// Reads digits from the front of `text`; nullopt if there is none, or too many.
std::optional<int32_t> TakeNumber(std::string_view* text) {
  size_t size = 0;
  int32_t value = 0;
  while (size < text->size() && (*text)[size] >= '0' && (*text)[size] <= '9') {
    if (size == kMaxDigits) return std::nullopt;
    value = value * 10 + ((*text)[size++] - '0');
  }
  if (size == 0) return std::nullopt;
  text->remove_prefix(size);
  return value;
}

struct Group {
  std::vector<RuleId> rules;  // The first one is the start.
  bool has_start = false;
  CodePointDfaPtr dfa;
};

class Folder {
 public:
  Folder(GrammarPtr grammar, const Limits& limits)
      : grammar_(std::move(grammar)),
        limits_(limits),
        group_of_(static_cast<size_t>(grammar_->num_rules()), -1),
        state_of_(static_cast<size_t>(grammar_->num_rules()), -1) {}

  GrammarPtr Fold() {
    CollectGroups();
    if (groups_.empty()) return grammar_;
    CheckReferences();
    for (auto& [number, group] : groups_) {
      if (group.has_start) group.dfa = ReadGroup(number, group);
      // One group of another shape may refer into the middle of the others.
      if (group.dfa == nullptr) return grammar_;
    }
    return Rewrite();
  }

 private:
  void CollectGroups() {
    for (RuleId id = 0; id < grammar_->num_rules(); ++id) {
      const Rule& rule = grammar_->rule(id);
      std::string_view rest = rule.name;
      if (!rest.starts_with(kPrefix) || id == grammar_->root()) continue;
      rest.remove_prefix(kPrefix.size());
      const std::optional<int32_t> number = TakeNumber(&rest);
      if (!number || !rest.starts_with('_')) continue;
      rest.remove_prefix(1);
      const std::optional<int32_t> state = TakeNumber(&rest);
      if (!state || !rest.empty()) continue;
      Group& group = groups_[*number];
      group_of_[static_cast<size_t>(id)] = *number;
      group.rules.push_back(id);
      if (*state != 0) continue;
      group.has_start = true;
      std::swap(group.rules.front(), group.rules.back());
    }
    for (auto& [number, group] : groups_) {
      for (size_t i = 0; i < group.rules.size(); ++i) {
        state_of_[static_cast<size_t>(group.rules[i])] = static_cast<int32_t>(i);
      }
    }
  }

  /// A group is no automaton if a rule outside enters it in the middle.
  void CheckReferences() {
    RuleRefs refs(*grammar_);
    const auto check = [this](RuleId rule) {
      const auto index = static_cast<size_t>(rule);
      if (state_of_[index] > 0) groups_[group_of_[index]].has_start = false;
      return false;
    };
    for (RuleId id = 0; id < grammar_->num_rules(); ++id) {
      if (group_of_[static_cast<size_t>(id)] >= 0) continue;
      const Rule& rule = grammar_->rule(id);
      refs.Walk(rule.body, check);
      if (rule.lookahead != kNoExpr) refs.Walk(rule.lookahead, check);
    }
  }

  CodePointDfaPtr ReadGroup(int32_t number, const Group& group) const {
    const size_t count = group.rules.size();
    std::vector<State> states(count + 1);  // The last one: the text ends here.
    states[count].accept = true;
    for (size_t i = 0; i < count; ++i) {
      const Rule& rule = grammar_->rule(group.rules[i]);
      if (!rule.options.empty() || rule.notes != nullptr || rule.lookahead != kNoExpr) {
        return nullptr;
      }
      const ExprId body = rule.body;
      bool fits = true;
      if (grammar_->kind(body) == ExprKind::kChoices) {
        for (ExprId child : grammar_->children(body)) {
          fits = fits && ReadAlternative(child, number, count, &states[i]);
        }
      } else {
        fits = ReadAlternative(body, number, count, &states[i]);
      }
      if (!fits || !SortAndCheck(&states[i].edges)) return nullptr;
    }
    return std::make_shared<const CodePointDfa>(std::move(states));
  }

  bool ReadAlternative(ExprId expr, int32_t number, size_t end, State* state) const {
    auto target = static_cast<int32_t>(end);
    switch (grammar_->kind(expr)) {
      case ExprKind::kEmpty:
        state->accept = true;
        return true;
      case ExprKind::kByteString:
      case ExprKind::kCharClass:
        return AddEdges(expr, target, state);
      case ExprKind::kSequence:
        break;
      default:
        return false;
    }
    const std::span<const ExprId> parts = grammar_->children(expr);
    if (parts.size() != 2 || grammar_->kind(parts[1]) != ExprKind::kRuleRef) return false;
    const auto rule = static_cast<size_t>(grammar_->rule_ref(parts[1]));
    if (group_of_[rule] != number) return false;
    target = state_of_[rule];
    return AddEdges(parts[0], target, state);
  }

  bool AddEdges(ExprId expr, int32_t target, State* state) const {
    if (grammar_->kind(expr) == ExprKind::kCharClass) {
      for (const CodePointRange& range : grammar_->ranges(expr)) {
        state->edges.push_back({range.lo, range.hi, target});
      }
      return true;
    }
    if (grammar_->kind(expr) != ExprKind::kByteString) return false;
    const std::string_view text = grammar_->bytes(expr);
    const DecodedCodePoint decoded = DecodeUtf8(text, 0);
    if (decoded.size != text.size()) return false;
    state->edges.push_back({decoded.code_point, decoded.code_point, target});
    return true;
  }

  static bool SortAndCheck(std::vector<CodePointDfa::Edge>* edges) {
    std::sort(edges->begin(), edges->end(),
              [](const CodePointDfa::Edge& a, const CodePointDfa::Edge& b) { return a.lo < b.lo; });
    for (size_t i = 1; i < edges->size(); ++i) {
      if ((*edges)[i].lo <= (*edges)[i - 1].hi) return false;
    }
    return true;
  }

  GrammarPtr Rewrite() {
    GrammarBuilder builder(limits_);
    std::map<int32_t, ExprId> exprs;
    GrammarBuilder::ImportEdits edits;
    edits.skip.assign(static_cast<size_t>(grammar_->num_rules()), false);
    // In the order in which they were printed, so that printing gives the same names again.
    for (const auto& [number, group] : groups_) {
      exprs[number] = builder.AddAutomaton(group.dfa);
      for (RuleId rule : group.rules) edits.skip[static_cast<size_t>(rule)] = true;
    }
    edits.replace = [&](ExprId id) {
      if (grammar_->kind(id) != ExprKind::kRuleRef) return kNoExpr;
      const auto it = exprs.find(group_of_[static_cast<size_t>(grammar_->rule_ref(id))]);
      return it == exprs.end() ? kNoExpr : it->second;
    };
    const std::vector<RuleId> rules = builder.ImportEdited(*grammar_, edits);
    return builder.Build(rules[static_cast<size_t>(grammar_->root())]);
  }

  GrammarPtr grammar_;
  const Limits& limits_;
  std::map<int32_t, Group> groups_;
  std::vector<int32_t> group_of_;  // By rule; -1 for rules of no group.
  std::vector<int32_t> state_of_;
};

}  // namespace

GrammarPtr FoldPrintedAutomata(GrammarPtr grammar, const Limits& limits) {
  return Folder(std::move(grammar), limits).Fold();
}

}  // namespace xgrammar::ebnf
