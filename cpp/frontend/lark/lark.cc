// LarkToGrammar, and what the grammars of one call share.
//
// A named grammar that is Lark text is read where it is first met; the names being read form a
// stack, so that a circle is found at the name that closes it.
#include "frontend/lark/lark.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "frontend/lark/compiler.h"
#include "frontend/lark/lexer.h"
#include "frontend/lark/parser.h"
#include "support/error.h"

namespace xgrammar {

namespace lark {

namespace {

/// Grammars within grammars, nested or named, each a level of recursion.
constexpr int64_t kMaxInnerGrammars = 100;

/// The grammar without the rules that its start rule does not reach.
GrammarPtr KeepReachable(const GrammarPtr& grammar, const Limits& limits) {
  std::vector<bool> reached(static_cast<size_t>(grammar->num_rules()));
  std::vector<bool> seen(static_cast<size_t>(grammar->num_exprs()));
  std::vector<ExprId> work;
  const auto reach = [&](RuleId id) {
    if (reached[static_cast<size_t>(id)]) return;
    reached[static_cast<size_t>(id)] = true;
    work.push_back(grammar->rule(id).body);
    if (grammar->rule(id).lookahead != kNoExpr) work.push_back(grammar->rule(id).lookahead);
  };
  reach(grammar->root());
  while (!work.empty()) {
    const ExprId id = work.back();
    work.pop_back();
    if (seen[static_cast<size_t>(id)]) continue;
    seen[static_cast<size_t>(id)] = true;
    switch (grammar->kind(id)) {
      case ExprKind::kRuleRef:
        reach(grammar->rule_ref(id));
        break;
      case ExprKind::kSequence:
      case ExprKind::kChoices:
      case ExprKind::kRepeat:
      case ExprKind::kAnyOrder:
      case ExprKind::kDistinct:
        for (ExprId child : grammar->children(id)) work.push_back(child);
        break;
      default:
        break;
    }
  }
  if (std::find(reached.begin(), reached.end(), false) == reached.end()) return grammar;
  GrammarBuilder builder(limits);
  GrammarBuilder::ImportEdits edits;
  reached.flip();
  edits.skip = std::move(reached);
  // References to rules that are left out stand in parts that no kept rule uses.
  edits.replace = [&](ExprId id) {
    return seen[static_cast<size_t>(id)] ? kNoExpr : builder.AddEmpty();
  };
  const std::vector<RuleId> rules = builder.ImportEdited(*grammar, edits);
  return builder.Build(rules[static_cast<size_t>(grammar->root())]);
}

/// Rules that a dispatch has taken apart, or that no rule uses, record nothing.
void ReportLostNotes(const Grammar& whole, const Grammar& kept, Session* session) {
  std::set<std::string> names;
  for (RuleId id = 0; id < kept.num_rules(); ++id) names.insert(kept.rule(id).name);
  for (RuleId id = 0; id < whole.num_rules(); ++id) {
    const Rule& rule = whole.rule(id);
    if (rule.notes == nullptr || names.count(rule.name) > 0) continue;
    const bool captures = !rule.notes->capture.empty() || !rule.notes->stop_capture.empty();
    session->ReportIgnored(rule.name, captures ? "capture" : "temperature",
                           "the rule is unused, or a part of a choice between tools");
  }
}

}  // namespace

Session::Session(const std::vector<NamedGrammar>& named_grammars, const TokenizerInfo* tokenizer,
                 const Limits& limits)
    : tokenizer_(tokenizer), limits_(limits), builder_(limits) {
  for (const NamedGrammar& entry : named_grammars) named_[entry.name] = &entry;
}

RuleId Session::AddText(std::string_view text, const std::string& name) {
  const Source source(text, name, limits_);
  Lexer lexer(source);
  std::unique_ptr<Document> document;
  try {
    document = Parser(&lexer, limits_).Parse();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kBudget) throw;
    if (error.line() > 0) throw;
    throw source.Placed(error, 0);
  }
  return DocumentCompiler(*document, source, this).Compile();
}

RuleId Session::Import(const Grammar& grammar) {
  return builder_.Import(grammar)[static_cast<size_t>(grammar.root())];
}

RuleId Session::AddNamed(const std::string& name, size_t offset, const Source& source) {
  const auto known = added_named_.find(name);
  if (known != added_named_.end()) return known->second;
  const auto entry = named_.find(name);
  if (entry == named_.end()) {
    source.Fail(offset, "unknown grammar '@" + QuoteForMessage(name, 60) + "'");
  }
  const auto open = std::find(open_.begin(), open_.end(), name);
  if (open != open_.end()) {
    std::string chain;
    for (auto it = open; it != open_.end(); ++it) chain += "@" + *it + " -> ";
    source.Fail(offset, "named grammars form a circle: " + QuoteForMessage(chain, 300) + "@" +
                            QuoteForMessage(name, 60));
  }
  RuleId rule = -1;
  if (entry->second->grammar != nullptr) {
    rule = Import(*entry->second->grammar);
  } else {
    open_.push_back(name);
    rule = AddText(entry->second->text, name);
    open_.pop_back();
  }
  added_named_.emplace(name, rule);
  return rule;
}

void Session::EnterGrammar() {
  if (depth_ > kMaxInnerGrammars) {
    ThrowFixedLimitError("grammars within grammars", depth_, kMaxInnerGrammars);
  }
  ++depth_;
}

RuleId Session::AddJsonSchema(const std::string& text) {
  const auto known = schemas_.find(text);
  if (known != schemas_.end()) return known->second;
  JsonSchemaResult result = JsonSchemaToGrammar(text, {}, limits_);
  std::move(result.report.begin(), result.report.end(), std::back_inserter(report_));
  const RuleId rule = Import(*result.grammar);
  schemas_.emplace(text, rule);
  return rule;
}

}  // namespace lark

LarkResult LarkToGrammar(std::string_view text, const std::vector<NamedGrammar>& named_grammars,
                         const TokenizerInfo* tokenizer, const Limits& limits) {
  lark::Session session(named_grammars, tokenizer, limits);
  const RuleId start = session.AddText(text, {});
  LarkResult result;
  const GrammarPtr whole = session.builder().Build(start);
  result.grammar = lark::KeepReachable(whole, limits);
  lark::ReportLostNotes(*whole, *result.grammar, &session);
  result.report = std::move(session.report());
  return result;
}

}  // namespace xgrammar
