// Automata over code points: what a regular expression, a JSON Schema pattern or a format means
// before it is spelled in bytes.
//
// CodePointNfa is a mutable builder with epsilon edges and text anchors; CodePointDfa is an
// immutable, trimmed machine. The operations (determinize.cc, minimize.cc, intersect.cc,
// complement.cc, one algorithm per file) take a state budget and raise a kLimit error past it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "automata/code_point_set.h"
#include "automata/dfa_table.h"

namespace xgrammar {

/// Nondeterministic automaton. Anchors: a `text_start` edge may be crossed only before the first
/// character, a `text_end` edge only after the last one; so a machine that searches (`.*P.*`) can
/// hold `^` and `$` anywhere in P.
class CodePointNfa {
 public:
  enum class EdgeKind : uint8_t { kEpsilon, kTextStart, kTextEnd };

  struct ClassEdge {
    CodePointSet set;
    int32_t target = 0;
  };
  struct SilentEdge {
    EdgeKind kind = EdgeKind::kEpsilon;
    int32_t target = 0;
  };
  struct State {
    std::vector<ClassEdge> class_edges;
    std::vector<SilentEdge> silent_edges;
    bool accept = false;
    int32_t family = -1;
    int32_t rank = 0;
  };

  /// Returns the new state's index; the first state added is the start.
  int32_t AddState();
  void AddEdge(int32_t from, CodePointSet set, int32_t to);
  void AddSilentEdge(int32_t from, EdgeKind kind, int32_t to);
  void SetAccept(int32_t state) { states_[static_cast<size_t>(state)].accept = true; }

  /// A set of states of which each accepts all texts that those with higher ranks accept, as the
  /// places in the copies of `(ab){0,9}` do: after fewer copies, more may follow.
  int32_t AddFamily() { return num_families_++; }
  void SetRank(int32_t state, int32_t family, int32_t rank) {
    states_[static_cast<size_t>(state)].family = family;
    states_[static_cast<size_t>(state)].rank = rank;
  }
  int32_t num_families() const { return num_families_; }
  /// Adds the states of another machine behind the own ones; returns where its start is now.
  int32_t Append(const CodePointNfa& other);

  const std::vector<State>& states() const { return states_; }
  int32_t start() const { return 0; }

 private:
  std::vector<State> states_;
  int32_t num_families_ = 0;
};

/// Deterministic automaton, immutable. Invariants: state 0 is the start; edges of a state are
/// sorted by `lo` and disjoint; every state is reachable from the start and can reach an accepting
/// state, except that the empty language is one non-accepting state without edges.
class CodePointDfa {
 public:
  using Edge = CodePointEdge;
  /// A state as the constructor takes it.
  struct State {
    std::vector<Edge> edges;
    bool accept = false;
  };
  /// A state of a machine, which it borrows its edges from.
  struct StateView {
    std::span<const Edge> edges;
    bool accept = false;
    friend bool operator==(const StateView& a, const StateView& b) {
      return a.accept == b.accept && std::ranges::equal(a.edges, b.edges);
    }
  };

  /// Takes any deterministic table; trims unreachable and dead states and renumbers in
  /// breadth-first order.
  explicit CodePointDfa(DfaTable table);
  /// The same, from states one by one: for small machines and machines whose states grow in turns.
  explicit CodePointDfa(const std::vector<State>& states);
  /// The same for tables without dead states, with another start; -1 for the empty language.
  CodePointDfa(DfaTable live, int32_t start) { Number(&live, start); }
  /// Takes a table that is in the final form already: breadth-first numbers, sorted edges, joined
  /// neighbours, no state in vain.
  static CodePointDfa FromNumbered(DfaTable table);
  CodePointDfa(const CodePointDfa& other);
  CodePointDfa(CodePointDfa&&) noexcept = default;
  CodePointDfa& operator=(CodePointDfa other) noexcept {
    edges_.swap(other.edges_);
    states_.swap(other.states_);
    return *this;
  }
  ~CodePointDfa() = default;

  const std::vector<StateView>& states() const { return states_; }
  /// Of all states.
  int64_t num_edges() const { return static_cast<int64_t>(edges_.size()); }
  /// Equal for equal data.
  uint64_t Hash() const;
  /// The states as the constructor takes them, to be changed.
  std::vector<State> CopyStates() const;
  /// The states as a table, to be continued.
  DfaTable ToTable() const;
  bool IsEmpty() const {
    return states_.size() == 1 && !states_[0].accept && states_[0].edges.empty();
  }
  /// Target of the edge, or -1.
  int32_t Next(int32_t state, uint32_t code_point) const;
  /// Whether the whole of `text` (well-formed UTF-8) is in the language.
  bool Accepts(std::string_view text) const;
  /// Length in code points of the shortest member, -1 for the empty language.
  int64_t MinLength() const;
  /// Length in code points of the longest member, -1 if unbounded or empty.
  int64_t MaxLength() const;

 private:
  CodePointDfa() = default;
  void Number(DfaTable* table, int32_t start);

  std::vector<Edge> edges_;
  std::vector<StateView> states_;  ///< Views of `edges_`.
};

using CodePointDfaPtr = std::shared_ptr<const CodePointDfa>;

/// Subset construction (Rabin and Scott 1959) that honours anchors; the result is minimal.
CodePointDfa Determinize(const CodePointNfa& nfa, int64_t max_states);
/// Texts of `a` that are not in `b`; minimal. `b` is determinised along the texts of `a` alone.
CodePointDfa DeterminizeDifference(const CodePointNfa& a, const CodePointNfa& b,
                                   int64_t max_states);
/// Partition refinement (Moore 1956; Hopcroft 1971).
CodePointDfa Minimize(const CodePointDfa& dfa);
/// The same for a table, whose edges must be sorted.
CodePointDfa Minimize(const DfaTable& table);
/// Product automaton: texts in both languages. All products are minimal.
CodePointDfa Intersect(const CodePointDfa& a, const CodePointDfa& b, int64_t max_states);
/// All texts (sequences of scalar values) that are not in the language; minimal if `dfa` is.
CodePointDfa Complement(const CodePointDfa& dfa);
/// Texts in either language.
CodePointDfa Unite(const CodePointDfa& a, const CodePointDfa& b, int64_t max_states);
/// Texts in `a` that are not in `b`; unlike Intersect with a Complement, characters that only `b`
/// mentions cost nothing.
CodePointDfa Subtract(const CodePointDfa& a, const CodePointDfa& b, int64_t max_states);
/// Texts of `min` to `max` code points; `max` -1 means no bound. Needs min (or max) + 1 states.
CodePointDfa LengthRange(int64_t min, int64_t max, int64_t max_states);
/// Exactly the given texts (well-formed UTF-8), as a minimal trie.
CodePointDfa FromStrings(const std::vector<std::string_view>& texts);

}  // namespace xgrammar
