// DistinctUnit: what is asked of a separator.
//
// A conservative look at the expression, part by part; one that is not understood is refused when
// the unit is built.
#include "lowering/distinct_unit.h"

#include <string_view>

namespace xgrammar {

bool AlwaysHasComma(const Grammar& grammar, ExprId expr, int depth) {
  constexpr int kMaxDepth = 16;
  if (depth > kMaxDepth) return false;
  const auto has = [&](ExprId child) { return AlwaysHasComma(grammar, child, depth + 1); };
  switch (grammar.kind(expr)) {
    case ExprKind::kByteString: {
      const std::string_view bytes = grammar.bytes(expr);
      return bytes.find(',') != std::string_view::npos && bytes.find('"') == std::string_view::npos;
    }
    case ExprKind::kCharClass:
      return grammar.ranges(expr).size() == 1 && grammar.ranges(expr)[0].lo == ',' &&
             grammar.ranges(expr)[0].hi == ',';
    case ExprKind::kRuleRef:
      return has(grammar.rule(grammar.rule_ref(expr)).body);
    case ExprKind::kSequence: {
      const auto children = grammar.children(expr);
      return std::any_of(children.begin(), children.end(), has);
    }
    case ExprKind::kChoices: {
      const auto children = grammar.children(expr);
      return std::all_of(children.begin(), children.end(), has);
    }
    case ExprKind::kRepeat:
      return grammar.repeat_min(expr) > 0 && has(grammar.children(expr)[0]);
    default:
      return false;
  }
}

}  // namespace xgrammar
