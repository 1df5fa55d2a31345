// CodePointNfa and CodePointDfa: construction, trimming and plain queries.
//
// The constructor of CodePointDfa brings every machine into one shape: only useful states, numbered
// breadth first from the start, edges sorted and merged. Two minimal machines of one language are
// then equal as data. The operations that make machines from machines live in one file each
// (determinize.cc, minimize.cc, ...).
#include "automata/code_point_automaton.h"

#include <algorithm>
#include <utility>

#include "support/utf8.h"
#include "support/work_meter.h"

namespace xgrammar {

namespace {

using State = CodePointDfa::State;
using Edge = CodePointDfa::Edge;

/// Sorts the edges and joins neighbours that lead to the same state.
void NormalizeEdges(std::vector<Edge>* edges) {
  const auto by_lo = [](const Edge& a, const Edge& b) { return a.lo < b.lo; };
  if (!std::is_sorted(edges->begin(), edges->end(), by_lo)) {
    std::sort(edges->begin(), edges->end(), by_lo);
  }
  size_t kept = 0;
  for (size_t i = 0; i < edges->size(); ++i) {
    const Edge edge = (*edges)[i];
    if (kept > 0 && (*edges)[kept - 1].hi + 1 == edge.lo &&
        (*edges)[kept - 1].target == edge.target) {
      (*edges)[kept - 1].hi = edge.hi;
    } else {
      (*edges)[kept++] = edge;
    }
  }
  edges->resize(kept);
}

/// Calls `visit` for each target of a state, not always once; a class of many ranges gives one
/// call, not hundreds.
template <typename Visit>
void ForEachTarget(const State& state, Visit visit) {
  int32_t last = -1;
  for (const Edge& edge : state.edges) {
    if (edge.target == last) continue;
    last = edge.target;
    visit(static_cast<size_t>(edge.target));
  }
}

/// Which states can reach an accepting one: depth-first search against the edges.
std::vector<bool> FindLiveStates(const std::vector<State>& states) {
  const size_t n = states.size();
  // Sources by target in one array (counting sort), because a vector per state would dominate the
  // cost.
  std::vector<size_t> first(n + 1, 0);
  for (const State& state : states) {
    ForEachTarget(state, [&first](size_t target) { ++first[target + 1]; });
  }
  for (size_t i = 0; i < n; ++i) first[i + 1] += first[i];
  std::vector<size_t> sources(first[n]);
  std::vector<size_t> next(first.begin(), first.end() - 1);
  for (size_t s = 0; s < n; ++s) {
    ForEachTarget(states[s], [&](size_t target) { sources[next[target]++] = s; });
  }
  std::vector<bool> live(n, false);
  std::vector<size_t> stack;
  for (size_t s = 0; s < n; ++s) {
    if (!states[s].accept) continue;
    live[s] = true;
    stack.push_back(s);
  }
  while (!stack.empty()) {
    const size_t s = stack.back();
    stack.pop_back();
    for (size_t k = first[s]; k < first[s + 1]; ++k) {
      if (live[sources[k]]) continue;
      live[sources[k]] = true;
      stack.push_back(sources[k]);
    }
  }
  return live;
}

}  // namespace

int32_t CodePointNfa::AddState() {
  states_.emplace_back();
  return static_cast<int32_t>(states_.size()) - 1;
}

void CodePointNfa::AddEdge(int32_t from, CodePointSet set, int32_t to) {
  states_[static_cast<size_t>(from)].class_edges.push_back({std::move(set), to});
}

void CodePointNfa::AddSilentEdge(int32_t from, EdgeKind kind, int32_t to) {
  states_[static_cast<size_t>(from)].silent_edges.push_back({kind, to});
}

CodePointDfa::CodePointDfa(std::vector<State> states) {
  if (states.empty()) states.emplace_back();
  const std::vector<bool> live = FindLiveStates(states);
  if (!live[0]) {
    states_.emplace_back();
    return;
  }
  if (std::find(live.begin(), live.end(), false) != live.end()) {
    for (State& state : states) {
      std::erase_if(state.edges,
                    [&live](const Edge& e) { return !live[static_cast<size_t>(e.target)]; });
    }
  }
  std::vector<int32_t> new_id(states.size(), -1);
  std::vector<size_t> order = {0};
  new_id[0] = 0;
  for (size_t k = 0; k < order.size(); ++k) {
    // Sorting first makes the numbering depend on the language alone when the machine is minimal.
    std::vector<Edge>& edges = states[order[k]].edges;
    CountWork("numbering an automaton", 1 + static_cast<int64_t>(edges.size()) / 8);
    NormalizeEdges(&edges);
    num_edges_ += static_cast<int64_t>(edges.size());
    for (Edge& edge : edges) {
      const auto old_target = static_cast<size_t>(edge.target);
      if (new_id[old_target] < 0) {
        new_id[old_target] = static_cast<int32_t>(order.size());
        order.push_back(old_target);
      }
      edge.target = new_id[old_target];
    }
  }
  states_.reserve(order.size());
  for (size_t old : order) states_.push_back(std::move(states[old]));
}

int32_t CodePointDfa::Next(int32_t state, uint32_t code_point) const {
  const std::vector<Edge>& edges = states_[static_cast<size_t>(state)].edges;
  const auto after = std::upper_bound(edges.begin(), edges.end(), code_point,
                                      [](uint32_t value, const Edge& e) { return value < e.lo; });
  if (after == edges.begin()) return -1;
  const Edge& edge = *std::prev(after);
  return code_point <= edge.hi ? edge.target : -1;
}

bool CodePointDfa::Accepts(std::string_view text) const {
  int32_t state = 0;
  for (size_t i = 0; i < text.size();) {
    const DecodedCodePoint decoded = DecodeUtf8(text, i);
    if (!decoded.valid) return false;
    state = Next(state, decoded.code_point);
    if (state < 0) return false;
    i += decoded.size;
  }
  return states_[static_cast<size_t>(state)].accept;
}

int64_t CodePointDfa::MinLength() const {
  // States are numbered breadth first, so the distance from the start never falls with the index.
  std::vector<int64_t> distance(states_.size(), -1);
  distance[0] = 0;
  for (size_t s = 0; s < states_.size(); ++s) {
    if (states_[s].accept) return distance[s];
    for (const Edge& edge : states_[s].edges) {
      int64_t& d = distance[static_cast<size_t>(edge.target)];
      if (d < 0) d = distance[s] + 1;
    }
  }
  return -1;
}

int64_t CodePointDfa::MaxLength() const {
  if (IsEmpty()) return -1;
  // Every state is useful, so the language is infinite exactly if there is a cycle (Kahn's
  // topological order, 1962).
  std::vector<int64_t> indegree(states_.size(), 0);
  for (const State& state : states_) {
    for (const Edge& edge : state.edges) ++indegree[static_cast<size_t>(edge.target)];
  }
  if (indegree[0] > 0) return -1;
  std::vector<int64_t> longest(states_.size(), 0);
  std::vector<size_t> queue = {0};
  for (size_t k = 0; k < queue.size(); ++k) {
    const size_t s = queue[k];
    for (const Edge& edge : states_[s].edges) {
      const auto target = static_cast<size_t>(edge.target);
      longest[target] = std::max(longest[target], longest[s] + 1);
      if (--indegree[target] == 0) queue.push_back(target);
    }
  }
  if (queue.size() < states_.size()) return -1;
  return *std::max_element(longest.begin(), longest.end());
}

}  // namespace xgrammar
