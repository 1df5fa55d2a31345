// Grammar: the abstract syntax tree that every front end makes and every later stage reads, and
// nothing else.
//
// A grammar is a list of named rules over hash-consed expression nodes: equal expressions have
// equal ids, so shared sub-expressions are stored once and comparing languages by structure is
// comparing ids. Terminals are code points and UTF-8 byte strings; the byte level begins in
// lowering/. A Grammar is immutable and held by shared_ptr<const>; it is made by GrammarBuilder
// only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "automata/code_point_automaton.h"
#include "automata/code_point_set.h"
#include "grammar/late_automaton.h"

namespace xgrammar {

using ExprId = int32_t;
using RuleId = int32_t;
constexpr int32_t kNoExpr = -1;
constexpr int64_t kUnbounded = -1;

enum class ExprKind : uint8_t {
  kEmpty,       ///< The empty string.
  kByteString,  ///< A non-empty literal, well-formed UTF-8.
  kCharClass,   ///< One code point of a set; the empty set matches nothing.
  kRuleRef,     ///< A nonterminal.
  kSequence,    ///< Two or more expressions in order.
  kChoices,     ///< Two or more alternatives.
  kRepeat,      ///< `min` to `max` copies of a child; max kUnbounded.
  kAnyOrder,    ///< `min` to `max` members, a separator between them, in any order: each part once,
                ///< or as often as its quantifier says (grammar/any_order.h).
  kDistinct,    ///< `min` to `max` items, a separator between them, no two of which spell equal
                ///< JSON values (grammar/distinct.h).
  kAutomaton,   ///< A regular language given as a deterministic code point automaton.
  kTokenSet,    ///< One token whose id is in a list, or is not; matched as a whole, not by text.
  kNamedToken,  ///< One token with a given text, or any other one; a kTokenSet once a vocabulary is
                ///< known (compiler/named_tokens.h), so later stages never meet it.
};

/// How lowering may treat a rule.
enum class RuleKind : uint8_t {
  kAuto,       ///< Lowering decides.
  kLexeme,     ///< A lexical unit (string, number, white space): one deterministic automaton if it
               ///< fits the budget.
  kStructure,  ///< Never folded into one automaton, even if its language is regular (objects,
               ///< arrays, documents).
};

/// What a rule asks for beyond its language; kUnbounded stands for no limit.
struct RuleOptions {
  int64_t max_tokens = kUnbounded;  ///< Tokens that one occurrence may take, at generation only.
  int64_t max_chars = kUnbounded;   ///< Code points that one occurrence may take.
  /// Code points that one occurrence has at most. Unlike `max_chars`, which lets a text run over
  /// until it can end, no text is begun that does not end within the bound.
  int64_t max_length = kUnbounded;
  /// Code points that one occurrence has at least.
  int64_t min_length = 0;
  /// Both in characters of a quoted string: an escape (automata/escape_phase.h) counts as one.
  int64_t max_escaped_length = kUnbounded;
  int64_t min_escaped_length = 0;

  bool HasLeastLength() const { return min_length > 0 || min_escaped_length > 0; }

  bool empty() const { return *this == RuleOptions(); }
  friend bool operator==(const RuleOptions&, const RuleOptions&) = default;
};

/// What a rule asks of whoever generates text; its language does not depend on it.
struct RuleNotes {
  std::string capture;                ///< Name under which its text is recorded; empty for none.
  std::string stop_capture;           ///< The same for the marker that its text ends with.
  int64_t hidden_suffix_bytes = 0;    ///< Bytes of that marker, which `capture` leaves out.
  int64_t hidden_stop_bytes = 0;      ///< The same, left out of enclosing captures, too.
  std::optional<double> temperature;  ///< For sampling its text; finite, at least 0.

  friend bool operator==(const RuleNotes&, const RuleNotes&) = default;
};

struct Rule {
  std::string name;
  ExprId body = kNoExpr;
  ExprId lookahead = kNoExpr;  ///< A hint about what follows; printed, never part of the language.
  RuleKind kind = RuleKind::kAuto;
  RuleOptions options;
  std::shared_ptr<const RuleNotes> notes;  ///< Null for most rules.
};

class Grammar {
 public:
  int32_t num_rules() const { return static_cast<int32_t>(rules_.size()); }
  int32_t num_exprs() const { return static_cast<int32_t>(exprs_.size()); }
  const Rule& rule(RuleId id) const { return rules_[static_cast<size_t>(id)]; }
  RuleId root() const { return root_; }

  ExprKind kind(ExprId id) const { return exprs_[static_cast<size_t>(id)].kind; }
  /// kByteString only. Valid as long as the grammar.
  std::string_view bytes(ExprId id) const;
  /// kCharClass only: sorted, disjoint ranges.
  std::span<const CodePointRange> ranges(ExprId id) const;
  /// kSequence, kChoices, kRepeat, kAnyOrder, kDistinct.
  bool has_children(ExprId id) const;
  /// kSequence, kChoices: the parts. kRepeat: the one child. kAnyOrder: the separator, then the
  /// parts. kDistinct: the separator, the items after the first ones, the first ones.
  std::span<const ExprId> children(ExprId id) const;
  /// kTokenSet only: sorted, distinct ids, at least 0.
  std::span<const int32_t> token_ids(ExprId id) const {
    return std::span(token_ids_)
        .subspan(static_cast<size_t>(expr(id).offset) + 1, static_cast<size_t>(expr(id).count) - 1);
  }
  /// kTokenSet, kNamedToken: the ids or the token are those that do not match.
  bool is_excluding(ExprId id) const {
    const auto offset = static_cast<size_t>(expr(id).offset);
    return kind(id) == ExprKind::kNamedToken ? bytes_[offset] == '!' : token_ids_[offset] != 0;
  }
  /// kNamedToken only. Valid as long as the grammar.
  std::string_view token_text(ExprId id) const { return bytes(id).substr(1); }
  /// kRuleRef only.
  RuleId rule_ref(ExprId id) const { return exprs_[static_cast<size_t>(id)].offset; }
  /// kRepeat: copies; kAnyOrder: members; kDistinct: items.
  int64_t repeat_min(ExprId id) const {
    return repeats_[static_cast<size_t>(exprs_[static_cast<size_t>(id)].count)].min;
  }
  int64_t repeat_max(ExprId id) const {
    return repeats_[static_cast<size_t>(exprs_[static_cast<size_t>(id)].count)].max;
  }
  /// kAutomaton only. Makes it if it has not been needed before.
  const CodePointDfaPtr& automaton(ExprId id) const {
    const auto index = static_cast<size_t>(expr(id).offset);
    return is_late(id) ? late_automata_[index]->Get() : automata_[index];
  }
  /// kAutomaton only: null if it was made before the grammar.
  LateAutomatonPtr late_automaton(ExprId id) const {
    return is_late(id) ? late_automata_[static_cast<size_t>(expr(id).offset)] : nullptr;
  }
  /// kAutomaton only: facts of the automaton, which is not made for them. The size is states and
  /// edges, or somewhat more.
  bool automaton_accepts_empty(ExprId id) const;
  int64_t automaton_size(ExprId id) const;

  /// By id: whether the body or lookahead of some rule contains the expression. Builders leave
  /// intermediate ones.
  std::vector<bool> UsedExprs() const;

  /// Bytes held, automata included.
  int64_t MemorySizeBytes() const;

 private:
  friend class GrammarBuilder;

  struct Expr {
    ExprKind kind = ExprKind::kEmpty;
    int32_t offset = 0;  ///< Start in the pool of the kind; the rule or automaton index; start in
                         ///< children_ for kRepeat, kAnyOrder and kDistinct.
    int32_t count = 0;   ///< Length in the pool of the kind; index into repeats_ for those three;
                         ///< 1 for an automaton that is made late.
  };
  struct RepeatBounds {
    int64_t min = 0;
    int64_t max = kUnbounded;
    int32_t num_children = 1;
  };

  const Expr& expr(ExprId id) const { return exprs_[static_cast<size_t>(id)]; }
  bool is_late(ExprId id) const { return expr(id).count != 0; }

  std::vector<Rule> rules_;
  RuleId root_ = 0;
  std::vector<Expr> exprs_;
  std::vector<ExprId> children_;
  std::vector<CodePointRange> ranges_;
  std::vector<RepeatBounds> repeats_;
  std::vector<CodePointDfaPtr> automata_;
  std::vector<LateAutomatonPtr> late_automata_;
  std::vector<int32_t> token_ids_;  // Each set: 1 if excluding, else 0; then its ids.
  std::string bytes_;  // Literals; texts of tokens, each after '!' if excluding, else '='.
};

using GrammarPtr = std::shared_ptr<const Grammar>;

}  // namespace xgrammar
