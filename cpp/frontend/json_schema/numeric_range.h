// Number constraints as automata over the characters of plain decimals (no exponent), with digits
// of any count.
//
// Bounds are compared digit by digit; divisors are remainders as states (long division). Exact at
// any size, since nothing is converted to binary floating point.
#pragma once

#include "automata/code_point_automaton.h"
#include "frontend/json_schema/branch.h"
#include "support/limits.h"

namespace xgrammar::json_schema {

/// Language of the numbers that satisfy a constraint: integers as `0` or `-?[1-9][0-9]*`, others as
/// plain decimals with any number of fraction digits; `-0` only for numbers that are not integers
/// by type. Raises kLimit if a divisor needs more than 10^4 remainders or a bound more than 10^4
/// digits.
CodePointDfa NumberToDfa(const NumberConstraint& constraint, const Limits& limits);

}  // namespace xgrammar::json_schema
