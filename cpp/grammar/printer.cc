// GrammarToString: rules and expressions -> EBNF text.
//
// Expressions are written by a walk with an explicit stack, with parentheses only where the
// precedence of EBNF asks for them; since the builder keeps one spelling of each idea, reading the
// text back gives the same expressions and so the same text. An automaton is written as a
// right-linear grammar, one helper rule a state (Chomsky 1959).
#include "grammar/printer.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>
#include <vector>

#include "grammar/literal_writer.h"
#include "grammar/printed_names.h"
#include "support/error.h"
#include "support/work_meter.h"

namespace xgrammar {

namespace {

// Shared expressions are written once for each use; past this size the text is no use to anyone.
constexpr int64_t kMaxPrintedBytes = int64_t{1} << 28;

class Printer {
 public:
  explicit Printer(const Grammar& grammar)
      : grammar_(grammar), names_(grammar), literals_(names_, &out_) {}

  std::string Print() {
    CheckSize();
    NameAutomata();
    PrintRule(grammar_.root());
    for (RuleId rule = 0; rule < grammar_.num_rules(); ++rule) {
      if (rule != grammar_.root()) PrintRule(rule);
    }
    for (const auto& [id, state_names] : automata_) {
      PrintAutomaton(*grammar_.automaton(id), state_names);
    }
    return std::move(out_);
  }

 private:
  /// What surrounds an expression, by how tightly it binds.
  enum class Place : uint8_t {
    kChoices,   ///< A body or a group: anything goes.
    kSequence,  ///< One part of a sequence, or one alternative.
    kOperand,   ///< Before a quantifier.
  };
  /// A step of the walk: an expression, fixed text, or the quantifier of a repetition.
  struct Step {
    ExprId expr = kNoExpr;
    Place place = Place::kChoices;
    const char* text = nullptr;
    bool is_quantifier = false;
  };
  using StateNames = std::vector<std::string>;  // Empty for states that need no rule.

  void CheckSize() const;
  int64_t OwnSize(ExprId id) const;
  void NameAutomata();
  void PrintRule(RuleId rule);
  void PrintOptions(const Rule& rule);
  void PrintTokenSet(ExprId expr);
  void PrintExpr(ExprId expr, Place place);
  void PrintStep(const Step& step);
  void PushParts(ExprId expr, const char* separator, Place place);
  void PrintQuantifier(ExprId repeat);
  void PrintBounds(ExprId expr);
  void PrintAutomaton(const CodePointDfa& dfa, const StateNames& state_names);
  void PrintState(const CodePointDfa::StateView& state, const StateNames& state_names);

  const Grammar& grammar_;
  PrintedNames names_;
  std::string out_;
  LiteralWriter literals_;
  std::vector<Step> steps_;
  std::vector<std::pair<ExprId, StateNames>> automata_;
  std::unordered_map<ExprId, size_t> automaton_index_;
};

int64_t Printer::OwnSize(ExprId id) const {
  switch (grammar_.kind(id)) {
    case ExprKind::kByteString:
      return static_cast<int64_t>(grammar_.bytes(id).size());
    case ExprKind::kCharClass:
      return static_cast<int64_t>(grammar_.ranges(id).size());
    default:
      return 1;
  }
}

void Printer::CheckSize() const {
  std::vector<int64_t> sizes(static_cast<size_t>(grammar_.num_exprs()), 0);
  std::vector<bool> used = grammar_.UsedExprs();
  for (ExprId id = 0; id < grammar_.num_exprs(); ++id) {
    if (!used[static_cast<size_t>(id)]) continue;
    int64_t size = OwnSize(id);
    if (grammar_.has_children(id)) {
      for (ExprId child : grammar_.children(id)) size += sizes[static_cast<size_t>(child)];
    }
    sizes[static_cast<size_t>(id)] = std::min(size, kMaxPrintedBytes + 1);
  }
  int64_t total = 0;
  for (RuleId rule = 0; rule < grammar_.num_rules(); ++rule) {
    total += sizes[static_cast<size_t>(grammar_.rule(rule).body)];
    if (total > kMaxPrintedBytes) {
      ThrowFixedLimitError("the bytes of the text of a grammar", total, kMaxPrintedBytes);
    }
  }
}

// All names must be known before the first literal is written.
void Printer::NameAutomata() {
  std::vector<bool> used = grammar_.UsedExprs();
  for (ExprId id = 0; id < grammar_.num_exprs(); ++id) {
    if (!used[static_cast<size_t>(id)] || grammar_.kind(id) != ExprKind::kAutomaton) continue;
    std::string prefix = "_dfa" + std::to_string(automata_.size() + 1) + "_";
    const std::vector<CodePointDfa::StateView>& states = grammar_.automaton(id)->states();
    StateNames state_names(states.size());
    for (size_t state = 0; state < states.size(); ++state) {
      if (state == 0 || !states[state].edges.empty()) {
        state_names[state] = names_.Reserve(prefix + std::to_string(state));
      }
    }
    automaton_index_.emplace(id, automata_.size());
    automata_.emplace_back(id, std::move(state_names));
  }
}

void Printer::PrintRule(RuleId id) {
  const Rule& rule = grammar_.rule(id);
  out_ += names_.of(id);
  PrintOptions(rule);
  out_ += " ::= ";
  PrintExpr(rule.body, Place::kChoices);
  // EBNF has no form for a promise of nothing, which says nothing.
  if (rule.lookahead != kNoExpr && grammar_.kind(rule.lookahead) != ExprKind::kEmpty) {
    out_ += " (=";
    PrintExpr(rule.lookahead, Place::kSequence);
    out_ += ')';
  }
  out_ += '\n';
}

void Printer::PrintOptions(const Rule& rule) {
  if (rule.options.empty() && rule.notes == nullptr) return;
  const char* separator = "[";
  const auto print_name = [&](const char* name) {
    out_ += separator;
    out_ += name;
    out_ += '=';
    separator = ", ";
  };
  const auto print_number = [&](const char* name, int64_t value, int64_t none) {
    if (value == none) return;
    print_name(name);
    out_ += std::to_string(value);
  };
  const auto print_text = [&](const char* name, const std::string& text) {
    if (text.empty()) return;
    print_name(name);
    literals_.AppendString(text);
  };
  print_number("max_tokens", rule.options.max_tokens, kUnbounded);
  print_number("max_chars", rule.options.max_chars, kUnbounded);
  print_number("min_length", rule.options.min_length, 0);
  print_number("max_length", rule.options.max_length, kUnbounded);
  print_number("min_escaped_length", rule.options.min_escaped_length, 0);
  print_number("max_escaped_length", rule.options.max_escaped_length, kUnbounded);
  const RuleNotes notes = rule.notes == nullptr ? RuleNotes() : *rule.notes;
  print_text("capture", notes.capture);
  print_number("capture_hidden_suffix_bytes", notes.hidden_suffix_bytes, 0);
  print_number("capture_hidden_stop_bytes", notes.hidden_stop_bytes, 0);
  print_text("stop_capture", notes.stop_capture);
  if (notes.temperature) {
    print_name("temperature");
    char digits[32];  // The shortest text that reads back equal takes 24 at most.
    out_.append(digits, std::to_chars(digits, digits + sizeof(digits), *notes.temperature).ptr);
  }
  out_ += ']';
}

void Printer::PrintTokenSet(ExprId expr) {
  if (grammar_.token_ids(expr).empty()) {
    out_ += "(Token(0) | ExcludeToken(0))";  // EBNF has no macro for any token at all.
    return;
  }
  out_ += grammar_.is_excluding(expr) ? "ExcludeToken(" : "Token(";
  const char* separator = "";
  for (int32_t id : grammar_.token_ids(expr)) {
    out_ += separator + std::to_string(id);
    separator = ", ";
  }
  out_ += ')';
}

void Printer::PrintExpr(ExprId expr, Place place) {
  CountWork("printing a grammar");
  steps_.push_back({expr, place});
  while (!steps_.empty()) {
    Step step = steps_.back();
    steps_.pop_back();
    if (step.text != nullptr) {
      out_ += step.text;
    } else if (step.is_quantifier) {
      PrintQuantifier(step.expr);
    } else {
      PrintStep(step);
    }
  }
}

// Composite expressions push their parts in reverse, so that they are written in order.
void Printer::PrintStep(const Step& step) {
  ExprId expr = step.expr;
  ExprKind kind = grammar_.kind(expr);
  bool needs_group =
      (kind == ExprKind::kChoices && step.place != Place::kChoices) ||
      ((kind == ExprKind::kSequence || kind == ExprKind::kRepeat) && step.place == Place::kOperand);
  if (needs_group) {
    out_ += '(';
    steps_.push_back({kNoExpr, Place::kChoices, ")"});
  }
  switch (kind) {
    case ExprKind::kEmpty:
      out_ += "\"\"";
      break;
    case ExprKind::kByteString:
      literals_.AppendString(grammar_.bytes(expr));
      break;
    case ExprKind::kCharClass:
      literals_.AppendTextClass(grammar_.ranges(expr));
      break;
    case ExprKind::kRuleRef:
      out_ += names_.of(grammar_.rule_ref(expr));
      break;
    case ExprKind::kAutomaton:
      out_ += automata_[automaton_index_.at(expr)].second[0];
      break;
    case ExprKind::kTokenSet:
      PrintTokenSet(expr);
      break;
    case ExprKind::kNamedToken:
      if (grammar_.is_excluding(expr)) out_ += '!';
      out_ += grammar_.token_text(expr);
      break;
    case ExprKind::kRepeat:
      steps_.push_back({expr, Place::kChoices, nullptr, true});
      steps_.push_back({grammar_.children(expr)[0], Place::kOperand});
      break;
    case ExprKind::kAnyOrder:
    case ExprKind::kDistinct:
      out_ += kind == ExprKind::kAnyOrder ? "AnyOrder" : "Distinct";
      if (grammar_.repeat_min(expr) != 0 || grammar_.repeat_max(expr) != kUnbounded)
        PrintBounds(expr);
      out_ += '(';
      steps_.push_back({kNoExpr, Place::kChoices, ")"});
      PushParts(expr, ", ", Place::kChoices);
      break;
    case ExprKind::kSequence:
      PushParts(expr, " ", Place::kSequence);
      break;
    case ExprKind::kChoices:
      PushParts(expr, " | ", Place::kSequence);
      break;
  }
}

void Printer::PushParts(ExprId expr, const char* separator, Place place) {
  std::span<const ExprId> parts = grammar_.children(expr);
  for (size_t i = parts.size(); i-- > 0;) {
    steps_.push_back({parts[i], place});
    if (i > 0) steps_.push_back({kNoExpr, Place::kChoices, separator});
  }
}

void Printer::PrintQuantifier(ExprId repeat) {
  int64_t min = grammar_.repeat_min(repeat);
  int64_t max = grammar_.repeat_max(repeat);
  if (max == kUnbounded && min <= 1) {
    out_ += min == 0 ? '*' : '+';
  } else if (min == 0 && max == 1) {
    out_ += '?';
  } else {
    PrintBounds(repeat);
  }
}

void Printer::PrintBounds(ExprId expr) {
  const int64_t min = grammar_.repeat_min(expr);
  const int64_t max = grammar_.repeat_max(expr);
  out_ += '{' + std::to_string(min);
  if (max != min) out_ += ',';
  if (max != min && max != kUnbounded) out_ += std::to_string(max);
  out_ += '}';
}

void Printer::PrintAutomaton(const CodePointDfa& dfa, const StateNames& state_names) {
  for (size_t state = 0; state < dfa.states().size(); ++state) {
    if (state_names[state].empty()) continue;
    out_ += state_names[state];
    out_ += " ::= ";
    PrintState(dfa.states()[state], state_names);
    out_ += '\n';
  }
}

// One alternative for each target: the characters that lead there, and its rule unless it only
// accepts.
void Printer::PrintState(const CodePointDfa::StateView& state, const StateNames& state_names) {
  std::vector<std::pair<std::string_view, std::vector<CodePointRange>>> groups;
  std::unordered_map<std::string_view, size_t> group_of;
  for (const CodePointDfa::Edge& edge : state.edges) {
    std::string_view target = state_names[static_cast<size_t>(edge.target)];
    auto [it, is_new] = group_of.emplace(target, groups.size());
    if (is_new) groups.emplace_back(target, std::vector<CodePointRange>());
    groups[it->second].second.push_back({edge.lo, edge.hi});
  }
  const char* separator = "";
  for (auto& [target, ranges] : groups) {
    out_ += separator;
    separator = " | ";
    literals_.AppendCharClass(CodePointSet(std::move(ranges)).ranges());
    if (!target.empty()) {
      out_ += ' ';
      out_ += target;
    }
  }
  if (!state.accept) return;
  out_ += separator;
  out_ += "\"\"";
}

}  // namespace

std::string GrammarToString(const Grammar& grammar) { return Printer(grammar).Print(); }

}  // namespace xgrammar
