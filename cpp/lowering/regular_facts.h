// RegularFacts: which expressions are small regular languages, so that one deterministic automaton
// can stand for them.
//
// An expression is foldable when no recursion is reachable from it and no counted repetition in it
// would have to be copied often; its size estimates the states of its nondeterministic byte
// automaton. Computed on demand, memoised, linear in what is reached. Owned by one thread at a
// time.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/grammar_facts.h"
#include "grammar/grammar.h"
#include "tokenizer/token_trie.h"

namespace xgrammar {

class RegularFacts {
 public:
  /// All must outlive this object. `markers`: texts of the special and stop tokens; may be null.
  RegularFacts(const Grammar& grammar, const GrammarFacts& facts, const TokenTrie* markers);

  /// Estimated automaton states, or kNotFoldable.
  int64_t FoldedSize(ExprId expr);
  /// The same with the copies of every repetition made, however many: for what cannot be counted as
  /// a unit of its own.
  int64_t WholeSize(ExprId expr);
  /// Like FoldedSize, but for a repetition looks past its own count: the size with all copies made.
  int64_t ExpandedRepeatSize(ExprId repeat);
  /// Whether a rule reference is reachable without leaving the expression.
  bool HasRuleRef(ExprId expr);
  /// Whether the repetition goes over lexical units (its copies refer to rules and hold loops of
  /// their own) rather than over characters. Such units keep automata of their own, which other
  /// places share; folded into one loop, the end of a copy and the end of the loop would compete
  /// for the same bytes.
  bool RepeatsLexemes(ExprId repeat);
  /// Whether a literal that contains the text of a marker is reachable.
  bool HasMarkerLiteral(ExprId expr);

  static constexpr int64_t kNotFoldable = -1;

 private:
  enum class Mark : uint8_t { kUnknown, kVisiting, kDone };
  struct Entry {
    Mark mark = Mark::kUnknown;
    bool has_rule_ref = false;
    bool has_marker_literal = false;
    bool has_loop = false;
    int64_t size = 0;
    int64_t whole_size = 0;
  };

  void Visit(ExprId expr);
  void Finish(ExprId expr);
  /// Of a repetition whose copies have that size: all of them.
  int64_t SizeOfCopies(ExprId repeat, int64_t child) const;
  /// Whether the expression itself, its parts aside, allows folding.
  bool MayFold(ExprId expr) const;
  ExprId ChildAt(ExprId expr, size_t index) const;
  Entry& entry(ExprId expr) { return entries_[static_cast<size_t>(expr)]; }

  const Grammar& grammar_;
  const GrammarFacts& facts_;
  const TokenTrie* markers_;
  std::vector<Entry> entries_;
};

/// The automaton of the front end that the expression is, perhaps between literals (a string in its
/// quotes): deterministic already, so that folding it cannot explode. kNoExpr if it is more.
ExprId SpelledAutomaton(const Grammar& grammar, ExprId expr);

/// Whether the text of some token of the tree is a substring of `bytes`.
bool ContainsToken(std::string_view bytes, const TokenTrie& trie);

}  // namespace xgrammar
