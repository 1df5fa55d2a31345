// GrammarFacts: what must be known of a whole grammar before a parse starts: which expressions can
// match the empty string, which can match anything at all, and which rules only name another.
//
// Both closure properties are least fixpoints on an and/or graph (Hopcroft, Motwani and Ullman
// 2006, section 7.1); a counting worklist makes them linear in the grammar. Immutable; safe to
// share.
#pragma once

#include <cstdint>
#include <vector>

#include "grammar/grammar.h"

namespace xgrammar {

class GrammarFacts {
 public:
  explicit GrammarFacts(const Grammar& grammar);

  /// The expression matches the empty string.
  bool IsNullable(ExprId expr) const { return nullable_[static_cast<size_t>(expr)] != 0; }
  /// The expression matches some string.
  bool IsProductive(ExprId expr) const { return productive_[static_cast<size_t>(expr)] != 0; }
  /// Follows rules without options whose body is just another rule, to the one they stand for.
  RuleId ResolveAlias(RuleId rule) const { return alias_[static_cast<size_t>(rule)]; }

 private:
  std::vector<uint8_t> nullable_;
  std::vector<uint8_t> productive_;
  std::vector<RuleId> alias_;
};

/// Some text can complete the rule. Also for a grammar under construction, in which a rule without
/// a body has none. Linear in the grammar.
bool IsProductive(const Grammar& grammar, RuleId rule);

/// Raises kUnsatisfiable, naming the start rule, if the grammar matches no string.
void CheckProductive(const Grammar& grammar, const GrammarFacts& facts);

}  // namespace xgrammar
