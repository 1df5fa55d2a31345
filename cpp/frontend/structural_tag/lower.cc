// The entry point of the front end, and the traversal of formats.
//
// Reads, checks and lowers in that order. Formats that embed another language (schemas, EBNF,
// regular expressions) are lowered by that front end and imported.
#include "frontend/structural_tag/lower.h"

#include <utility>

#include "frontend/structural_tag/check.h"
#include "frontend/structural_tag/reader.h"

namespace xgrammar {

namespace structural_tag {

StructuralTagResult Lowerer::Run() {
  const RuleId root = builder_.AddRule("root");
  builder_.SetBody(root, Lower(tag_.root, Scope()));
  return {builder_.Build(root), std::move(report_)};
}

ExprId Lowerer::Lower(FormatId id, const Scope& scope) {
  const Format& format = tag_.format(id);
  return std::visit([&](const auto& value) { return LowerValue(format, value, scope); },
                    format.value);
}

ExprId Lowerer::Shared(ExprId expr, const char* hint) {
  switch (builder_.view().kind(expr)) {
    case ExprKind::kSequence:
    case ExprKind::kChoices:
    case ExprKind::kRepeat:
    case ExprKind::kAnyOrder:
    case ExprKind::kDistinct:
      return builder_.AddRuleRef(builder_.AddRuleWithHint(hint, expr));
    default:
      return expr;
  }
}

}  // namespace structural_tag

StructuralTagResult StructuralTagToGrammar(std::string_view text, const TokenizerInfo* tokenizer,
                                           const Limits& limits,
                                           std::shared_ptr<AutomatonStore> store) {
  const structural_tag::StructuralTag tag = structural_tag::ReadStructuralTag(text, limits);
  structural_tag::CheckEmptyEnds(tag);
  return structural_tag::Lowerer(tag, tokenizer, limits, std::move(store)).Run();
}

}  // namespace xgrammar
