// What distinct items match, by the definition, for values that have one spelling in the grammar of
// a test: items one after the other, keeping the set of texts seen. For recognisers of tests; it
// shares no code with lowering or the parser.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "grammar/grammar.h"

namespace xgrammar {

/// All ends of matches that begin at `start`; `ends(expr, position)` gives those of a part.
template <typename Ends>
std::set<size_t> DistinctEnds(const Grammar& grammar, ExprId expr, std::string_view text,
                              size_t start, Ends ends) {
  using State = std::tuple<std::set<std::string_view>, size_t>;
  const auto children = grammar.children(expr);
  const int64_t max = grammar.repeat_max(expr);
  std::set<State> known{State(std::set<std::string_view>(), start)};
  std::vector<State> work(known.begin(), known.end());
  std::set<size_t> result;
  while (!work.empty()) {
    const auto [seen, position] = work.back();
    work.pop_back();
    const auto count = static_cast<int64_t>(seen.size());
    if (count >= grammar.repeat_min(expr)) result.insert(position);
    if (max != kUnbounded && count >= max) continue;
    const size_t index = seen.size() + 2;
    const ExprId item = index < children.size() ? children[index] : children[1];
    std::set<size_t> begins{position};
    if (count > 0) begins = ends(children[0], position);
    for (size_t begin : begins) {
      for (size_t end : std::set<size_t>(ends(item, begin))) {
        std::set<std::string_view> after = seen;
        if (!after.insert(text.substr(begin, end - begin)).second) continue;
        const State state{after, end};
        if (known.insert(state).second) work.push_back(state);
      }
    }
  }
  return result;
}

}  // namespace xgrammar
