// RegexAst: the syntax tree of a regular expression, between parser.cc and the two ways out
// (lower.cc, to_automaton.cc).
//
// Nodes live in one array and every node comes after its children, so passes are loops over indices
// instead of recursive walks, and deep nesting costs no stack. Flags, group names and laziness are
// gone: they are resolved by the parser or do not change the language.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "automata/code_point_set.h"
#include "support/limits.h"

namespace xgrammar {

using RegexNodeId = int32_t;

enum class RegexNodeKind : uint8_t {
  kEmpty,               ///< The empty string.
  kChar,                ///< One code point.
  kClass,               ///< One code point of a set; the empty set matches nothing.
  kSequence,            ///< Two or more nodes in order.
  kChoice,              ///< Two or more alternatives.
  kRepeat,              ///< `min` to `max` copies of a child; max -1 means no bound.
  kTextStart,           ///< `^`
  kTextEnd,             ///< `$`
  kWordBoundary,        ///< `\b`
  kNotWordBoundary,     ///< `\B`
  kLookahead,           ///< `(?=...)`
  kNegativeLookahead,   ///< `(?!...)`
  kLookbehind,          ///< `(?<=...)`
  kNegativeLookbehind,  ///< `(?<!...)`
};

constexpr bool IsLookahead(RegexNodeKind kind) {
  return kind == RegexNodeKind::kLookahead || kind == RegexNodeKind::kNegativeLookahead;
}

/// Whether the node is an assertion with a body.
constexpr bool IsLookaround(RegexNodeKind kind) {
  return IsLookahead(kind) || kind == RegexNodeKind::kLookbehind ||
         kind == RegexNodeKind::kNegativeLookbehind;
}

/// Owned by one thread while it is built, then only read. Each node has one parent.
class RegexAst {
 public:
  explicit RegexAst(const Limits& limits)
      : max_nodes_(limits.max_grammar_size), max_repeat_(limits.max_repeat) {}

  RegexNodeId AddEmpty() { return Add(RegexNodeKind::kEmpty, 0, 0); }
  RegexNodeId AddChar(uint32_t c) { return Add(RegexNodeKind::kChar, static_cast<int32_t>(c), 0); }
  RegexNodeId AddClass(CodePointSet set);
  /// kTextStart, kTextEnd, kWordBoundary, kNotWordBoundary.
  RegexNodeId AddAssertion(RegexNodeKind kind) { return Add(kind, 0, 0); }
  RegexNodeId AddLookaround(RegexNodeKind kind, RegexNodeId body) { return Add(kind, body, 0); }
  /// Any number of parts; none is the empty string.
  RegexNodeId AddSequence(std::span<const RegexNodeId> parts);
  /// At least one alternative. Alternatives of one character each become a class.
  RegexNodeId AddChoice(std::span<const RegexNodeId> alternatives);
  /// A repetition of a repetition becomes one where the counts leave no gap: (a{0,9}){0,9} is
  /// a{0,81}.
  RegexNodeId AddRepeat(RegexNodeId child, int64_t min, int64_t max);

  /// Puts the empty string in the place of a node.
  void MakeEmpty(RegexNodeId id) {
    nodes_[static_cast<size_t>(id)] = {RegexNodeKind::kEmpty, 0, 0};
  }
  /// Lets a repetition have any number of copies.
  void LiftBounds(RegexNodeId repeat) {
    bounds_[static_cast<size_t>(node(repeat).count)] = {0, -1};
  }

  RegexNodeId root() const { return root_; }
  void set_root(RegexNodeId root) { root_ = root; }
  int32_t size() const { return static_cast<int32_t>(nodes_.size()); }

  RegexNodeKind kind(RegexNodeId id) const { return node(id).kind; }
  /// kChar only.
  uint32_t code_point(RegexNodeId id) const { return static_cast<uint32_t>(node(id).first); }
  /// kClass only.
  const CodePointSet& set(RegexNodeId id) const {
    return sets_[static_cast<size_t>(node(id).first)];
  }
  /// kSequence, kChoice.
  std::span<const RegexNodeId> children(RegexNodeId id) const;
  /// kRepeat, and assertions with a body.
  RegexNodeId child(RegexNodeId id) const { return node(id).first; }
  int64_t repeat_min(RegexNodeId id) const { return bounds(id).min; }
  int64_t repeat_max(RegexNodeId id) const { return bounds(id).max; }

 private:
  struct Node {
    RegexNodeKind kind = RegexNodeKind::kEmpty;
    int32_t first = 0;  ///< Code point, set, only child, or start in children_, by kind.
    int32_t count = 0;  ///< Children, or index into bounds_ for kRepeat.
  };
  struct Bounds {
    int64_t min = 0;
    int64_t max = -1;
  };

  RegexNodeId Add(RegexNodeKind kind, int32_t first, int32_t count);
  RegexNodeId AddParent(RegexNodeKind kind, std::span<const RegexNodeId> children);
  const Node& node(RegexNodeId id) const { return nodes_[static_cast<size_t>(id)]; }
  const Bounds& bounds(RegexNodeId id) const {
    return bounds_[static_cast<size_t>(node(id).count)];
  }

  int64_t max_nodes_;
  int64_t max_repeat_;
  RegexNodeId root_ = 0;
  std::vector<Node> nodes_;
  std::vector<RegexNodeId> children_;
  std::vector<CodePointSet> sets_;
  std::vector<Bounds> bounds_;
};

/// What the later stages ask about each node; lengths saturate at kHuge.
struct RegexFacts {
  static constexpr int64_t kHuge = int64_t{1} << 50;

  std::vector<int64_t> min_length;  ///< Characters of the shortest match, assertions taken as true.
  std::vector<int64_t> max_length;  ///< Of the longest one; kHuge if there is no bound.
  std::vector<int64_t>
      nfa_states;  ///< About how many states the node takes when repetitions are written out.
  std::vector<int64_t> nfa_ranges;  ///< About how many ranges their edges hold.
  bool has_anchor = false;          ///< `^` or `$` occurs.
  bool has_lookaround = false;      ///< Look-around or a word boundary occurs.
};

RegexFacts AnalyzeRegex(const RegexAst& ast);

}  // namespace xgrammar
