// ExprToDfa: Thompson's construction (1968) over the expression nodes, then determinisation.
//
// Every node is written between two given states, so a work list replaces recursion. Counted
// repetitions are written out; the number of states is bounded before the machine grows.
#include "grammar/regular.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "support/error.h"
#include "support/utf8.h"

namespace xgrammar {

namespace {

using EdgeKind = CodePointNfa::EdgeKind;

class NfaWriter {
 public:
  NfaWriter(const Grammar& grammar, const RuleAutomaton& rule_automaton, const Limits& limits)
      : grammar_(grammar), rule_automaton_(rule_automaton), limits_(limits) {}

  /// Returns whether every part has a form as text.
  bool Write(ExprId expr) {
    const int32_t start = AddState();
    const int32_t accept = AddState();
    nfa_.SetAccept(accept);
    work_.push_back({expr, start, accept});
    while (!work_.empty()) {
      const Task task = work_.back();
      work_.pop_back();
      if (!WriteNode(task)) return false;
    }
    return true;
  }

  const CodePointNfa& nfa() const { return nfa_; }

 private:
  struct Task {
    ExprId expr = kNoExpr;
    int32_t from = 0;
    int32_t to = 0;
  };

  int32_t AddState() {
    const auto count = static_cast<int64_t>(nfa_.states().size()) + 1;
    if (count > limits_.max_dfa_states) {
      ThrowLimitError("max_dfa_states", count, limits_.max_dfa_states, "a lazy rule");
    }
    return nfa_.AddState();
  }

  void Join(int32_t from, int32_t to) { nfa_.AddSilentEdge(from, EdgeKind::kEpsilon, to); }

  bool WriteNode(const Task& task) {
    switch (grammar_.kind(task.expr)) {
      case ExprKind::kEmpty:
        Join(task.from, task.to);
        return true;
      case ExprKind::kByteString:
        WriteText(grammar_.bytes(task.expr), task.from, task.to);
        return true;
      case ExprKind::kCharClass: {
        const std::span<const CodePointRange> ranges = grammar_.ranges(task.expr);
        nfa_.AddEdge(task.from, CodePointSet({ranges.begin(), ranges.end()}), task.to);
        return true;
      }
      case ExprKind::kRuleRef:
        return WriteRule(task);
      case ExprKind::kSequence:
        WriteSequence(task);
        return true;
      case ExprKind::kChoices:
        for (ExprId child : grammar_.children(task.expr)) {
          work_.push_back({child, task.from, task.to});
        }
        return true;
      case ExprKind::kRepeat:
        WriteRepeat(task);
        return true;
      case ExprKind::kAutomaton:
        WriteAutomaton(*grammar_.automaton(task.expr), task.from, task.to);
        return true;
      default:
        return false;
    }
  }

  void WriteText(std::string_view text, int32_t from, int32_t to) {
    for (size_t i = 0; i < text.size();) {
      const DecodedCodePoint decoded = DecodeUtf8(text, i);
      i += decoded.size;
      const int32_t next = i == text.size() ? to : AddState();
      nfa_.AddEdge(from, CodePointSet::Single(decoded.code_point), next);
      from = next;
    }
  }

  bool WriteRule(const Task& task) {
    const RuleId id = grammar_.rule_ref(task.expr);
    if (const CodePointDfaPtr dfa = rule_automaton_(id)) {
      WriteAutomaton(*dfa, task.from, task.to);
      return true;
    }
    if (!grammar_.rule(id).options.empty()) return false;
    // A state of its own counts the visit: rules that share rules can be read in very many ways.
    const int32_t from = AddState();
    Join(task.from, from);
    work_.push_back({grammar_.rule(id).body, from, task.to});
    return true;
  }

  void WriteSequence(const Task& task) {
    int32_t from = task.from;
    const std::span<const ExprId> parts = grammar_.children(task.expr);
    for (size_t i = 0; i < parts.size(); ++i) {
      const int32_t next = i + 1 == parts.size() ? task.to : AddState();
      work_.push_back({parts[i], from, next});
      from = next;
    }
  }

  void WriteRepeat(const Task& task) {
    const ExprId child = grammar_.children(task.expr)[0];
    const int64_t min = grammar_.repeat_min(task.expr);
    const int64_t max = grammar_.repeat_max(task.expr);
    int32_t from = AddState();
    Join(task.from, from);
    for (int64_t i = 0; i < std::max(min, max); ++i) {
      if (i >= min) Join(from, task.to);
      const int32_t next = AddState();
      work_.push_back({child, from, next});
      from = next;
    }
    Join(from, task.to);
    if (max != kUnbounded) return;
    const int32_t loop = AddState();
    Join(from, loop);
    work_.push_back({child, loop, loop});
    Join(loop, task.to);
  }

  void WriteAutomaton(const CodePointDfa& dfa, int32_t from, int32_t to) {
    std::vector<int32_t> ids(dfa.states().size());
    for (int32_t& id : ids) id = AddState();
    Join(from, ids[0]);
    for (size_t s = 0; s < ids.size(); ++s) {
      const CodePointDfa::StateView& state = dfa.states()[s];
      for (const CodePointDfa::Edge& edge : state.edges) {
        nfa_.AddEdge(ids[s], CodePointSet({{edge.lo, edge.hi}}),
                     ids[static_cast<size_t>(edge.target)]);
      }
      if (state.accept) Join(ids[s], to);
    }
  }

  const Grammar& grammar_;
  const RuleAutomaton& rule_automaton_;
  const Limits& limits_;
  CodePointNfa nfa_;
  std::vector<Task> work_;
};

}  // namespace

std::optional<CodePointDfa> ExprToDfa(const Grammar& grammar, ExprId expr,
                                      const RuleAutomaton& rule_automaton, const Limits& limits) {
  NfaWriter writer(grammar, rule_automaton, limits);
  if (!writer.Write(expr)) return std::nullopt;
  return Determinize(writer.nfa(), limits.max_dfa_states);
}

// A state of the result is a state and the number of characters read, which stays at the budget.
CodePointDfa WithinChars(const CodePointDfa& dfa, int64_t max_chars, int64_t max_states) {
  const auto count = static_cast<int64_t>(dfa.states().size());
  if (max_chars >= max_states / count) {
    ThrowLimitError("max_dfa_states", max_states + 1, max_states, "a limit within another limit");
  }
  DfaTable table;
  table.Reserve(static_cast<size_t>(count * (max_chars + 1)),
                static_cast<size_t>(dfa.num_edges() * (max_chars + 1)));
  for (int64_t read = 0; read <= max_chars; ++read) {
    const auto next = static_cast<int32_t>(std::min(read + 1, max_chars) * count);
    for (const CodePointDfa::StateView& state : dfa.states()) {
      const bool ends = read == max_chars && state.accept;
      for (const CodePointDfa::Edge& edge : state.edges) {
        if (!ends) table.AddEdge(edge.lo, edge.hi, edge.target + next);
      }
      table.EndState(state.accept);
    }
  }
  return Minimize(table);
}

CodePointDfa ShortestOnly(const CodePointDfa& dfa) {
  DfaTable table;
  for (const CodePointDfa::StateView& state : dfa.states()) {
    for (const CodePointDfa::Edge& edge : state.edges) {
      if (!state.accept) table.AddEdge(edge.lo, edge.hi, edge.target);
    }
    table.EndState(state.accept);
  }
  return Minimize(table);
}

}  // namespace xgrammar
