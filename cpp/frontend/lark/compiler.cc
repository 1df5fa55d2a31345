// DocumentCompiler: rules in the order of their nodes, children first.
//
// Terminals come first, each after its parts, since automata of terminals need finished bodies.
// Rules of all definitions are added before any body, so that bodies may refer to each other.
#include "frontend/lark/compiler.h"

#include <utility>

#include "grammar/substring.h"
#include "support/error.h"

namespace xgrammar::lark {

namespace {

int64_t Utf8Size(uint32_t code_point) {
  if (code_point < 0x80) return 1;
  if (code_point < 0x800) return 2;
  return code_point < 0x10000 ? 3 : 4;
}

}  // namespace

DocumentCompiler::DocumentCompiler(const Document& document, const Source& source, Session* session)
    : document_(document),
      source_(source),
      session_(*session),
      names_(document, source),
      exprs_(document.nodes.size(), kNoExpr) {}

RuleId DocumentCompiler::Compile() {
  session_.EnterGrammar();
  AddRules();
  for (DefinitionId id : names_.terminals()) CompileTerminal(id);
  CompileIgnore();
  // Rules may dispatch to the parts of other rules, so all parts come before all bodies.
  const auto count = static_cast<DefinitionId>(document_.definitions.size());
  for (DefinitionId id = 0; id < count; ++id) {
    const Definition& entry = definition(id);
    if (entry.is_terminal) continue;
    hint_ = entry.name;
    const Head* head = names_.HeadOf(id);
    CompileNodes(entry.first_node, entry.body, head == nullptr ? kNoNode : entry.body,
                 names_.IsUnit(id));
  }
  for (DefinitionId id = 0; id < count; ++id) {
    if (!definition(id).is_terminal) CompileRule(id);
  }
  session_.LeaveGrammar();
  const RuleId start = rules_[static_cast<size_t>(names_.start())];
  if (!document_.allow_initial_skip || ignore_ == kNoExpr) return start;
  const ExprId body = builder().AddSequence({ignore_, builder().AddRuleRef(start)});
  return builder().AddRuleWithHint("start", body);
}

void DocumentCompiler::AddRules() {
  for (const Definition& entry : document_.definitions) {
    const RuleKind kind = entry.is_terminal ? RuleKind::kLexeme : RuleKind::kAuto;
    rules_.push_back(builder().AddRule(builder().UnusedName(entry.name), kind));
  }
}

void DocumentCompiler::CompileTerminal(DefinitionId id) {
  const Definition& entry = definition(id);
  hint_ = entry.name;
  CompileNodes(entry.first_node, entry.body, kNoNode, true);
  builder().SetBody(rules_[static_cast<size_t>(id)], ExprOf(entry.body));
}

void DocumentCompiler::CompileIgnore() {
  std::vector<ExprId> alternatives;
  hint_ = "ignore";
  for (const Ignore& ignore : document_.ignores) {
    CompileNodes(ignore.first_node, ignore.body, kNoNode, true);
    alternatives.push_back(ExprOf(ignore.body));
  }
  if (alternatives.empty()) return;
  const ExprId body = builder().AddStar(builder().AddChoices(alternatives));
  ignore_ = builder().AddRuleRef(builder().AddRuleWithHint("ignore", body, RuleKind::kLexeme));
}

void DocumentCompiler::CompileRule(DefinitionId id) {
  const Definition& entry = definition(id);
  const RuleId rule = rules_[static_cast<size_t>(id)];
  hint_ = entry.name;
  try {
    ExprId body = kNoExpr;
    if (const Head* head = names_.HeadOf(id)) {
      body = CompileHead(*head);
    } else if (names_.IsUnit(id)) {
      body = CompileShaped(entry);
      builder().SetKind(rule, RuleKind::kLexeme);
    } else {
      body = CompileDispatch(entry.body);
      if (body == kNoExpr) body = ExprOf(entry.body);
    }
    builder().SetBody(rule, body);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kBudget) throw;
    if (error.line() > 0) throw;
    throw source_.Placed(error, entry.offset);
  }
  RuleOptions options;
  options.max_tokens = entry.attributes.max_tokens;
  options.max_chars = entry.attributes.max_chars;
  builder().SetOptions(rule, options);
  AddNotes(entry, rule);
}

void DocumentCompiler::AddNotes(const Definition& entry, RuleId rule) {
  RuleNotes notes;
  for (const Attributes::Note& note : entry.attributes.notes) {
    if (note.name == "capture") {
      notes.capture = note.text;
    } else if (note.name == "stop_capture") {
      notes.stop_capture = note.text;
    } else {
      notes.temperature = note.number;
    }
  }
  if (entry.attributes.marker() != kNoNode) {
    const int64_t size = MarkerBytes(entry);
    const bool is_suffix = entry.attributes.suffix != kNoNode;
    if (size > 0) {
      (is_suffix ? notes.hidden_suffix_bytes : notes.hidden_stop_bytes) = size;
    } else if (!notes.capture.empty() || !notes.stop_capture.empty()) {
      notes.stop_capture.clear();
      session_.ReportIgnored(entry.name, is_suffix ? "suffix" : "stop",
                             "a marker of no fixed length is not told apart from the text before "
                             "it in captures");
    }
  }
  builder().SetNotes(rule, notes);
}

/// Length of the texts of a rule's marker, 0 if they differ in length.
int64_t DocumentCompiler::MarkerBytes(const Definition& entry) const {
  const NodeId marker = entry.attributes.marker();
  if (document_.kind(marker) == NodeKind::kString && document_.literal(marker).flags.empty()) {
    return static_cast<int64_t>(document_.literal(marker).text.size());
  }
  const CodePointDfa dfa = DfaOf(ExprOf(marker));
  const std::vector<CodePointDfa::StateView>& states = dfa.states();
  // By state: bytes from the start; states are numbered breadth-first.
  std::vector<int64_t> sizes(states.size(), -1);
  sizes[0] = 0;
  int64_t found = 0;
  for (size_t i = 0; i < states.size(); ++i) {
    if (states[i].accept) {
      if (found != 0 && found != sizes[i]) return 0;
      found = sizes[i];
    }
    for (const CodePointDfa::Edge& edge : states[i].edges) {
      if (Utf8Size(edge.lo) != Utf8Size(edge.hi)) return 0;
      int64_t& size = sizes[static_cast<size_t>(edge.target)];
      const int64_t through = sizes[i] + Utf8Size(edge.lo);
      if (size >= 0 && size != through) return 0;
      size = through;
    }
  }
  return found;
}

/// Expressions of the nodes from `first` to `last`, except `skipped` and, of a head, its marker.
void DocumentCompiler::CompileNodes(NodeId first, NodeId last, NodeId skipped, bool is_unit) {
  for (NodeId id = first; id <= last; ++id) {
    const NodeKind kind = document_.kind(id);
    const bool is_token = kind == NodeKind::kTokenIds || kind == NodeKind::kTokenText;
    if (skipped != kNoNode && (id == skipped || is_token)) continue;
    try {
      exprs_[static_cast<size_t>(id)] = CompileNode(id, is_unit);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kBudget) throw;
      if (error.line() > 0) throw;
      throw source_.Placed(error, document_.node(id).offset);
    }
  }
}

ExprId DocumentCompiler::WithIgnore(ExprId lexeme) {
  if (ignore_ == kNoExpr) return lexeme;
  return builder().AddSequence({lexeme, ignore_});
}

ExprId DocumentCompiler::CompileNode(NodeId id, bool is_unit) {
  const auto lexeme = [&](ExprId expr) { return is_unit ? expr : WithIgnore(expr); };
  switch (document_.kind(id)) {
    case NodeKind::kString:
      if (document_.literal(id).text.empty()) return builder().AddEmpty();
      return lexeme(CompileString(id));
    case NodeKind::kRange: {
      const Node& node = document_.node(id);
      const CodePointRange range = {static_cast<uint32_t>(node.first),
                                    static_cast<uint32_t>(node.count)};
      return lexeme(builder().AddCharClass(CodePointSet({range})));
    }
    case NodeKind::kRegex:
      return lexeme(CompileRegex(id, is_unit));
    case NodeKind::kName: {
      const DefinitionId target = names_.Of(id);
      const ExprId reference = builder().AddRuleRef(rules_[static_cast<size_t>(target)]);
      return names_.IsUnit(target) ? lexeme(reference) : reference;
    }
    case NodeKind::kSubstring: {
      const auto& chunks = document_.substrings[static_cast<size_t>(document_.node(id).first)];
      return lexeme(AddSubstring(chunks, hint_, &builder(), session_.limits()));
    }
    case NodeKind::kJson:
      return lexeme(CompileJson(id));
    case NodeKind::kTokenIds:
      return lexeme(CompileTokenIds(id));
    case NodeKind::kTokenText:
      return lexeme(CompileTokenText(id));
    case NodeKind::kNested:
      return CompileNested(id);
    case NodeKind::kNamedGrammar:
      return builder().AddRuleRef(
          session_.AddNamed(document_.literal(id).text, document_.node(id).offset, source_));
    default:
      return CompileParent(id);
  }
}

ExprId DocumentCompiler::CompileParent(NodeId id) {
  std::vector<ExprId> parts;
  if (document_.kind(id) != NodeKind::kEmpty) {
    for (NodeId child : document_.children_of(id)) parts.push_back(ExprOf(child));
  }
  switch (document_.kind(id)) {
    case NodeKind::kSequence:
      return builder().AddSequence(parts);
    case NodeKind::kChoices:
      return builder().AddChoices(parts);
    case NodeKind::kRepeat:
      return builder().AddRepeat(parts[0], document_.bounds_of(id).min,
                                 document_.bounds_of(id).max);
    case NodeKind::kAnd:
      return CompileAnd(id);
    case NodeKind::kNot:
      return CompileNot(id);
    default:
      return builder().AddEmpty();
  }
}

}  // namespace xgrammar::lark
