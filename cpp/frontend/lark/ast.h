// Document: the syntax tree of one Lark grammar, as written.
//
// Nodes are named by ids; children have smaller ids than their parents and the nodes of one
// definition are neighbours, so later stages go through them in order instead of recursing. Nested
// grammars (`%lark { }`) are documents of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace xgrammar::lark {

using NodeId = int32_t;
constexpr NodeId kNoNode = -1;

enum class NodeKind : uint8_t {
  kEmpty,
  kString,        ///< literal: text; flags "i" or nothing.
  kRange,         ///< first, count: the two code points.
  kRegex,         ///< literal: pattern and flags.
  kName,          ///< literal: name of a rule or terminal.
  kSequence,      ///< children
  kChoices,       ///< children
  kAnd,           ///< children: terminals that must all match.
  kNot,           ///< one child: any text that does not match.
  kRepeat,        ///< one child; bounds.
  kJson,          ///< literal: text of a JSON Schema.
  kSubstring,     ///< chunks
  kNested,        ///< document
  kNamedGrammar,  ///< literal: name.
  kTokenIds,      ///< tokens
  kTokenText,     ///< literal: text of a token.
};

struct Node {
  NodeKind kind = NodeKind::kEmpty;
  size_t offset = 0;  ///< Where it begins in the source.
  int32_t first = 0;  ///< Index into the pool of the kind.
  int32_t count = 0;  ///< Number of children; index of the bounds of a repetition.
};

struct Literal {
  std::string text;
  std::string flags;
};

struct Bounds {
  int64_t min = 0;
  int64_t max = -1;  ///< -1: none.
};

struct TokenIds {
  std::vector<int32_t> ids;
  bool excluding = false;
};

/// What stands in brackets after the name of a rule.
struct Attributes {
  bool lazy = false;
  NodeId suffix = kNoNode;
  NodeId stop = kNoNode;
  int64_t max_tokens = -1;
  int64_t max_chars = -1;
  /// Attributes that change no language, in order; `text` is a capture's name.
  struct Note {
    std::string name;
    size_t offset = 0;
    std::string text;
    double number = 0;
  };
  std::vector<Note> notes;

  NodeId marker() const { return suffix != kNoNode ? suffix : stop; }
  bool has_limits() const { return max_tokens >= 0 || max_chars >= 0; }
};

struct Definition {
  std::string name;
  size_t offset = 0;  ///< Of the name.
  bool is_terminal = false;
  NodeId first_node = 0;  ///< The nodes are [first_node, body].
  NodeId body = kNoNode;
  Attributes attributes;
};

/// `%ignore`: the nodes are [first_node, body].
struct Ignore {
  NodeId first_node = 0;
  NodeId body = kNoNode;
};

class Document {
 public:
  const Node& node(NodeId id) const { return nodes[static_cast<size_t>(id)]; }
  NodeKind kind(NodeId id) const { return node(id).kind; }
  const Literal& literal(NodeId id) const { return literals[static_cast<size_t>(node(id).first)]; }
  /// kSequence, kChoices, kAnd, kNot, kRepeat.
  std::span<const NodeId> children_of(NodeId id) const {
    const Node& n = node(id);
    const size_t count = n.kind == NodeKind::kRepeat ? 1 : static_cast<size_t>(n.count);
    return std::span(children).subspan(static_cast<size_t>(n.first), count);
  }
  const Bounds& bounds_of(NodeId id) const { return bounds[static_cast<size_t>(node(id).count)]; }

  NodeId Add(NodeKind kind, size_t offset, int32_t first = 0, int32_t count = 0) {
    nodes.push_back({kind, offset, first, count});
    return static_cast<NodeId>(nodes.size()) - 1;
  }
  NodeId AddLiteral(NodeKind kind, size_t offset, std::string text, std::string flags = {}) {
    literals.push_back({std::move(text), std::move(flags)});
    return Add(kind, offset, static_cast<int32_t>(literals.size()) - 1);
  }
  NodeId AddParent(NodeKind kind, size_t offset, std::span<const NodeId> parts) {
    const auto first = static_cast<int32_t>(children.size());
    children.insert(children.end(), parts.begin(), parts.end());
    return Add(kind, offset, first, static_cast<int32_t>(parts.size()));
  }
  NodeId AddRepeat(size_t offset, NodeId child, Bounds repeat) {
    const auto first = static_cast<int32_t>(children.size());
    children.push_back(child);
    bounds.push_back(repeat);
    return Add(NodeKind::kRepeat, offset, first, static_cast<int32_t>(bounds.size()) - 1);
  }

  std::vector<Node> nodes;
  std::vector<NodeId> children;
  std::vector<Literal> literals;
  std::vector<Bounds> bounds;
  std::vector<std::vector<std::string>> substrings;
  std::vector<std::unique_ptr<Document>> nested;
  std::vector<TokenIds> token_ids;
  std::vector<Definition> definitions;  ///< Imported terminals included.
  std::vector<Ignore> ignores;
  size_t begin = 0;  ///< Where the grammar begins in the source.
  bool allow_initial_skip = false;
};

}  // namespace xgrammar::lark
