// UnitTable: which kind of automaton a unit gets. Regular and small: one deterministic automaton. A
// counted repetition: a counter. Limits: a counter beside an automaton. Everything else: an Fsm.
//
// The budgets of folding are the constants below; writing an Fsm is fsm_writer.cc, folding
// fold_to_dfa.cc. A unit that has been built never changes.
#include "lowering/unit_table.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "grammar/any_order.h"
#include "grammar/distinct.h"
#include "lowering/fsm_writer.h"
#include "lowering/right_linear.h"
#include "support/error.h"

namespace xgrammar {

namespace {

// Size of the nondeterministic automaton up to which folding is tried. Rules that refer to others
// stay small, so that what they refer to (strings, numbers) keeps automata that are shared between
// places and grammars.
constexpr int64_t kMaxLexemeSize = 8192;
constexpr int64_t kMaxFoldedRuleSize = 64;
// Copies of a repetition, all made, up to this size are one automaton.
constexpr int64_t kMaxExpandedRepeatSize = 512;
// Automata given by the front end are deterministic already: folding them cannot explode.
constexpr int64_t kMaxAutomatonSize = 1 << 20;
// Determinisation may not grow the automaton by more than this factor.
constexpr int64_t kDfaGrowth = 4;
constexpr int64_t kMinDfaBudget = 256;
constexpr int64_t kMaxDfaStates = 1 << 17;
// Of rows on demand a text comes to a few; what the others cost is a pointer each.
constexpr int64_t kMaxOnDemandStates = 1 << 20;
// States over characters of a limited rule, which must be one automaton.
constexpr int64_t kMaxLimitedStates = 20000;

/// Whether the start state can be met again inside a copy, as in ("a"* "b"){2,9}. Then it does not
/// say that a copy is complete.
bool ReentersStart(const ByteDfa& dfa) {
  for (uint32_t state = 0; state < dfa.num_states(); ++state) {
    for (uint8_t byte : dfa.byte_runs()) {
      if (dfa.Next(state, byte) == 0) return true;
    }
  }
  return false;
}

/// Whether a text may end after each of its characters; false if there are many states.
bool EndsAnywhere(const ByteDfa& dfa) {
  constexpr uint32_t kMaxStates = 256;
  if (dfa.num_states() > kMaxStates) return false;
  for (uint32_t state = 0; state < dfa.num_states(); ++state) {
    if (dfa.IsAccept(state)) continue;
    const ByteSet& first = dfa.first_bytes(state);
    // Within a character.
    if (first.words[0] != 0 || first.words[1] != 0 || first.words[3] != 0) return false;
  }
  return true;
}

}  // namespace

UnitTable::UnitTable(GrammarPtr grammar, DfaCache* dfa_cache, const TokenTrie* markers)
    : grammar_(std::move(grammar)),
      facts_(*grammar_),
      regular_(*grammar_, facts_, markers),
      dfa_cache_(dfa_cache) {
  CheckProductive(*grammar_, facts_);
  if (markers != nullptr && markers->num_nodes() > 0) {
    for (ExprId e = 0; e < grammar_->num_exprs() && !has_marker_literals_; ++e) {
      has_marker_literals_ =
          grammar_->kind(e) == ExprKind::kByteString && ContainsToken(grammar_->bytes(e), *markers);
    }
  }
  for (RuleId rule = 0; rule < grammar_->num_rules(); ++rule) {
    has_token_limits_ = has_token_limits_ || grammar_->rule(rule).options.max_tokens != kUnbounded;
  }
  for (ExprId e = 0; e < grammar_->num_exprs() && !has_distinct_; ++e)
    has_distinct_ = grammar_->kind(e) == ExprKind::kDistinct;
  root_ = UnitOfRule(facts_.ResolveAlias(grammar_->root()));
}

UnitId UnitTable::UnitOfRule(RuleId id) {
  const Rule& rule = grammar_->rule(id);
  if (rule.options.empty()) return UnitOfExpr(rule.body, rule.kind);
  auto [it, inserted] = unit_of_limited_rule_.try_emplace(id, 0);
  if (inserted) {
    it->second = AddUnit(rule.body, rule.kind);
    Unit& unit = *units_[it->second];
    unit.options = rule.options;
    unit.nullable = unit.nullable && !rule.options.HasLeastLength();
  }
  return it->second;
}

UnitId UnitTable::AddUnit(ExprId expr, RuleKind rule_kind) {
  auto unit = std::make_unique<Unit>();
  unit->expr = expr;
  unit->rule_kind = rule_kind;
  unit->nullable = facts_.IsNullable(expr);
  units_.push_back(std::move(unit));
  memory_size_bytes_ += static_cast<int64_t>(sizeof(Unit)) + 64;
  return static_cast<UnitId>(units_.size() - 1);
}

const TokenSet* UnitTable::TokensOf(ExprId expr) {
  std::unique_ptr<const TokenSet>& known = token_sets_[expr];
  if (known == nullptr) {
    const auto ids = grammar_->token_ids(expr);
    known = std::make_unique<const TokenSet>(
        TokenSet{{ids.begin(), ids.end()}, grammar_->is_excluding(expr)});
  }
  return known.get();
}

RuleKind UnitTable::PartKind(RuleKind whole) {
  return whole == RuleKind::kAuto ? RuleKind::kAuto : RuleKind::kLexeme;
}

UnitId UnitTable::UnitOfExpr(ExprId expr, RuleKind rule_kind) {
  auto [it, inserted] = unit_of_expr_.try_emplace(expr, 0);
  if (inserted) it->second = AddUnit(expr, rule_kind);
  return it->second;
}

const Unit& UnitTable::Get(UnitId id) {
  if (!units_[id]->built) Build(id);
  return *units_[id];
}

void UnitTable::BuildAhead() {
  // Together a tenth of the time that compiling takes.
  constexpr int kMaxUnitsAhead = 16;
  constexpr int64_t kMaxStatesAhead = 4096;
  int num_built = 0;
  int64_t num_states = 0;
  // Building a unit adds those that it calls.
  for (UnitId id = 0; id < units_.size() && num_built < kMaxUnitsAhead; ++id) {
    const Unit& unit = *units_[id];
    if (unit.built || !IsCheap(unit)) continue;
    Build(id);
    ++num_built;
    if (!IsOnDemand(unit))
      num_states += static_cast<int64_t>(unit_of_state_.size()) - unit.first_state;
    if (num_states > kMaxStatesAhead) return;
  }
}

bool UnitTable::IsOnDemand(const Unit& unit) const {
  const ExprId automaton = SpelledAutomaton(*grammar_, unit.expr);
  if (automaton == kNoExpr) return false;
  const LateAutomatonPtr late = grammar_->late_automaton(automaton);
  return late != nullptr && late->has_rows();
}

bool UnitTable::IsCheap(const Unit& unit) {
  constexpr int64_t kMaxSizeAhead = 256;
  const int64_t size = regular_.FoldedSize(unit.expr);
  return size == RegularFacts::kNotFoldable || size <= kMaxSizeAhead ||
         (size <= kMaxAutomatonSize && IsOnDemand(unit));
}

void UnitTable::Build(UnitId id) {
  Unit* unit = units_[id].get();
  if (!unit->options.empty()) {
    BuildLimited(unit);
  } else if (grammar_->kind(unit->expr) == ExprKind::kAnyOrder) {
    BuildAnyOrder(unit);
  } else if (grammar_->kind(unit->expr) == ExprKind::kDistinct) {
    BuildDistinct(unit);
  } else if (unit->skips_literal || (!TryFold(unit) && !TryCount(unit))) {
    unit->kind = Unit::Kind::kFsm;
    unit->fsm = FsmWriter(this).Write(*unit);
    memory_size_bytes_ += unit->fsm.MemorySizeBytes();
  }
  Number(id);
}

bool UnitTable::TryFold(Unit* unit) {
  if (unit->rule_kind == RuleKind::kStructure) return false;
  const ExprId expr = unit->expr;
  const int64_t size = regular_.FoldedSize(expr);
  if (size == RegularFacts::kNotFoldable) {
    unit->dfa = FoldRightLinear(*grammar_, facts_, expr, &regular_, dfa_cache_);
    unit->kind = Unit::Kind::kDfa;
    return unit->dfa != nullptr;
  }
  if (grammar_->kind(expr) == ExprKind::kRepeat && regular_.RepeatsLexemes(expr)) return false;
  if (unit->rule_kind == RuleKind::kAuto && regular_.HasMarkerLiteral(expr)) return false;
  const bool lexeme = unit->rule_kind == RuleKind::kLexeme || !regular_.HasRuleRef(expr);
  const int64_t limit = SpelledAutomaton(*grammar_, expr) != kNoExpr ? kMaxAutomatonSize
                        : lexeme                                     ? kMaxLexemeSize
                                                                     : kMaxFoldedRuleSize;
  const bool is_on_demand = IsOnDemand(*unit);
  if (size > limit && !is_on_demand) return false;
  const int64_t budget = is_on_demand
                             ? kMaxOnDemandStates
                             : std::min(std::max(size * kDfaGrowth, kMinDfaBudget), kMaxDfaStates);
  unit->dfa = FoldToDfa(*grammar_, facts_, expr, static_cast<uint32_t>(budget), dfa_cache_);
  if (unit->dfa == nullptr) return false;
  unit->kind = Unit::Kind::kDfa;
  return true;
}

void UnitTable::BuildLimited(Unit* unit) {
  const RuleOptions& options = unit->options;
  const bool by_length = options.max_length != kUnbounded || options.min_length > 0;
  const bool by_escapes =
      options.max_escaped_length != kUnbounded || options.min_escaped_length > 0;
  const char* const name = by_length                  ? "max_length"
                           : by_escapes               ? "max_escaped_length"
                           : unit->LimitsCodePoints() ? "max_chars"
                                                      : "max_tokens";
  const bool is_mixed =
      (by_length && by_escapes) ||
      ((by_length || by_escapes) && (unit->LimitsCodePoints() || unit->LimitsTokens()));
  if (is_mixed) {
    Error error(ErrorKind::kUnsupported,
                std::string(name) + " beside another limit of a rule cannot be enforced");
    throw error.Feature(name).Hint("keep one of the two");
  }
  if (!TryFold(unit) && !TryFoldWhole(unit)) RefuseLimit(*unit, name);
  unit->kind = Unit::Kind::kLimitedDfa;
  unit->ends_anywhere = unit->LimitsCodePoints() && EndsAnywhere(*unit->dfa);
  if (!by_length && !by_escapes) return;
  static_assert(LengthMeter::kNoMax == kUnbounded);
  unit->meter = std::make_shared<const LengthMeter>(
      *unit->dfa,
      by_length ? LengthMeter::Characters::kCodePoints : LengthMeter::Characters::kEscaped,
      by_length ? options.min_length : options.min_escaped_length,
      by_length ? options.max_length : options.max_escaped_length);
  memory_size_bytes_ += unit->meter->MemorySizeBytes();
}

bool UnitTable::LeavesText(RuleId rule) {
  const Unit& unit = Get(UnitOfRule(rule));
  return unit.meter == nullptr || unit.meter->HasText();
}

// A limited rule has to be one automaton, so its repetitions are not set apart and counted.
bool UnitTable::TryFoldWhole(Unit* unit) {
  const int64_t size = regular_.WholeSize(unit->expr);
  const bool keeps_literals =
      unit->rule_kind == RuleKind::kAuto && regular_.HasMarkerLiteral(unit->expr);
  if (size == RegularFacts::kNotFoldable || size > kMaxAutomatonSize || keeps_literals ||
      unit->rule_kind == RuleKind::kStructure) {
    return false;
  }
  unit->dfa = FoldWhole(*grammar_, facts_, unit->expr, kMaxLimitedStates,
                        static_cast<uint32_t>(kMaxDfaStates), dfa_cache_);
  return unit->dfa != nullptr;
}

void UnitTable::RefuseLimit(const Unit& unit, const char* name) {
  const bool is_regular = regular_.WholeSize(unit.expr) != RegularFacts::kNotFoldable;
  const bool has_markers = regular_.HasMarkerLiteral(unit.expr);
  const char* const what = !is_regular   ? "that is not one regular language"
                           : has_markers ? "that spells a special or stop token of the vocabulary"
                                         : "that needs a large automaton";
  const char* const hint =
      !is_regular   ? "put the limit on a rule of text, without recursion, Token(...) or "
                      "limits of its own"
      : has_markers ? "put the limit on the text before or after the token"
                    : "put the limit on a smaller rule, or give its repetitions smaller bounds";
  Error error(ErrorKind::kUnsupported,
              std::string("A limit on a rule ") + what + " cannot be enforced");
  throw error.Feature(name).Hint(hint);
}

bool UnitTable::TryCount(Unit* unit) {
  const ExprId expr = unit->expr;
  if (grammar_->kind(expr) != ExprKind::kRepeat) return false;
  const ExprId child = grammar_->children(expr)[0];
  const int64_t min = grammar_->repeat_min(expr);
  const int64_t max = grammar_->repeat_max(expr);
  if (!facts_.IsProductive(child)) return false;
  if (max == kUnbounded && min <= 1) return false;  // A plain loop needs no counter.
  unit->min =
      facts_.IsNullable(child) ? 0 : min;  // Copies of the empty string fill up to any minimum.
  unit->max = max;
  const int64_t size = regular_.FoldedSize(child);
  const bool lexemes = regular_.RepeatsLexemes(expr);
  const bool keep_literals = unit->rule_kind == RuleKind::kAuto && regular_.HasMarkerLiteral(child);
  if (size != RegularFacts::kNotFoldable && size <= kMaxLexemeSize && !keep_literals && !lexemes) {
    const int64_t budget = std::min(std::max(size * kDfaGrowth, kMinDfaBudget), kMaxDfaStates);
    ByteDfaPtr dfa = FoldToDfa(*grammar_, facts_, child, static_cast<uint32_t>(budget), dfa_cache_);
    if (dfa != nullptr && dfa->is_prefix_free() && !ReentersStart(*dfa)) {
      unit->dfa = std::move(dfa);
      unit->kind = Unit::Kind::kCountedDfa;
      return true;
    }
    // Small counts of a language that is not prefix-free are still one automaton with all copies
    // made.
    const int64_t expanded = regular_.ExpandedRepeatSize(expr);
    if (expanded <= kMaxExpandedRepeatSize) {
      unit->dfa = FoldToDfa(*grammar_, facts_, expr, kMaxDfaStates, dfa_cache_);
      if (unit->dfa != nullptr) {
        unit->kind = Unit::Kind::kDfa;
        return true;
      }
    }
  }
  unit->kind = Unit::Kind::kCountedCall;
  unit->child = UnitOfExpr(child, PartKind(unit->rule_kind));
  return true;
}

void UnitTable::BuildAnyOrder(Unit* unit) {
  const ExprId expr = unit->expr;
  const RuleKind part_kind = PartKind(unit->rule_kind);
  std::vector<AnyOrderUnit::Part> parts;
  for (ExprId id : AnyOrderParts(*grammar_, expr)) {
    const AnyOrderPart read = ReadAnyOrderPart(*grammar_, id);
    if (!facts_.IsProductive(read.member)) continue;  // Then it is not required.
    AnyOrderUnit::Part& part = parts.emplace_back();
    part.required = read.required;
    part.once = read.once;
    const ExprKind kind = grammar_->kind(read.member);
    const ExprId first = kind == ExprKind::kSequence ? grammar_->children(read.member)[0] : kNoExpr;
    if (kind == ExprKind::kByteString) {
      part.literal = grammar_->bytes(read.member);
    } else if (first != kNoExpr && grammar_->kind(first) == ExprKind::kByteString) {
      part.literal = grammar_->bytes(first);
      part.rest = UnitOfRest(read.member, part_kind);
    } else {
      part.rest = UnitOfPart(read.member, part_kind);
    }
  }
  const ExprId separator = AnyOrderSeparator(*grammar_, expr);
  const UnitId separator_unit = grammar_->kind(separator) == ExprKind::kEmpty
                                    ? AnyOrderUnit::kNoUnit
                                    : UnitOfPart(separator, part_kind);
  unit->kind = Unit::Kind::kAnyOrder;
  unit->any_order = std::make_unique<const AnyOrderUnit>(
      std::move(parts), separator_unit, facts_.IsProductive(separator),
      AnyOrderUnit::Bounds{grammar_->repeat_min(expr), grammar_->repeat_max(expr)});
  memory_size_bytes_ += unit->any_order->MemorySizeBytes();
}

void UnitTable::BuildDistinct(Unit* unit) {
  const ExprId expr = unit->expr;
  const ExprId separator = DistinctSeparator(*grammar_, expr);
  if (!AlwaysHasComma(*grammar_, separator)) {
    Error error(ErrorKind::kUnsupported,
                "Distinct items whose separator has no comma cannot be enforced");
    error.Feature("Distinct");
    throw error.Hint("separate the items by a comma");
  }
  const RuleKind part_kind = PartKind(unit->rule_kind);
  const auto unit_of = [&](ExprId part) {
    return facts_.IsProductive(part) ? UnitOfPart(part, part_kind) : DistinctUnit::kNoUnit;
  };
  auto distinct = std::make_unique<DistinctUnit>();
  for (ExprId item : DistinctFirst(*grammar_, expr)) distinct->first.push_back(unit_of(item));
  distinct->rest = unit_of(DistinctRest(*grammar_, expr));
  distinct->separator = unit_of(separator);
  distinct->min = grammar_->repeat_min(expr);
  distinct->max = grammar_->repeat_max(expr);
  memory_size_bytes_ +=
      static_cast<int64_t>(sizeof(DistinctUnit) + distinct->first.size() * sizeof(UnitId));
  unit->kind = Unit::Kind::kDistinct;
  unit->distinct = std::move(distinct);
}

UnitId UnitTable::UnitOfPart(ExprId expr, RuleKind rule_kind) {
  if (grammar_->kind(expr) != ExprKind::kRuleRef) return UnitOfExpr(expr, rule_kind);
  return UnitOfRule(facts_.ResolveAlias(grammar_->rule_ref(expr)));
}

UnitId UnitTable::UnitOfRest(ExprId sequence, RuleKind rule_kind) {
  auto [it, inserted] = unit_of_rest_.try_emplace(sequence, 0);
  if (!inserted) return it->second;
  it->second = AddUnit(sequence, rule_kind);
  Unit* unit = units_[it->second].get();
  const auto rest = grammar_->children(sequence).subspan(1);
  unit->skips_literal = true;
  unit->nullable =
      std::all_of(rest.begin(), rest.end(), [this](ExprId e) { return facts_.IsNullable(e); });
  return it->second;
}

void UnitTable::Number(UnitId id) {
  Unit* unit = units_[id].get();
  unit->first_state = static_cast<uint32_t>(unit_of_state_.size());
  size_t count = 0;
  switch (unit->kind) {
    case Unit::Kind::kDfa:
    case Unit::Kind::kCountedDfa:
    case Unit::Kind::kLimitedDfa:
      count = unit->dfa->num_states();
      break;
    case Unit::Kind::kFsm:
      count = unit->fsm.num_states();
      break;
    case Unit::Kind::kCountedCall:
      count = 2;
      break;
    case Unit::Kind::kAnyOrder:
      count = unit->any_order->num_states();
      break;
    case Unit::Kind::kDistinct:
      count = DistinctUnit::kNumStates;
      break;
  }
  unit_of_state_.resize(unit_of_state_.size() + count, id);
  unit->built = true;
  memory_size_bytes_ += static_cast<int64_t>(count * sizeof(UnitId));
}

}  // namespace xgrammar
