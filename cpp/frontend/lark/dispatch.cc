// DocumentCompiler: heads of tools, and the rules that choose between tools.
//
// A head `head[lazy]: TEXT "<t>"` is free text up to a fixed string or token. In a rule
// `(tool_a | tool_b)* tail`, whose tools begin with heads and whose tail is free text, the strings
// cannot be told apart from free text one rule at a time; the whole becomes one dispatch
// (grammar/dispatch.h): free text until a string, then the rest of its tools and nothing else.
#include "grammar/dispatch.h"

#include <utility>

#include "automata/free_run.h"
#include "frontend/lark/compiler.h"
#include "support/error.h"

namespace xgrammar::lark {

namespace {

/// Rules within rules that are searched for heads.
constexpr size_t kMaxDepth = 16;

}  // namespace

ExprId DocumentCompiler::CompileHead(const Head& head) {
  return DispatchOn({{head.marker, builder().AddEmpty()}}, false, head.marker);
}

bool DocumentCompiler::IsTail(NodeId node) const {
  for (size_t depth = 0; depth < kMaxDepth; ++depth) {
    if (names_.IsAnyText(node)) return true;
    if (document_.kind(node) != NodeKind::kName) return false;
    const DefinitionId id = names_.Of(node);
    if (names_.IsUnit(id) || definition(id).attributes.has_limits()) return false;
    node = definition(id).body;
  }
  return false;
}

/// Appends the tools that begin with heads; returns false if some alternative does not.
bool DocumentCompiler::CollectTools(NodeId node, size_t depth, std::vector<ToolCase>* cases) {
  if (document_.kind(node) != NodeKind::kChoices) return CollectTool(node, depth, cases);
  for (NodeId alternative : document_.children_of(node)) {
    if (!CollectTool(alternative, depth, cases)) return false;
  }
  return true;
}

bool DocumentCompiler::CollectTool(NodeId node, size_t depth, std::vector<ToolCase>* cases) {
  if (depth == kMaxDepth) return false;
  const bool is_sequence = document_.kind(node) == NodeKind::kSequence;
  const NodeId first = is_sequence ? document_.children_of(node)[0] : node;
  if (document_.kind(first) != NodeKind::kName) {
    return document_.kind(node) == NodeKind::kChoices && CollectTools(node, depth + 1, cases);
  }
  const DefinitionId id = names_.Of(first);
  if (const Head* head = names_.HeadOf(id)) {
    std::vector<ExprId> content;
    if (ignore_ != kNoExpr) content.push_back(ignore_);
    if (is_sequence) {
      for (NodeId part : document_.children_of(node).subspan(1)) content.push_back(ExprOf(part));
    }
    cases->push_back({head->marker, builder().AddSequence(content)});
    return true;
  }
  const bool can_open =
      !is_sequence && !names_.IsUnit(id) && !definition(id).attributes.has_limits();
  return can_open && CollectTools(definition(id).body, depth + 1, cases);
}

ExprId DocumentCompiler::CompileDispatch(NodeId body) {
  if (document_.kind(body) != NodeKind::kSequence) return kNoExpr;
  const auto parts = document_.children_of(body);
  if (parts.size() != 2 || document_.kind(parts[0]) != NodeKind::kRepeat || !IsTail(parts[1])) {
    return kNoExpr;
  }
  const Bounds& bounds = document_.bounds_of(parts[0]);
  std::vector<ToolCase> cases;
  const bool is_star = bounds.min == 0 && bounds.max < 0;
  if (!is_star || !CollectTools(document_.children_of(parts[0])[0], 0, &cases)) return kNoExpr;
  return DispatchOn(cases, true, body);
}

ExprId DocumentCompiler::DispatchOn(const std::vector<ToolCase>& cases, bool loop, NodeId place) {
  std::vector<DispatchCase> strings;
  for (const ToolCase& entry : cases) {
    if (document_.kind(entry.marker) != NodeKind::kString) continue;
    strings.push_back({document_.literal(entry.marker).text, entry.content});
  }
  if (strings.empty()) return DispatchOnTokens(cases, loop);
  if (strings.size() != cases.size()) {
    source_.Fail(document_.node(place).offset, "cannot mix string and token triggers");
  }
  DispatchOptions options;
  options.loop = loop;
  return AddDispatch(strings, options, &builder(), session_.limits());
}

ExprId DocumentCompiler::DispatchOnTokens(const std::vector<ToolCase>& cases, bool loop) {
  std::vector<ExprId> rounds;
  for (const ToolCase& entry : cases) {
    const Node& node = document_.node(entry.marker);
    const bool excluding = node.kind == NodeKind::kTokenIds &&
                           document_.token_ids[static_cast<size_t>(node.first)].excluding;
    if (excluding) {
      source_.Refuse(node.offset, "a head that ends at any token but some",
                     "list the tokens that end it");
    }
    rounds.push_back(
        builder().AddSequence({builder().AddTokenSet(IdsOf(entry.marker), false), entry.content}));
  }
  const ExprId free = FreeTokens(cases);
  const ExprId round = builder().AddSequence({free, builder().AddChoices(rounds)});
  if (!loop) return builder().AddChoices({round, free});
  return builder().AddSequence({builder().AddStar(round), free});
}

/// Free text before a token that starts a tool: text, if no text can spell these tokens; otherwise
/// any other ordinary tokens.
ExprId DocumentCompiler::FreeTokens(const std::vector<ToolCase>& cases) {
  const TokenizerInfo* tokenizer = session_.tokenizer();
  std::vector<int32_t> triggers;
  bool all_special = tokenizer != nullptr;
  for (const ToolCase& entry : cases) {
    for (int32_t id : IdsOf(entry.marker)) {
      triggers.push_back(id);
      all_special = all_special && (tokenizer->IsSpecialToken(id) || tokenizer->IsStopToken(id));
    }
  }
  if (all_special) {
    return builder().AddRuleRef(builder().AddRuleWithHint(
        "text", AddDfa(ExcludingText({}, session_.limits().max_dfa_states)), RuleKind::kLexeme));
  }
  if (tokenizer != nullptr) {
    const auto& special = tokenizer->special_token_ids();
    const auto& stop = tokenizer->stop_token_ids();
    triggers.insert(triggers.end(), special.begin(), special.end());
    triggers.insert(triggers.end(), stop.begin(), stop.end());
  }
  return builder().AddStar(builder().AddTokenSet(std::move(triggers), true));
}

}  // namespace xgrammar::lark
