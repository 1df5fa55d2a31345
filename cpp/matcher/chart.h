// Chart: which expressions of a grammar match which parts of an accepted text, for captures and
// temperatures.
//
// A textbook Earley recogniser (Earley 1970; nullable parts as in Aycock and Horspool 2002) over
// the expressions of the grammar as they are. The parser of parser/ forgets where rules began,
// which is what makes it fast; this one keeps it. So it is made only for grammars with notes, only
// when an answer is asked for, and reads text that is known to fit. Derivations are told apart by a
// walk back from the end, so that only parts of derivations of the whole text count. Memory and
// time are those of Earley's algorithm: linear in the text for most grammars, quadratic at worst
// for right recursion. Budgets of rules are honoured as to where a rule may end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/grammar.h"
#include "support/limits.h"

namespace xgrammar {

/// A named part of the accepted text.
struct Capture {
  std::string name;
  std::string text;
};

/// Owned by one matcher; borrows nothing.
class Chart {
 public:
  Chart(GrammarPtr grammar, const Limits& limits);

  /// Appends one step: a token (with its id) or a string (-1). Raises kLimit past
  /// Limits::max_state_bytes.
  void Feed(std::string_view text, int32_t token);
  /// Goes back to the first `num_steps` steps.
  void Truncate(size_t num_steps);
  size_t num_steps() const { return steps_.size(); }

  /// The captured parts in the order of their ends, inner before outer. With `longest_only`, the
  /// longest of those that begin at one place in one rule.
  std::vector<Capture> Captures(bool longest_only) const;
  /// The highest of the temperatures that the innermost rules ask for at the end of the text.
  std::optional<double> Temperature() const;

 private:
  /// An expression under way. `progress`: parts matched (sequence, repetition), bytes (string), the
  /// state (automaton), or what comes next (AnyOrder). Which members an AnyOrder has had is not
  /// looked at: the text is known to fit.
  struct Item {
    ExprId expr = kNoExpr;
    int32_t progress = 0;
    int32_t origin = 0;
    friend auto operator<=>(const Item&, const Item&) = default;
  };
  /// An expression that ends here.
  struct Completion {
    ExprId expr = kNoExpr;
    int32_t origin = 0;
    friend auto operator<=>(const Completion&, const Completion&) = default;
  };
  /// An item that waits for an expression which begins here.
  struct Waiter {
    ExprId expr = kNoExpr;
    int32_t item = 0;
    friend auto operator<=>(const Waiter&, const Waiter&) = default;
  };
  /// What is known at one byte of the text. Sorted, once it is closed.
  struct Set {
    std::vector<Item> items;
    std::vector<Completion> completions;
    std::vector<Waiter> waiters;
    int64_t MemorySizeBytes() const {
      return static_cast<int64_t>(sizeof(Set) + items.size() * sizeof(Item) +
                                  completions.size() * sizeof(Completion) +
                                  waiters.size() * sizeof(Waiter));
    }
  };
  struct Step {
    int32_t begin = 0;
    int32_t end = 0;
    int32_t token = -1;
  };
  enum AnyOrder : int32_t { kBeforeAll = 0, kAfterMember = 1, kAfterSeparator = 2 };
  class Closer;
  class Walk;
  struct Span {
    int32_t begin;
    int32_t end;
    RuleId rule;
  };

  int32_t size() const { return static_cast<int32_t>(text_.size()); }
  const Set& set(int32_t position) const { return sets_[static_cast<size_t>(position)]; }
  Set& set(int32_t position) { return sets_[static_cast<size_t>(position)]; }
  /// The expression that stands for the whole text.
  ExprId root_expr() const { return grammar_->num_exprs(); }
  /// The rule that an expression refers to, or -1.
  RuleId RuleOf(ExprId expr) const;
  int32_t AdvancedCount(const Item& repeat, bool is_empty) const;
  bool MayEnd(const Completion& completion, int32_t end);

  void Process();
  /// False if the character at `position` is not complete.
  bool Scan(int32_t position);
  void ScanToken(const Step& step);
  void ScanItem(const Item& item, uint32_t code_point, int32_t next);
  void CheckMemory();
  /// Whether a character or token could advance the item.
  bool ReadsNext(const Item& item) const;
  int32_t LastLivePosition() const;
  void SortInnerFirst(std::vector<Span>* spans) const;
  int32_t MarkerBegin(const Span& span, int64_t bytes) const;
  std::string TextOf(const Span& span, const std::vector<Span>& hidden) const;

  GrammarPtr grammar_;
  Limits limits_;
  std::string text_;
  std::vector<Step> steps_;
  std::vector<Set> sets_;         // By byte.
  std::vector<int32_t> chars_;    // By byte: characters that begin before it.
  int32_t num_closed_ = 0;        // Sets [0, num_closed_) are closed.
  std::vector<int32_t> pending_;  // Closed sets whose next character is not complete yet.
  int64_t memory_bytes_ = 0;
  /// By rule reference with a budget and its origin: where it first ended at or past the budget.
  std::map<Completion, int32_t> used_up_;
};

}  // namespace xgrammar
