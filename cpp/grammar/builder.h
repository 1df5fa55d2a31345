// GrammarBuilder: the only way to make a Grammar.
//
// Every Add function hash-conses: the same call gives the same id. Trivial forms are simplified on
// the way (a sequence drops empties and is flattened, one alternative stands for itself, a
// repetition of exactly one is its child), so that later stages see one spelling of each idea.
// Very long parts (4,096 parts or bytes) stay nested or unmerged, so that building is linear.
// Hash-consing after Filliatre and Conchon, "Type-safe modular hash-consing", 2006: every node is
// looked up by content in an open-addressing table before it is stored. Owned by one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "grammar/grammar.h"
#include "support/limits.h"

namespace xgrammar {

class GrammarBuilder {
 public:
  explicit GrammarBuilder(const Limits& limits = {});
  ~GrammarBuilder();
  GrammarBuilder(const GrammarBuilder&) = delete;
  GrammarBuilder& operator=(const GrammarBuilder&) = delete;

  ExprId AddEmpty();
  /// Matches nothing: the empty character class.
  ExprId AddNothing();
  /// Well-formed UTF-8; "" gives AddEmpty().
  ExprId AddByteString(std::string_view bytes);
  /// One character of a set; a single one is a literal.
  ExprId AddCharClass(const CodePointSet& set);
  /// The same, but never a literal: a special token may stand for its text where literals spell it,
  /// not where classes do.
  ExprId AddTextClass(const CodePointSet& set);
  ExprId AddRuleRef(RuleId rule);
  ExprId AddSequence(std::span<const ExprId> parts);
  ExprId AddSequence(std::initializer_list<ExprId> parts);
  /// No alternatives give AddNothing().
  ExprId AddChoices(std::span<const ExprId> alternatives);
  ExprId AddChoices(std::initializer_list<ExprId> alternatives);
  /// Precondition: 0 <= min, and max is kUnbounded or >= min. Raises kLimit past
  /// Limits::max_repeat.
  ExprId AddRepeat(ExprId child, int64_t min, int64_t max);
  /// `min` to `max` members in any order, `separator` between two. A part `x` is there once, `x?`
  /// at most once, `x*` any number of times and `x+` at least once; parts that match only the empty
  /// string are left out. Precondition: as AddRepeat. Raises kUnsupported
  /// past kMaxAnyOrderParts.
  ExprId AddAnyOrder(ExprId separator, std::span<const ExprId> parts, int64_t min, int64_t max);
  /// Items with distinct JSON values; `first` are the expressions of the first items, `rest` that
  /// of all others. Precondition: every text of the separator contains a comma outside of strings.
  ExprId AddDistinct(ExprId separator, ExprId rest, std::span<const ExprId> first, int64_t min,
                     int64_t max);
  ExprId AddOptional(ExprId child) { return AddRepeat(child, 0, 1); }
  ExprId AddStar(ExprId child) { return AddRepeat(child, 0, kUnbounded); }
  ExprId AddPlus(ExprId child) { return AddRepeat(child, 1, kUnbounded); }
  ExprId AddAutomaton(CodePointDfaPtr automaton);
  /// Equal only to itself, whatever its language.
  ExprId AddLateAutomaton(LateAutomatonPtr automaton);
  /// One token out of `ids` or, if `excluding`, one that is not. Any order, repeats merge; no ids
  /// to choose from match nothing. Precondition: ids are at least 0.
  ExprId AddTokenSet(std::vector<int32_t> ids, bool excluding);

  /// The one token of a vocabulary with this text or, if `excluding`, any other token. `text` is
  /// well-formed UTF-8 and not empty.
  ExprId AddNamedToken(std::string_view text, bool excluding);

  /// A rule without a body yet; the name must be unused. Raises kLimit past Limits::max_rules.
  RuleId AddRule(std::string name, RuleKind kind = RuleKind::kAuto);
  /// A rule with a body, named `hint` or, if that is taken, `hint_1`, `hint_2`, ...
  RuleId AddRuleWithHint(std::string_view hint, ExprId body, RuleKind kind = RuleKind::kAuto);
  /// A name that no rule has yet: `hint`, `hint_1`, ...
  std::string UnusedName(std::string_view hint);
  void SetBody(RuleId rule, ExprId body);
  void SetLookahead(RuleId rule, ExprId lookahead);
  void SetKind(RuleId rule, RuleKind kind);
  void SetOptions(RuleId rule, const RuleOptions& options);
  /// Notes that say nothing are dropped.
  void SetNotes(RuleId rule, const RuleNotes& notes);
  void Rename(RuleId rule, std::string name);
  /// The rule of that name, or -1.
  RuleId FindRule(std::string_view name) const;
  int32_t num_rules() const;

  /// Reading what has been built so far.
  const Grammar& view() const { return *grammar_; }

  /// Copies all rules and expressions of `other` into this builder under names made unused; returns
  /// the id that each rule of `other` got, by its old id.
  std::vector<RuleId> Import(const Grammar& other);

  /// What Import changes on the way.
  struct ImportEdits {
    /// By expression of the other grammar: what takes its place here, or kNoExpr to copy it. Called
    /// for children before their parents.
    std::function<ExprId(ExprId)> replace;
    /// By rule of the other grammar: left out. `replace` must replace all references to such a
    /// rule.
    std::vector<bool> skip;
  };
  /// As Import; the id of a rule that is left out is -1.
  std::vector<RuleId> ImportEdited(const Grammar& other, const ImportEdits& edits);

  /// Ends building; the builder is empty afterwards. Raises kInternal if a rule has no body.
  GrammarPtr Build(RuleId root);

 private:
  template <typename Equal, typename Store>
  ExprId FindOrAdd(ExprKind kind, uint64_t hash, const Equal& equal, const Store& store);
  bool IsPlainSequence(std::span<const ExprId> parts) const;
  ExprId InternChildren(ExprKind kind, std::span<const ExprId> children);
  ExprId InternRanges(std::span<const CodePointRange> ranges);
  void GrowTable();
  bool IsNothing(ExprId id) const;
  ExprId FindOrAddBounded(ExprKind kind, const std::vector<ExprId>& children, int64_t min,
                          int64_t max);
  void CheckRepeat(int64_t min, int64_t max) const;
  void JoinComplements(std::vector<ExprId>* alternatives);
  void ImportBodies(const Grammar& other, const std::vector<RuleId>& new_ids,
                    const ImportEdits& edits);
  /// `is_edited`: what is below may have become something else.
  ExprId ImportExpr(const Grammar& other, ExprId id, const std::vector<RuleId>& rule_ids,
                    const std::vector<ExprId>& expr_ids, bool is_edited);

  Limits limits_;
  std::shared_ptr<Grammar> grammar_;
  std::vector<ExprId> table_;     // Open addressing with linear probing; kNoExpr marks a free slot.
  std::vector<uint64_t> hashes_;  // By expression id, so that growing the table reads no content.
  std::unordered_map<std::string, RuleId> rule_ids_;
  struct HashName {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };
  /// By hints that are names of rules.
  std::unordered_map<std::string, int32_t, HashName, std::equal_to<>> name_counters_;
  bool has_freed_names_ = false;  ///< By renaming.
  // Scratch of AddSequence.
  std::vector<ExprId> flat_;
  std::string run_;
};

}  // namespace xgrammar
