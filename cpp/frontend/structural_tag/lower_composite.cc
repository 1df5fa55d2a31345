// Formats made of other formats: sequence, or, and the repetitions (optional, plus, star and
// repeat, which the reader makes one kind with bounds).
//
// Each is one expression of the grammar, and a repeated content gets a rule, so the grammar stays
// linear in the tree whatever the counts are.
#include "frontend/structural_tag/lower.h"

namespace xgrammar::structural_tag {

ExprId Lowerer::LowerValue(const Format&, const Sequence& value, const Scope& scope) {
  std::vector<ExprId> parts;
  for (FormatId id : value.elements) parts.push_back(Lower(id, scope));
  return builder_.AddSequence(parts);
}

ExprId Lowerer::LowerValue(const Format&, const Or& value, const Scope& scope) {
  std::vector<ExprId> alternatives;
  for (FormatId id : value.elements) alternatives.push_back(Lower(id, scope));
  return builder_.AddChoices(alternatives);
}

ExprId Lowerer::LowerValue(const Format&, const Repeat& value, const Scope& scope) {
  const ExprId content = Lower(value.content, scope);
  if (value.min == 0 && value.max == 1) return builder_.AddOptional(content);
  return builder_.AddRepeat(Shared(content, "content"), value.min,
                            value.max == kNoBound ? kUnbounded : value.max);
}

}  // namespace xgrammar::structural_tag
