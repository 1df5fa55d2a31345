// The formats `time` and `date-time` (RFC 3339), with leap seconds where UTC has them.
//
// A leap second ends a day in UTC, so what may follow `:60` depends on the hour and the minute
// before it; the date says nothing about leap seconds that are yet to be announced.
#pragma once

#include "automata/code_point_automaton.h"

namespace xgrammar::json_schema {

CodePointDfa TimeFormatToDfa();

/// A member of `date`, `T` or `t`, and a time. Precondition: no member of `date` can be continued
/// inside `date`.
CodePointDfa DateTimeFormatToDfa(const CodePointDfa& date);

}  // namespace xgrammar::json_schema
