// LengthRange: the machine that counts characters, for minLength and maxLength.
//
// A chain with one state a character; without an upper bound its last state loops. The chain is
// minimal as built.
#include <algorithm>
#include <utility>

#include "automata/code_point_automaton.h"
#include "support/error.h"
#include "support/work_meter.h"

namespace xgrammar {

CodePointDfa LengthRange(int64_t min, int64_t max, int64_t max_states) {
  min = std::max<int64_t>(min, 0);
  if (max >= 0 && max < min) return CodePointDfa({});
  const int64_t last = max >= 0 ? max : min;
  if (last >= max_states) ThrowLimitError("max_dfa_states", last + 1, max_states, "length range");
  std::vector<CodePointDfa::State> states(static_cast<size_t>(last) + 1);
  const CodePointSet all = CodePointSet::All();
  for (int64_t i = 0; i <= last; ++i) {
    CodePointDfa::State& state = states[static_cast<size_t>(i)];
    state.accept = i >= min;
    CountWork("counting characters");
    if (i == last && max >= 0) break;
    const auto target = static_cast<int32_t>(std::min(i + 1, last));
    for (const CodePointRange& range : all.ranges()) {
      state.edges.push_back({range.lo, range.hi, target});
    }
  }
  return CodePointDfa(std::move(states));
}

}  // namespace xgrammar
