// Compiler of the Lark front end: Document -> rules of a grammar under construction.
//
// A terminal becomes a rule of kind kLexeme. In a rule every lexeme is followed by what `%ignore`
// names. What combines terminals as wholes (`&`, `~`, lazy, suffix, stop) goes through automata
// over code points.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "automata/code_point_automaton.h"
#include "frontend/lark/ast.h"
#include "frontend/lark/lark.h"
#include "frontend/lark/names.h"
#include "frontend/lark/source.h"
#include "grammar/builder.h"
#include "support/limits.h"

namespace xgrammar::lark {

/// What the grammars of one call share. Owned by one thread.
class Session {
 public:
  Session(const std::vector<NamedGrammar>& named_grammars, const TokenizerInfo* tokenizer,
          const Limits& limits);

  /// Adds the grammar of a text; returns its start rule.
  RuleId AddText(std::string_view text, const std::string& name);
  /// The start rule of `@name`, added once. Raises kGrammarSyntax at the reference.
  RuleId AddNamed(const std::string& name, size_t offset, const Source& source);
  /// The root of a JSON Schema, added once.
  RuleId AddJsonSchema(const std::string& text);

  /// Around the compilation of each grammar, since grammars within grammars recurse. Raises kLimit
  /// past 100 of them; an error ends the session.
  void EnterGrammar();
  void LeaveGrammar() { --depth_; }

  GrammarBuilder& builder() { return builder_; }
  const TokenizerInfo* tokenizer() const { return tokenizer_; }
  const Limits& limits() const { return limits_; }
  std::vector<JsonSchemaReportRecord>& report() { return report_; }
  /// An attribute without effect.
  void ReportIgnored(const std::string& rule, const std::string& attribute, std::string reason) {
    report_.push_back({rule, attribute, std::move(reason), "ignored"});
  }

 private:
  RuleId Import(const Grammar& grammar);

  std::map<std::string, const NamedGrammar*, std::less<>> named_;
  const TokenizerInfo* tokenizer_;
  const Limits& limits_;
  GrammarBuilder builder_;
  std::vector<JsonSchemaReportRecord> report_;
  std::unordered_map<std::string, RuleId> added_named_;
  std::unordered_map<std::string, RuleId> schemas_;
  std::vector<std::string> open_;  // Named grammars being read, outermost first.
  int64_t depth_ = 0;
};

class DocumentCompiler {
 public:
  DocumentCompiler(const Document& document, const Source& source, Session* session);

  /// Adds all rules; returns the start rule.
  RuleId Compile();

 private:
  // compiler.cc
  void AddRules();
  void CompileTerminal(DefinitionId id);
  void CompileRule(DefinitionId id);
  void CompileIgnore();
  void CompileNodes(NodeId first, NodeId last, NodeId skipped, bool is_unit);
  ExprId CompileNode(NodeId id, bool is_unit);
  ExprId CompileParent(NodeId id);
  ExprId WithIgnore(ExprId lexeme);
  void AddNotes(const Definition& definition, RuleId rule);
  int64_t MarkerBytes(const Definition& definition) const;

  // terminal.cc: what has a form as text.
  ExprId CompileString(NodeId id);
  ExprId CompileRegex(NodeId id, bool is_unit);
  ExprId CompileAnd(NodeId id);
  ExprId CompileNot(NodeId id);
  ExprId CompileShaped(const Definition& definition);
  CodePointDfa DfaOf(ExprId expr) const;
  ExprId AddDfa(CodePointDfa dfa);

  // embedded.cc: other grammars and whole tokens.
  ExprId CompileJson(NodeId id);
  ExprId CompileNested(NodeId id);
  ExprId CompileTokenText(NodeId id);
  ExprId CompileTokenIds(NodeId id);

  // dispatch.cc: heads of the form `TEXT "<t>"`.
  struct ToolCase {
    NodeId marker = kNoNode;
    ExprId content = kNoExpr;
  };
  ExprId CompileHead(const Head& head);
  /// The body of a rule `(tool_a | tool_b)* tail` as free text with tools, or kNoExpr.
  ExprId CompileDispatch(NodeId body);
  bool CollectTools(NodeId node, size_t depth, std::vector<ToolCase>* cases);
  bool CollectTool(NodeId node, size_t depth, std::vector<ToolCase>* cases);
  bool IsTail(NodeId node) const;
  ExprId DispatchOn(const std::vector<ToolCase>& cases, bool loop, NodeId place);
  ExprId DispatchOnTokens(const std::vector<ToolCase>& cases, bool loop);
  ExprId FreeTokens(const std::vector<ToolCase>& cases);
  std::vector<int32_t> IdsOf(NodeId marker) const;

  const Definition& definition(DefinitionId id) const {
    return document_.definitions[static_cast<size_t>(id)];
  }
  ExprId ExprOf(NodeId id) const { return exprs_[static_cast<size_t>(id)]; }
  GrammarBuilder& builder() { return session_.builder(); }

  const Document& document_;
  const Source& source_;
  Session& session_;
  const Names names_;
  std::vector<RuleId> rules_;  // By definition.
  std::vector<ExprId> exprs_;  // By node.
  std::unordered_map<std::string, ExprId> patterns_;
  ExprId ignore_ = kNoExpr;
  std::string hint_;  // Name of the rule whose body is being added.
};

}  // namespace xgrammar::lark
