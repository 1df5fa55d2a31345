// Parser of the Lark front end: tokens -> Document.
//
// Expressions are read with explicit stacks, so that groups use no native stack; only `%lark { }`
// recurses, to a bounded depth. Names are not resolved here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frontend/lark/ast.h"
#include "frontend/lark/lexer.h"
#include "support/limits.h"

namespace xgrammar::lark {

class Parser {
 public:
  /// `depth` is the number of grammars around this one.
  Parser(Lexer* lexer, const Limits& limits, int64_t depth = 0)
      : lexer_(*lexer), limits_(limits), depth_(depth) {}

  /// Reads a whole grammar, up to the end of the text or, if nested, the closing brace. Raises
  /// kGrammarSyntax, kUnsupported, kLimit, with a place.
  std::unique_ptr<Document> Parse();

 private:
  /// One open group; the outermost is the body of the definition.
  struct Group {
    TokenKind close = TokenKind::kEnd;
    size_t offset = 0;
    bool negated = false;  // A `~` waits for the element in `parts`.
    size_t not_offset = 0;
    std::vector<NodeId> parts;         // Of the current sequence.
    std::vector<NodeId> operands;      // Finished operands of `&`.
    std::vector<NodeId> alternatives;  // Finished alternatives.
  };

  // parser.cc: expressions.
  NodeId ParseExpression();
  bool ParseStep();
  void ParseAlias();
  void OpenGroup();
  void CloseGroup();
  void EndSequence();
  void EndAlternative();
  NodeId EndBody();
  NodeId ParseElement();
  NodeId ParseString();
  NodeId ParseName();
  NodeId ParseValueDirective();
  NodeId ParseNested();
  void FinishElement(NodeId element);
  NodeId ParseQuantifier(NodeId element);
  NodeId ParseTilde(NodeId element);
  NodeId ParseBraces(NodeId element);
  int64_t ParseCount();

  // item.cc: definitions and their attributes.
  void ParseItem();
  void ParseDefinition();
  void ParseAttributes(Definition* definition);
  void ParseAttribute(Definition* definition, std::vector<std::string>* seen);
  void CheckAttributes(const Definition& definition, size_t offset) const;
  NodeId ParseMarker();
  int64_t ParseBudget(int64_t min, int64_t max);
  std::string ParseCaptureName();
  double ParseTemperature();
  void EndItem();

  // directive.cc: `%` items and JSON values.
  void ParseDirective();
  void ParseImport();
  void ImportOne(const std::string& name, size_t name_offset, const std::string& alias);
  void ParseIgnore();
  void ParseOptions();
  NodeId ParseSubstring();

  // special_token.cc: `<...>`.
  NodeId ParseSpecial();
  NodeId ParseTokenIds(std::string_view list, size_t offset);

  void Advance() { lexer_.Next(&token_); }
  void Expect(TokenKind kind, const char* what);
  [[noreturn]] void FailHere(std::string message) const;
  std::string TokenText() const;
  const Source& source() const { return lexer_.source(); }

  Lexer& lexer_;
  const Limits& limits_;
  const int64_t depth_;
  std::unique_ptr<Document> document_;
  Token token_;
  std::vector<Group> groups_;
};

}  // namespace xgrammar::lark
