// What parts in any order match, by the definition: members one after the other, keeping the set of
// parts seen and their number. For recognisers of tests; it shares no code with lowering or the
// parser.
//
// At most 64 parts, since a set is one word, and exponential in the worst case: for texts and
// grammars of a few members.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "grammar/any_order.h"
#include "grammar/grammar.h"

namespace xgrammar {

/// The parts as tests see them: at most 64.
struct AnyOrderMeaning {
  AnyOrderMeaning(const Grammar& grammar, ExprId expr)
      : separator(AnyOrderSeparator(grammar, expr)),
        min(grammar.repeat_min(expr)),
        max(grammar.repeat_max(expr)) {
    for (ExprId part : AnyOrderParts(grammar, expr)) {
      members.push_back(ReadAnyOrderPart(grammar, part));
      if (members.back().required) required |= uint64_t{1} << (members.size() - 1);
    }
  }
  bool MayTake(size_t part, int64_t count, uint64_t seen) const {
    return (max == kUnbounded || count < max) && !(members[part].once && (seen >> part & 1) != 0);
  }
  bool MayEnd(int64_t count, uint64_t seen) const {
    return count >= min && (seen & required) == required;
  }
  /// Counts past every bound are one.
  int64_t CountAfter(int64_t count) const {
    return std::min(count + 1, (max == kUnbounded ? min : max) + 1);
  }

  std::vector<AnyOrderPart> members;
  uint64_t required = 0;
  ExprId separator;
  int64_t min;
  int64_t max;
};

/// All ends of matches that begin at `start`; `ends(expr, position)` gives those of a part.
template <typename Ends>
std::set<size_t> AnyOrderEnds(const Grammar& grammar, ExprId expr, size_t start, Ends ends) {
  const AnyOrderMeaning meaning(grammar, expr);
  using State = std::tuple<int64_t, uint64_t, size_t>;
  std::set<State> seen_states{{0, 0, start}};
  std::vector<State> work(seen_states.begin(), seen_states.end());
  std::set<size_t> result;
  while (!work.empty()) {
    const auto [count, seen, position] = work.back();
    work.pop_back();
    if (meaning.MayEnd(count, seen)) result.insert(position);
    std::set<size_t> begins{position};
    if (count > 0) begins = ends(meaning.separator, position);
    for (size_t part = 0; part < meaning.members.size(); ++part) {
      if (!meaning.MayTake(part, count, seen)) continue;
      for (size_t begin : begins) {
        for (size_t end : std::set<size_t>(ends(meaning.members[part].member, begin))) {
          const State after{meaning.CountAfter(count), seen | uint64_t{1} << part, end};
          if (seen_states.insert(after).second) work.push_back(after);
        }
      }
    }
  }
  return result;
}

}  // namespace xgrammar
