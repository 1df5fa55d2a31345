// CodePointNfa and CodePointDfa: construction, trimming and plain queries.
//
// The constructor of CodePointDfa brings every machine into one shape: only useful states, numbered
// breadth first from the start, edges sorted and merged. Two minimal machines of one language are
// then equal as data. The operations that make machines from machines live in one file each
// (determinize.cc, minimize.cc, ...).
#include "automata/code_point_automaton.h"

#include <algorithm>
#include <array>
#include <utility>

#include "support/utf8.h"
#include "support/work_meter.h"

namespace xgrammar {

namespace {

using Edge = CodePointDfa::Edge;

void SortEdges(std::span<Edge> edges) {
  const auto by_lo = [](const Edge& a, const Edge& b) { return a.lo < b.lo; };
  if (!std::is_sorted(edges.begin(), edges.end(), by_lo))
    std::sort(edges.begin(), edges.end(), by_lo);
}

/// Calls `visit` for each target of a state, not always once; a class of many ranges gives one
/// call, not hundreds.
template <typename Visit>
void ForEachTarget(std::span<const Edge> edges, Visit visit) {
  int32_t last = -1;
  for (const Edge& edge : edges) {
    if (edge.target == last) continue;
    last = edge.target;
    visit(static_cast<size_t>(edge.target));
  }
}

/// Which states can reach an accepting one: depth-first search against the edges. Empty if all can.
std::vector<uint8_t> FindLiveStates(const DfaTable& table) {
  const auto n = static_cast<size_t>(table.num_states());
  std::vector<uint8_t> live(n, 0);
  std::vector<size_t> stack;
  for (size_t s = 0; s < n; ++s) {
    if (!table.accepts(static_cast<int32_t>(s))) continue;
    live[s] = 1;
    stack.push_back(s);
  }
  if (stack.size() == n) return {};
  // Sources by target in one array (counting sort), because a vector per state would dominate the
  // cost.
  std::vector<size_t> first(n + 1, 0);
  for (size_t s = 0; s < n; ++s) {
    ForEachTarget(table.edges(static_cast<int32_t>(s)),
                  [&first](size_t target) { ++first[target + 1]; });
  }
  for (size_t i = 0; i < n; ++i) first[i + 1] += first[i];
  std::vector<size_t> sources(first[n]);
  std::vector<size_t> next(first.begin(), first.end() - 1);
  for (size_t s = 0; s < n; ++s) {
    ForEachTarget(table.edges(static_cast<int32_t>(s)),
                  [&](size_t target) { sources[next[target]++] = s; });
  }
  size_t num_live = stack.size();
  while (!stack.empty()) {
    const size_t s = stack.back();
    stack.pop_back();
    for (size_t k = first[s]; k < first[s + 1]; ++k) {
      if (live[sources[k]]) continue;
      live[sources[k]] = 1;
      ++num_live;
      stack.push_back(sources[k]);
    }
  }
  if (num_live == n) return {};
  return live;
}

/// The table without the edges to states that are not live.
DfaTable WithoutDeadEdges(const DfaTable& table, const std::vector<uint8_t>& live) {
  DfaTable out;
  out.Reserve(live.size(), table.num_edges());
  for (int32_t s = 0; s < table.num_states(); ++s) {
    for (const Edge& edge : table.edges(s)) {
      if (live[static_cast<size_t>(edge.target)]) out.AddEdge(edge.lo, edge.hi, edge.target);
    }
    out.EndState(table.accepts(s));
  }
  return out;
}

DfaTable TableOf(const std::vector<CodePointDfa::State>& states) {
  DfaTable table;
  for (const CodePointDfa::State& state : states) {
    for (const Edge& edge : state.edges) table.AddEdge(edge.lo, edge.hi, edge.target);
    table.EndState(state.accept);
  }
  return table;
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

int32_t CodePointNfa::Append(const CodePointNfa& other) {
  const auto offset = static_cast<int32_t>(states_.size());
  for (State state : other.states_) {
    for (ClassEdge& edge : state.class_edges) edge.target += offset;
    for (SilentEdge& edge : state.silent_edges) edge.target += offset;
    if (state.family >= 0) state.family += num_families_;
    states_.push_back(std::move(state));
  }
  num_families_ += other.num_families_;
  return offset + other.start();
}

CodePointDfa::CodePointDfa(const std::vector<State>& states) : CodePointDfa(TableOf(states)) {}

CodePointDfa::CodePointDfa(DfaTable table) {
  if (table.num_states() == 0) table.EndState(false);
  const std::vector<uint8_t> live = FindLiveStates(table);
  if (!live.empty()) table = WithoutDeadEdges(table, live);
  Number(&table, live.empty() || live[0] ? 0 : -1);
}

CodePointDfa CodePointDfa::FromNumbered(DfaTable table) {
  CodePointDfa out;
  const int32_t num_states = table.num_states();
  out.edges_ = table.TakeEdges();
  if (out.edges_.capacity() - out.edges_.size() > out.edges_.size() / 4) out.edges_.shrink_to_fit();
  out.states_.reserve(static_cast<size_t>(num_states));
  for (int32_t s = 0; s < num_states; ++s) {
    const size_t first = table.first_edge(s);
    out.states_.push_back(
        {{out.edges_.data() + first, table.first_edge(s + 1) - first}, table.accepts(s)});
  }
  return out;
}

CodePointDfa::CodePointDfa(const CodePointDfa& other)
    : edges_(other.edges_), states_(other.states_) {
  for (StateView& state : states_) {
    if (!state.edges.empty())
      state.edges = {edges_.data() + (state.edges.data() - other.edges_.data()),
                     state.edges.size()};
  }
}

// Breadth first; edges sorted, neighbours with one target joined.
void CodePointDfa::Number(DfaTable* table, int32_t start) {
  if (start < 0) {
    states_.emplace_back();
    return;
  }
  std::vector<int32_t> new_id(static_cast<size_t>(table->num_states()), -1);
  std::vector<int32_t> order;
  order.reserve(new_id.size());
  order.push_back(start);
  new_id[static_cast<size_t>(start)] = 0;
  edges_.reserve(table->num_edges());
  states_.reserve(new_id.size());
  for (size_t k = 0; k < order.size(); ++k) {
    // Sorting first makes the numbering depend on the language alone when the machine is minimal.
    const std::span<Edge> edges = table->edges(order[k]);
    CountWork("numbering an automaton", 1 + static_cast<int64_t>(edges.size()) / 8);
    SortEdges(edges);
    const size_t first = edges_.size();
    for (const Edge& edge : edges) {
      int32_t& target = new_id[static_cast<size_t>(edge.target)];
      if (target < 0) {
        target = static_cast<int32_t>(order.size());
        order.push_back(edge.target);
      }
      if (edges_.size() > first && edges_.back().hi + 1 == edge.lo &&
          edges_.back().target == target) {
        edges_.back().hi = edge.hi;
      } else {
        edges_.push_back({edge.lo, edge.hi, target});
      }
    }
    // `edges_` has room for all of the table's edges, so it does not move.
    states_.push_back({{edges_.data() + first, edges_.size() - first}, table->accepts(order[k])});
  }
}

uint64_t CodePointDfa::Hash() const {
  // Of large machines a part is enough: they mostly differ in their size already.
  constexpr size_t kMostLookedAt = 2048;
  // Four chains, so that one multiplication need not wait for the other.
  std::array<uint64_t, 4> lanes = {edges_.size(), states_.size(), 3, 4};
  const auto mix = [](uint64_t* lane, uint64_t value) {
    *lane = (*lane ^ value) * 0x9E3779B97F4A7C15u;
    *lane ^= *lane >> 29;
  };
  size_t lane = 0;
  for (size_t i = 0; i < edges_.size(); i += 1 + edges_.size() / kMostLookedAt) {
    const Edge& edge = edges_[i];
    // 21 bits each for the characters; a target of more than 22 bits only costs quality.
    mix(&lanes[lane++ & 3],
        uint64_t{edge.lo} ^ (uint64_t{edge.hi} << 21) ^ (static_cast<uint64_t>(edge.target) << 42));
  }
  for (size_t i = 0; i < states_.size(); i += 1 + states_.size() / kMostLookedAt)
    mix(&lanes[lane++ & 3], 2 * states_[i].edges.size() + (states_[i].accept ? 1 : 0));
  for (size_t i = 1; i < lanes.size(); ++i) mix(&lanes[0], lanes[i]);
  return lanes[0];
}

std::vector<CodePointDfa::State> CodePointDfa::CopyStates() const {
  std::vector<State> out;
  out.reserve(states_.size());
  for (const StateView& state : states_)
    out.push_back({{state.edges.begin(), state.edges.end()}, state.accept});
  return out;
}

DfaTable CodePointDfa::ToTable() const {
  DfaTable table;
  table.Reserve(states_.size(), edges_.size());
  for (const StateView& state : states_) {
    for (const Edge& edge : state.edges) table.AddEdge(edge.lo, edge.hi, edge.target);
    table.EndState(state.accept);
  }
  return table;
}

int32_t CodePointDfa::Next(int32_t state, uint32_t code_point) const {
  const std::span<const Edge> edges = states_[static_cast<size_t>(state)].edges;
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
  for (const StateView& state : states_) {
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
