// Names of a Lark grammar: what each stands for, and whether it may stand where it does.
//
// Between the parser and the compiler. Also finds the heads of tool calls, which are any text
// before a fixed string or token, since they are compiled as free text.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/lark/ast.h"
#include "frontend/lark/source.h"

namespace xgrammar::lark {

/// Index into Document::definitions.
using DefinitionId = int32_t;

/// The marker of a head of the form `TEXT "<t>"`, with any text before a fixed string or token.
struct Head {
  NodeId marker = kNoNode;  ///< kString, kTokenIds or kTokenText.
};

/// Borrows the document and the source. Immutable.
class Names {
 public:
  /// Raises kGrammarSyntax for a name that is defined twice or not at all, for what is not allowed
  /// in a terminal or in a rule, and for a terminal that contains itself.
  Names(const Document& document, const Source& source);

  /// The rule `start`.
  DefinitionId start() const { return start_; }
  /// Precondition: the node is a kName.
  DefinitionId Of(NodeId node) const { return index_.at(document_.literal(node).text); }
  /// Terminals, each after those that it contains.
  const std::vector<DefinitionId>& terminals() const { return terminals_; }
  /// Whether the body is one regular unit: a terminal, or a rule that lazy, suffix or stop shape.
  bool IsUnit(DefinitionId id) const { return is_unit_[static_cast<size_t>(id)]; }
  /// The head that a rule is, or null.
  const Head* HeadOf(DefinitionId id) const;
  /// Whether a node is any text, line ends included: one of the fixed patterns, or a terminal for
  /// it.
  bool IsAnyText(NodeId node) const;

 private:
  void Index();
  void FindHeads();
  void CheckNode(NodeId node, const Definition* unit) const;
  void CheckDefinition(DefinitionId id);
  void CheckTemperature(const Definition& definition) const;
  void OrderTerminals();
  NodeId Dealias(NodeId node) const;
  const Definition& definition(DefinitionId id) const {
    return document_.definitions[static_cast<size_t>(id)];
  }

  const Document& document_;
  const Source& source_;
  std::unordered_map<std::string_view, DefinitionId> index_;
  std::unordered_map<DefinitionId, Head> heads_;
  std::vector<bool> is_unit_;
  std::vector<DefinitionId> terminals_;
  DefinitionId start_ = -1;
};

}  // namespace xgrammar::lark
