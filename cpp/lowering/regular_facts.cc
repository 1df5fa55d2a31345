// RegularFacts: depth-first evaluation with an explicit stack; meeting an expression that is still
// being visited means recursion, which makes everything on the cycle and above it not foldable.
//
// Sizes saturate. Whether folding is worth while is decided in unit_table.cc by these numbers;
// right-linear recursion gets another chance in right_linear.h.
#include "lowering/regular_facts.h"

#include <algorithm>

namespace xgrammar {

namespace {

constexpr int64_t kMaxSize = int64_t{1} << 40;  // Saturation: far above any budget.

// Counted repetitions that take more states than this are not copied into the automaton around
// them: as a unit of their own they count in the parse state, and one mask serves all counts.
constexpr int64_t kMaxCopiedRepeatSize = 48;

int64_t Saturate(int64_t value) { return std::min(value, kMaxSize); }

}  // namespace

bool ContainsToken(std::string_view bytes, const TokenTrie& trie) {
  for (size_t start = 0; start < bytes.size(); ++start) {
    uint32_t begin = 0;
    uint32_t end = trie.num_nodes();
    for (size_t i = start; i < bytes.size(); ++i) {
      while (begin < end && trie.node(begin).byte != static_cast<uint8_t>(bytes[i])) {
        begin = trie.node(begin).subtree_end;
      }
      if (begin >= end) break;
      if (!trie.tokens(begin).empty()) return true;
      end = trie.node(begin).subtree_end;
      ++begin;
    }
  }
  return false;
}

ExprId SpelledAutomaton(const Grammar& grammar, ExprId expr) {
  if (grammar.kind(expr) == ExprKind::kAutomaton) return expr;
  if (grammar.kind(expr) != ExprKind::kSequence) return kNoExpr;
  ExprId automaton = kNoExpr;
  for (ExprId child : grammar.children(expr)) {
    if (grammar.kind(child) == ExprKind::kAutomaton && automaton == kNoExpr) {
      automaton = child;
    } else if (grammar.kind(child) != ExprKind::kByteString) {
      return kNoExpr;
    }
  }
  return automaton;
}

RegularFacts::RegularFacts(const Grammar& grammar, const GrammarFacts& facts,
                           const TokenTrie* markers)
    : grammar_(grammar),
      facts_(facts),
      markers_(markers),
      entries_(static_cast<size_t>(grammar.num_exprs())) {}

int64_t RegularFacts::FoldedSize(ExprId expr) {
  Visit(expr);
  return entry(expr).size;
}

int64_t RegularFacts::WholeSize(ExprId expr) {
  Visit(expr);
  return entry(expr).whole_size;
}

bool RegularFacts::HasRuleRef(ExprId expr) {
  Visit(expr);
  return entry(expr).has_rule_ref;
}

bool RegularFacts::HasMarkerLiteral(ExprId expr) {
  Visit(expr);
  return entry(expr).has_marker_literal;
}

bool RegularFacts::RepeatsLexemes(ExprId repeat) {
  const ExprId child = grammar_.children(repeat)[0];
  Visit(child);
  return entry(child).has_rule_ref && entry(child).has_loop;
}

int64_t RegularFacts::ExpandedRepeatSize(ExprId repeat) {
  return SizeOfCopies(repeat, FoldedSize(grammar_.children(repeat)[0]));
}

int64_t RegularFacts::SizeOfCopies(ExprId repeat, int64_t child) const {
  if (child == kNotFoldable) return kNotFoldable;
  const int64_t max = grammar_.repeat_max(repeat);
  const int64_t copies = max == kUnbounded ? grammar_.repeat_min(repeat) + 1 : max;
  if (child != 0 && copies > kMaxSize / child) return kMaxSize;
  return Saturate(copies * child);
}

ExprId RegularFacts::ChildAt(ExprId expr, size_t index) const {
  switch (grammar_.kind(expr)) {
    case ExprKind::kSequence:
    case ExprKind::kChoices:
    case ExprKind::kRepeat:
    case ExprKind::kAnyOrder:
    case ExprKind::kDistinct: {
      const auto children = grammar_.children(expr);
      return index < children.size() ? children[index] : kNoExpr;
    }
    case ExprKind::kRuleRef:
      return index == 0 ? grammar_.rule(facts_.ResolveAlias(grammar_.rule_ref(expr))).body
                        : kNoExpr;
    default:
      return kNoExpr;
  }
}

void RegularFacts::Visit(ExprId root) {
  if (entry(root).mark == Mark::kDone) return;
  struct Frame {
    ExprId expr;
    size_t next_child;
  };
  std::vector<Frame> stack{{root, 0}};
  entry(root).mark = Mark::kVisiting;
  while (!stack.empty()) {
    Frame& frame = stack.back();
    const ExprId child = ChildAt(frame.expr, frame.next_child);
    if (child == kNoExpr) {
      Finish(frame.expr);
      stack.pop_back();
      continue;
    }
    ++frame.next_child;
    if (entry(child).mark == Mark::kVisiting) {
      entry(frame.expr).size = kNotFoldable;
      entry(frame.expr).whole_size = kNotFoldable;
    } else if (entry(child).mark == Mark::kUnknown) {
      entry(child).mark = Mark::kVisiting;
      stack.push_back({child, 0});
    }
  }
}

bool RegularFacts::MayFold(ExprId expr) const {
  const ExprKind kind = grammar_.kind(expr);
  if (kind == ExprKind::kTokenSet || kind == ExprKind::kNamedToken || kind == ExprKind::kAnyOrder ||
      kind == ExprKind::kDistinct) {
    return false;
  }
  if (kind != ExprKind::kRuleRef) return true;
  const Rule& rule = grammar_.rule(facts_.ResolveAlias(grammar_.rule_ref(expr)));
  return rule.kind != RuleKind::kStructure && rule.options.empty();
}

void RegularFacts::Finish(ExprId expr) {
  Entry& result = entry(expr);
  result.mark = Mark::kDone;
  int64_t size = 0;
  switch (grammar_.kind(expr)) {
    case ExprKind::kEmpty:
      size = 1;
      break;
    case ExprKind::kByteString:
      size = static_cast<int64_t>(grammar_.bytes(expr).size());
      result.has_marker_literal =
          markers_ != nullptr && ContainsToken(grammar_.bytes(expr), *markers_);
      break;
    case ExprKind::kCharClass: {
      const auto ranges = grammar_.ranges(expr);
      size = ranges.empty() || ranges.back().hi < 0x80
                 ? 1
                 : 3 + 2 * static_cast<int64_t>(ranges.size());
      break;
    }
    case ExprKind::kAutomaton:
      result.has_loop = true;
      size = grammar_.automaton_size(expr);
      break;
    case ExprKind::kRuleRef:
      result.has_rule_ref = true;
      break;
    case ExprKind::kRepeat:
      result.has_loop = grammar_.repeat_max(expr) == kUnbounded || grammar_.repeat_max(expr) > 1;
      break;
    default:
      break;
  }
  int64_t whole = size;
  for (size_t i = 0;; ++i) {
    const ExprId child = ChildAt(expr, i);
    if (child == kNoExpr) break;
    const Entry& part = entry(child);
    result.has_rule_ref = result.has_rule_ref || part.has_rule_ref;
    result.has_marker_literal = result.has_marker_literal || part.has_marker_literal;
    result.has_loop = result.has_loop || part.has_loop;
    const bool is_done = part.mark == Mark::kDone;
    if (part.size == kNotFoldable || !is_done) result.size = kNotFoldable;
    if (part.whole_size == kNotFoldable || !is_done) result.whole_size = kNotFoldable;
    size = Saturate(size + part.size);
    whole = Saturate(whole + part.whole_size);
  }
  const bool is_regular = result.whole_size != kNotFoldable && MayFold(expr);
  const bool is_repeat = grammar_.kind(expr) == ExprKind::kRepeat;
  if (!is_regular) {
    result.whole_size = kNotFoldable;
  } else {
    result.whole_size = is_repeat ? SizeOfCopies(expr, whole) : whole;
  }
  if (!is_regular || result.size == kNotFoldable) {
    result.size = kNotFoldable;
    return;
  }
  result.size = size;
  if (is_repeat) {
    const int64_t expanded = ExpandedRepeatSize(expr);
    const bool plain_loop =
        grammar_.repeat_max(expr) == kUnbounded && grammar_.repeat_min(expr) <= 1;
    result.size = plain_loop || expanded <= kMaxCopiedRepeatSize ? expanded : kNotFoldable;
  }
}

}  // namespace xgrammar
