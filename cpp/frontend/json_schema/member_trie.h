// MemberTrie: the members that may come next, told apart by their keys.
//
// An ordered object offers at each place all optional members up to the next required one. Listed
// one by one they make parse states, and rules, as large as the object at every key. Here they are
// a trie of the texts that they begin with, with a rule for each inner node, so that a parse state
// holds what one more character leads to. Going through the members backwards, each place is the
// one behind it with a member more: a version of a persistent trie (path copying: Driscoll, Sarnak,
// Sleator and Tarjan 1989), which shares all nodes but those on the way to the new key.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/builder.h"

namespace xgrammar::json_schema {

/// Borrows the builder. Versions are small numbers; kEmpty has no member.
class MemberTrie {
 public:
  static constexpr int32_t kEmpty = -1;

  /// `kind`: of the rules that are made.
  MemberTrie(GrammarBuilder* builder, RuleKind kind) : builder_(*builder), kind_(kind) {}

  /// The version with one more member: an expression and what follows it. Cost: the nodes on the
  /// way, with their children.
  int32_t Add(int32_t version, ExprId member, ExprId rest);
  /// One of the members of a version with what follows it.
  ExprId Reference(int32_t version);

 private:
  struct Edge {
    std::string_view label;  // Not empty, well-formed UTF-8; no two labels begin alike.
    int32_t child = kEmpty;
  };
  struct Node {
    std::vector<Edge> edges;
    std::vector<ExprId> ends;  // What may follow here, from here on.
    ExprId reference = kNoExpr;
  };

  int32_t Copy(int32_t node);
  Node& At(int32_t node) { return nodes_[static_cast<size_t>(node)]; }
  std::pair<std::string_view, ExprId> SplitKey(ExprId member);
  ExprId BodyOf(const Node& node);

  GrammarBuilder& builder_;
  const RuleKind kind_;
  std::vector<Node> nodes_;
  std::deque<std::string> texts_;  // What labels are parts of.
};

}  // namespace xgrammar::json_schema
