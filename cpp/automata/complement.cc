// Complement, union and difference of deterministic code point automata.
//
// Complement completes the machine with one sink that takes every missing character and flips
// acceptance; a minimal machine stays minimal. Union and difference are products in which one side
// may have failed; De Morgan's law would do as well but completes both sides first.
#include <algorithm>
#include <utility>

#include "automata/product.h"
#include "support/utf8.h"
#include "support/work_meter.h"

namespace xgrammar {

namespace {

using Edge = CodePointDfa::Edge;

/// Adds an edge to `target` for the scalar values of lo..hi (empty if lo > hi).
void AddScalarEdges(uint32_t lo, uint32_t hi, int32_t target, DfaTable* out) {
  if (lo > hi) return;
  if (lo < kSurrogateFirst) out->AppendEdge(lo, std::min(hi, kSurrogateFirst - 1), target);
  if (hi > kSurrogateLast) out->AppendEdge(std::max(lo, kSurrogateLast + 1), hi, target);
}

}  // namespace

CodePointDfa Complement(const CodePointDfa& dfa) {
  // The start of the empty language is already what the sink would be.
  if (dfa.IsEmpty()) return LengthRange(0, -1, 1);
  const auto sink = static_cast<int32_t>(dfa.states().size());
  DfaTable table;
  table.Reserve(dfa.states().size() + 1,
                2 * static_cast<size_t>(dfa.num_edges()) + 2 * dfa.states().size() + 2);
  for (const CodePointDfa::StateView& state : dfa.states()) {
    CountWork("complementing an automaton", 1 + static_cast<int64_t>(state.edges.size()) / 4);
    uint32_t next = 0;
    for (const Edge& edge : state.edges) {
      if (edge.lo > next) AddScalarEdges(next, edge.lo - 1, sink, &table);
      table.AppendEdge(edge.lo, edge.hi, edge.target);
      next = edge.hi + 1;
    }
    AddScalarEdges(next, kMaxCodePoint, sink, &table);
    table.EndState(!state.accept);
  }
  AddScalarEdges(0, kMaxCodePoint, sink, &table);
  table.EndState(true);
  return CodePointDfa(std::move(table));
}

CodePointDfa Unite(const CodePointDfa& a, const CodePointDfa& b, int64_t max_states) {
  return MakeProduct(a, b, ProductKind::kEither, max_states);
}

CodePointDfa Subtract(const CodePointDfa& a, const CodePointDfa& b, int64_t max_states) {
  return MakeProduct(a, b, ProductKind::kOnlyFirst, max_states);
}

}  // namespace xgrammar
