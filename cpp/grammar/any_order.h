// Parts in any order: what the quantifier of a part says, and when a kAnyOrder expression matches
// anything.
//
// A member is one text of one part. A part `x` stands for exactly one member, `x?` for at most one,
// `x*` for any number and `x+` for at least one; any other expression is a part that is there once.
// The members come in any order, with the separator between two of them. This is the interleaving
// of SGML's and and of RELAX NG (Clark and Murata 2001), restricted to whole members.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "grammar/grammar.h"

namespace xgrammar {

/// Parts of one expression; each takes a bit of the sets in parser states.
constexpr size_t kMaxAnyOrderParts = 4096;

struct AnyOrderPart {
  ExprId member = kNoExpr;  ///< Without the quantifier.
  bool required = true;
  bool once = true;
};

AnyOrderPart ReadAnyOrderPart(const Grammar& grammar, ExprId part);

inline ExprId AnyOrderSeparator(const Grammar& grammar, ExprId expr) {
  return grammar.children(expr)[0];
}
inline std::span<const ExprId> AnyOrderParts(const Grammar& grammar, ExprId expr) {
  return grammar.children(expr).subspan(1);
}

/// The member of a part, which has a quantifier in a kAnyOrder expression; the items of a kDistinct
/// expression stand for themselves.
inline ExprId MemberOf(const Grammar& grammar, ExprId expr, ExprId part) {
  return grammar.kind(expr) == ExprKind::kAnyOrder ? ReadAnyOrderPart(grammar, part).member : part;
}

/// Whether some choice of members, all of which have a property that texts joined have if and only
/// if each has it (matching anything; matching the empty text), is allowed. `holds`: whether an
/// expression has it. No members at all have every such property.
bool AnyOrderHolds(const Grammar& grammar, ExprId expr, const std::function<bool(ExprId)>& holds);

/// Whether a kAnyOrder or kDistinct expression is satisfied without any member.
inline bool MayHaveNoMembers(const Grammar& grammar, ExprId expr) {
  if (grammar.kind(expr) == ExprKind::kDistinct) return grammar.repeat_min(expr) == 0;
  return AnyOrderHolds(grammar, expr, [](ExprId) { return false; });
}

}  // namespace xgrammar
