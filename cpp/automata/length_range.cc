// LengthRange: the machine that counts characters, for minLength and maxLength.
//
// A chain with one state a character; without an upper bound its last state loops. The chain is
// minimal as built.
#include <algorithm>
#include <utility>

#include "automata/code_point_automaton.h"
#include "support/error.h"
#include "support/utf8.h"
#include "support/work_meter.h"

namespace xgrammar {

CodePointDfa LengthRange(int64_t min, int64_t max, int64_t max_states) {
  min = std::max<int64_t>(min, 0);
  if (max >= 0 && max < min) return CodePointDfa(DfaTable());
  const int64_t last = max >= 0 ? max : min;
  if (last >= max_states) ThrowLimitError("max_dfa_states", last + 1, max_states, "length range");
  DfaTable table;
  table.Reserve(static_cast<size_t>(last) + 1, 2 * static_cast<size_t>(last) + 2);
  for (int64_t i = 0; i <= last; ++i) {
    CountWork("counting characters");
    if (i < last || max < 0) {
      const auto target = static_cast<int32_t>(std::min(i + 1, last));
      table.AddEdge(0, kSurrogateFirst - 1, target);
      table.AddEdge(kSurrogateLast + 1, kMaxCodePoint, target);
    }
    table.EndState(i >= min);
  }
  return CodePointDfa(std::move(table));
}

}  // namespace xgrammar
