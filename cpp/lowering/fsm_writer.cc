// FsmWriter: one function per expression kind. Recursion follows the nesting of one rule body,
// which front ends bound by Limits::max_nesting; references are calls and not followed, except for
// small literal-like rules.
#include "lowering/fsm_writer.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "automata/utf8_class.h"

namespace xgrammar {

namespace {

// A class whose UTF-8 automaton is larger than this becomes a unit instead of being copied into the
// rule.
constexpr int32_t kMaxInlineClassNodes = 8;
// A referenced rule without loops up to this size is copied instead of called.
constexpr int64_t kMaxInlineRuleSize = 16;
// Counted repetitions of other units are unrolled up to this many copies.
constexpr int64_t kMaxUnrolledCopies = 4;

}  // namespace

Fsm FsmWriter::Write(const Unit& unit) {
  unit_expr_ = unit.expr;
  unit_kind_ = unit.rule_kind;
  const uint32_t start = fsm_.AddState();
  const uint32_t end = fsm_.AddState();
  fsm_.SetAccept(end);
  if (unit.skips_literal) {
    WriteSequence(unit.expr, 1, start, end);
  } else {
    WriteExpr(unit.expr, start, end);
  }
  return fsm_.Build();
}

void FsmWriter::WriteExpr(ExprId expr, uint32_t from, uint32_t to) {
  switch (grammar_.kind(expr)) {
    case ExprKind::kEmpty:
      fsm_.AddEpsilon(from, to);
      break;
    case ExprKind::kByteString:
      WriteLiteral(grammar_.bytes(expr), from, to);
      break;
    case ExprKind::kCharClass:
      WriteClass(expr, from, to);
      break;
    case ExprKind::kRuleRef:
      WriteRuleRef(expr, from, to);
      break;
    case ExprKind::kSequence:
      WriteSequence(expr, 0, from, to);
      break;
    case ExprKind::kChoices:
      WriteChoices(expr, from, to);
      break;
    case ExprKind::kRepeat:
      WriteRepeat(expr, from, to);
      break;
    case ExprKind::kTokenSet:
      fsm_.AddTokens(from, table_.TokensOf(expr), to);
      break;
    case ExprKind::kAnyOrder:
    case ExprKind::kDistinct:
      WriteUnitCall(expr, from, to);
      break;
    case ExprKind::kNamedToken:
      break;  // Resolved before lowering; an unresolved one matches nothing.
    case ExprKind::kAutomaton:
      // As the whole of a unit it is here because it did not fold.
      if (expr == unit_expr_) {
        WriteAutomaton(*grammar_.automaton(expr), from, to);
      } else {
        WriteUnitCall(expr, from, to);
      }
      break;
  }
}

void FsmWriter::WriteSequence(ExprId expr, size_t skip, uint32_t from, uint32_t to) {
  const auto children = grammar_.children(expr);
  uint32_t state = from;
  for (size_t i = skip; i < children.size(); ++i) {
    const uint32_t next = i + 1 == children.size() ? to : fsm_.AddState();
    WriteExpr(children[i], state, next);
    state = next;
  }
}

void FsmWriter::WriteChoices(ExprId expr, uint32_t from, uint32_t to) {
  std::vector<LiteralBranch> literals;
  for (ExprId child : grammar_.children(expr)) {
    if (!table_.facts_.IsProductive(child)) continue;
    if (grammar_.kind(child) == ExprKind::kByteString) {
      literals.push_back({grammar_.bytes(child), child, false});
    } else if (grammar_.kind(child) == ExprKind::kSequence &&
               grammar_.kind(grammar_.children(child)[0]) == ExprKind::kByteString) {
      literals.push_back({grammar_.bytes(grammar_.children(child)[0]), child, true});
    } else {
      WriteExpr(child, from, to);
    }
  }
  WriteLiteralTree(std::move(literals), from, to);
}

void FsmWriter::WriteLiteralTree(std::vector<LiteralBranch> branches, uint32_t from, uint32_t to) {
  std::sort(branches.begin(), branches.end(),
            [](const LiteralBranch& a, const LiteralBranch& b) { return a.bytes < b.bytes; });
  // path[i]: the state after the first i bytes of the branch before.
  std::vector<uint32_t> path{from};
  std::string_view previous;
  for (const LiteralBranch& branch : branches) {
    size_t common = 0;
    const size_t limit = std::min({previous.size(), branch.bytes.size(), path.size() - 1});
    while (common < limit && previous[common] == branch.bytes[common]) ++common;
    path.resize(common + 1);
    if (common < branch.bytes.size()) {
      const uint32_t end = fsm_.AddState();
      const uint32_t before = path.back();
      for (size_t i = common + 1; i < branch.bytes.size(); ++i)
        path.push_back(end + static_cast<uint32_t>(i - common));
      path.push_back(end);
      fsm_.AddText(before, branch.bytes.substr(common), unit_kind_ == RuleKind::kAuto, end);
    }
    if (branch.has_rest) {
      WriteSequence(branch.expr, 1, path.back(), to);
    } else {
      fsm_.AddEpsilon(path.back(), to);
    }
    previous = branch.bytes;
  }
}

void FsmWriter::WriteRepeat(ExprId expr, uint32_t from, uint32_t to) {
  const ExprId child = grammar_.children(expr)[0];
  const int64_t min = grammar_.repeat_min(expr);
  const int64_t max = grammar_.repeat_max(expr);
  if (!table_.facts_.IsProductive(child)) {
    fsm_.AddEpsilon(from, to);  // Productive itself, so min is 0.
    return;
  }
  const bool optional = min == 0 && max == 1;
  if (expr != unit_expr_ && !optional) {
    const bool regular = table_.regular_.ExpandedRepeatSize(expr) != RegularFacts::kNotFoldable &&
                         !table_.regular_.RepeatsLexemes(expr);
    const bool long_count = (max == kUnbounded ? min : max) > kMaxUnrolledCopies;
    if (regular || long_count) {
      WriteUnitCall(expr, from, to);
      return;
    }
  }
  uint32_t state = fsm_.AddState();
  fsm_.AddEpsilon(from, state);
  for (int64_t i = 0; i < min; ++i) {
    const uint32_t next = fsm_.AddState();
    WriteExpr(child, state, next);
    state = next;
  }
  if (max == kUnbounded) {
    const uint32_t loop = fsm_.AddState();
    const uint32_t back = fsm_.AddState();
    fsm_.AddEpsilon(state, loop);
    WriteExpr(child, loop, back);
    fsm_.AddEpsilon(back, loop);
    fsm_.AddEpsilon(loop, to);
    return;
  }
  for (int64_t i = min; i < max; ++i) {
    fsm_.AddEpsilon(state, to);
    const uint32_t next = fsm_.AddState();
    WriteExpr(child, state, next);
    state = next;
  }
  fsm_.AddEpsilon(state, to);
}

void FsmWriter::WriteLiteral(std::string_view bytes, uint32_t from, uint32_t to) {
  fsm_.AddText(from, bytes, unit_kind_ == RuleKind::kAuto, to);
}

void FsmWriter::WriteClass(ExprId expr, uint32_t from, uint32_t to) {
  const Utf8Class utf8(grammar_.ranges(expr));
  if (utf8.num_nodes() > kMaxInlineClassNodes && expr != unit_expr_) {
    WriteUnitCall(expr, from, to);
    return;
  }
  std::vector<uint32_t> state_of(static_cast<size_t>(utf8.num_nodes()));
  for (int32_t node = 0; node < utf8.num_nodes(); ++node) {
    state_of[static_cast<size_t>(node)] = node == utf8.start() ? from : fsm_.AddState();
  }
  for (int32_t node = 0; node < utf8.num_nodes(); ++node) {
    for (const Utf8Class::Edge& e : utf8.edges(node)) {
      fsm_.AddBytes(state_of[static_cast<size_t>(node)], e.lo, e.hi, false,
                    e.target == Utf8Class::kEnd ? to : state_of[static_cast<size_t>(e.target)]);
    }
  }
}

bool FsmWriter::IsSmallInline(ExprId expr) const {
  switch (grammar_.kind(expr)) {
    case ExprKind::kEmpty:
    case ExprKind::kByteString:
      return true;
    case ExprKind::kCharClass:
      return table_.regular_.FoldedSize(expr) == 1;  // ASCII only.
    case ExprKind::kSequence:
    case ExprKind::kChoices: {
      const auto children = grammar_.children(expr);
      return std::all_of(children.begin(), children.end(),
                         [this](ExprId child) { return IsSmallInline(child); });
    }
    default:
      return false;
  }
}

void FsmWriter::WriteRuleRef(ExprId expr, uint32_t from, uint32_t to) {
  const RuleId rule_id = table_.facts_.ResolveAlias(grammar_.rule_ref(expr));
  const Rule& rule = grammar_.rule(rule_id);
  const int64_t size = table_.regular_.FoldedSize(rule.body);
  if (rule.kind == RuleKind::kAuto && rule.options.empty() && size != RegularFacts::kNotFoldable &&
      size <= kMaxInlineRuleSize && IsSmallInline(rule.body)) {
    WriteExpr(rule.body, from, to);
    return;
  }
  fsm_.AddCall(from, table_.UnitOfRule(rule_id), to);
}

void FsmWriter::WriteAutomaton(const CodePointDfa& dfa, uint32_t from, uint32_t to) {
  constexpr uint32_t kMaxAscii = 0x7F;
  std::vector<uint32_t> state_of(dfa.states().size());
  for (uint32_t& s : state_of) s = fsm_.AddState();
  fsm_.AddEpsilon(from, state_of[0]);
  // Characters of several bytes with one target share the states between their bytes: in free text
  // nearly all of them lead back to the same state from everywhere.
  std::map<std::tuple<uint32_t, uint32_t, int32_t>, std::vector<LeadBytes>> wide;
  for (size_t i = 0; i < dfa.states().size(); ++i) {
    if (dfa.states()[i].accept) fsm_.AddEpsilon(state_of[i], to);
    for (const CodePointDfa::Edge& e : dfa.states()[i].edges) {
      const uint32_t target = state_of[static_cast<size_t>(e.target)];
      if (e.lo <= kMaxAscii) {
        fsm_.AddBytes(state_of[i], static_cast<uint8_t>(e.lo),
                      static_cast<uint8_t>(std::min(e.hi, kMaxAscii)), false, target);
      }
      if (e.hi <= kMaxAscii) continue;
      const uint32_t lo = std::max(e.lo, kMaxAscii + 1);
      const auto [it, is_new] = wide.try_emplace({lo, e.hi, e.target});
      if (is_new) it->second = WriteWideRange({lo, e.hi}, target);
      for (const LeadBytes& lead : it->second) {
        fsm_.AddBytes(state_of[i], lead.lo, lead.hi, false, lead.target);
      }
    }
  }
}

std::vector<FsmWriter::LeadBytes> FsmWriter::WriteWideRange(const CodePointRange& range,
                                                            uint32_t to) {
  const Utf8Class utf8(std::span<const CodePointRange>(&range, 1));
  std::vector<uint32_t> state_of(static_cast<size_t>(utf8.num_nodes()));
  for (int32_t node = 0; node < utf8.num_nodes(); ++node) {
    if (node != utf8.start()) state_of[static_cast<size_t>(node)] = fsm_.AddState();
  }
  std::vector<LeadBytes> leads;
  for (int32_t node = 0; node < utf8.num_nodes(); ++node) {
    for (const Utf8Class::Edge& e : utf8.edges(node)) {
      const uint32_t target =
          e.target == Utf8Class::kEnd ? to : state_of[static_cast<size_t>(e.target)];
      if (node == utf8.start()) {
        leads.push_back({e.lo, e.hi, target});
      } else {
        fsm_.AddBytes(state_of[static_cast<size_t>(node)], e.lo, e.hi, false, target);
      }
    }
  }
  return leads;
}

void FsmWriter::WriteUnitCall(ExprId expr, uint32_t from, uint32_t to) {
  fsm_.AddCall(from, table_.UnitOfExpr(expr, UnitTable::PartKind(unit_kind_)), to);
}

}  // namespace xgrammar
