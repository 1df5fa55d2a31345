// UnitTable: the automata of one grammar, built one by one when a parse first reaches them; a few
// near the root beforehand.
//
// A unit is an expression with an automaton of its own: the body of a rule, or a part that lowering
// sets apart so that its states (and what is learned about tokens there) are shared. Counts and
// what has been seen are data of a parse item instead of states, so `{m,n}` costs the same for
// every m and n. States have ids that are unique in the table: base + local index.
//
// Not thread-safe: the parser calls it under its growth lock. Built units are immutable and at
// stable addresses.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "analysis/grammar_facts.h"
#include "grammar/grammar.h"
#include "lowering/any_order_unit.h"
#include "lowering/distinct_unit.h"
#include "lowering/fold_to_dfa.h"
#include "lowering/fsm.h"
#include "lowering/length_meter.h"
#include "lowering/regular_facts.h"

namespace xgrammar {

/// What one occurrence of a kLimitedDfa unit has used up.
struct LimitCounts {
  uint32_t code_points = 0;
  uint32_t tokens = 0;
};

struct Unit {
  enum class Kind : uint8_t {
    kDfa,         ///< A regular language folded into one deterministic automaton.
    kCountedDfa,  ///< `min` to `max` copies of a prefix-free regular language, counted in the item.
    kFsm,         ///< Anything that calls other units.
    kCountedCall,  ///< `min` to `max` copies of any other unit, counted likewise.
    /// A regular language of which one occurrence may take only so many code points, or tokens, or
    /// both, counted in the item: when one of the limits is used up it ends as soon as it can, or
    /// every text ends within the bound (length_meter.h).
    kLimitedDfa,
    kAnyOrder,  ///< Parts in any order; what was seen is kept in the item (any_order_unit.h).
    kDistinct,  ///< Items none of which equals another; likewise (distinct_unit.h).
  };

  ExprId expr = kNoExpr;
  RuleKind rule_kind = RuleKind::kAuto;
  RuleOptions options;  ///< The limits of kLimitedDfa; empty for the other kinds.
  Kind kind = Kind::kFsm;
  bool built = false;
  bool nullable = false;
  uint32_t first_state = 0;
  int64_t min = 0;             ///< Counted kinds.
  int64_t max = kUnbounded;    ///< Counted kinds.
  ByteDfaPtr dfa;              ///< kDfa; kCountedDfa: one copy.
  Fsm fsm;                     ///< kFsm.
  UnitId child = 0;            ///< kCountedCall.
  bool ends_anywhere = false;  ///< kLimitedDfa by max_chars: a text may end after each character.
  bool skips_literal = false;  ///< The unit is what follows the literal that the expression, a
                               ///< sequence, begins with.
  std::unique_ptr<const AnyOrderUnit> any_order;  ///< kAnyOrder.
  std::unique_ptr<const DistinctUnit> distinct;   ///< kDistinct.
  std::shared_ptr<const LengthMeter> meter;       ///< kLimitedDfa by lengths, else null.

  /// The count after one more copy; counts past an open end do not matter and stay at `min`.
  uint32_t NextCount(uint32_t count) const {
    const int64_t next = int64_t{count} + 1;
    return static_cast<uint32_t>(max == kUnbounded && next > min ? min : next);
  }
  bool MayEndAt(uint32_t count) const { return int64_t{count} >= min; }
  bool MayGoOnAt(uint32_t count) const { return max == kUnbounded || int64_t{count} < max; }

  bool LimitsTokens() const { return options.max_tokens != kUnbounded; }
  bool LimitsCodePoints() const { return options.max_chars != kUnbounded; }
  /// The count of tokens is kEntered after the region was entered within a token, and the number of
  /// tokens begun inside plus one from the next token on.
  static constexpr uint32_t kEntered = 0;
  uint32_t TokensAfterToken(uint32_t tokens, bool counts) const {
    if (tokens == kEntered) return 1;
    return counts && int64_t{tokens} <= options.max_tokens ? tokens + 1 : tokens;
  }
  /// A limit is used up, so the unit ends where it can.
  bool IsUsedUp(const LimitCounts& used) const {
    if (LimitsCodePoints() && int64_t{used.code_points} >= options.max_chars) return true;
    return LimitsTokens() && used.tokens != kEntered &&
           int64_t{used.tokens} - 1 >= options.max_tokens;
  }
};

/// kCountedCall has two states: before a copy, and just after one.
constexpr uint32_t kCountedCallBefore = 0;
constexpr uint32_t kCountedCallAfter = 1;

class UnitTable {
 public:
  /// `dfa_cache` and `markers` must outlive the table. `markers`: texts of special and stop tokens;
  /// such a token may stand for its text where a literal spells it, so those literals keep their
  /// edges (rules of kind kAuto only: what a JSON Schema spells is text). May be null.
  UnitTable(GrammarPtr grammar, DfaCache* dfa_cache, const TokenTrie* markers);

  /// Whether some literal of the grammar contains the text of a marker.
  bool has_marker_literals() const { return has_marker_literals_; }

  UnitId root() const { return root_; }
  /// Builds the unit of a rule with options: whether some text has a length that they allow. Raises
  /// kUnsupported if they cannot be enforced.
  bool LeavesText(RuleId rule);
  /// Builds the unit if that has not happened.
  const Unit& Get(UnitId id);
  /// Builds the units nearest to the root, as far as that is cheap: a text comes to most of them,
  /// and a mask that meets a unit for the first time is among the slowest.
  void BuildAhead();
  bool IsNullable(UnitId id) const { return units_[id]->nullable; }
  /// The unit that a state belongs to. Precondition: it was built.
  const Unit& UnitOfState(uint32_t state) const { return *units_[unit_of_state_[state]]; }
  /// Whether some rule limits its tokens: then parser sets know where tokens end.
  bool has_token_limits() const { return has_token_limits_; }
  /// Whether some expression is kDistinct: then parser sets know the text of the items.
  bool has_distinct() const { return has_distinct_; }
  UnitId UnitIdOfState(uint32_t state) const { return unit_of_state_[state]; }

  int64_t num_units() const { return static_cast<int64_t>(units_.size()); }
  int64_t num_states() const { return static_cast<int64_t>(unit_of_state_.size()); }
  int64_t MemorySizeBytes() const { return memory_size_bytes_; }

 private:
  friend class FsmWriter;

  /// The kind of a part that is set apart from a rule: it may always fold, and it stays text if the
  /// rule is.
  static RuleKind PartKind(RuleKind whole);
  UnitId UnitOfExpr(ExprId expr, RuleKind rule_kind);
  UnitId UnitOfRule(RuleId rule);
  UnitId AddUnit(ExprId expr, RuleKind rule_kind);
  const TokenSet* TokensOf(ExprId expr);
  void Build(UnitId id);
  /// Whether the rows of its automaton are made when they are read.
  bool IsOnDemand(const Unit& unit) const;
  bool IsCheap(const Unit& unit);
  void BuildLimited(Unit* unit);
  bool TryFold(Unit* unit);
  bool TryFoldWhole(Unit* unit);
  [[noreturn]] void RefuseLimit(const Unit& unit, const char* name);
  bool TryCount(Unit* unit);
  void BuildAnyOrder(Unit* unit);
  void BuildDistinct(Unit* unit);
  UnitId UnitOfPart(ExprId expr, RuleKind rule_kind);
  UnitId UnitOfRest(ExprId sequence, RuleKind rule_kind);
  void Number(UnitId id);

  GrammarPtr grammar_;
  GrammarFacts facts_;
  RegularFacts regular_;
  DfaCache* dfa_cache_;
  std::vector<std::unique_ptr<Unit>> units_;
  std::unordered_map<ExprId, UnitId> unit_of_expr_;
  std::unordered_map<RuleId, UnitId> unit_of_limited_rule_;
  std::unordered_map<ExprId, UnitId> unit_of_rest_;
  std::unordered_map<ExprId, std::unique_ptr<const TokenSet>> token_sets_;
  std::vector<UnitId> unit_of_state_;
  UnitId root_ = 0;
  bool has_marker_literals_ = false;
  bool has_token_limits_ = false;
  bool has_distinct_ = false;
  int64_t memory_size_bytes_ = 0;
};

}  // namespace xgrammar
