// Minimisation of deterministic automata with missing transitions.
//
// Partition refinement as of Hopcroft 1971 in the form for partial machines by Valmari ("Fast brief
// practical DFA minimization", 2012): one refinable partition of the states and one of the
// transitions split each other until both are stable, O(m log m) for m transitions. Dead states
// must be gone before, because in a partial machine a transition to a dead state and a missing one
// mean the same but do not look the same. Machines without cycles of several states are folded in
// one pass instead (fold_states.h).
#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "automata/fold_states.h"
#include "automata/symbol_dfa.h"
#include "support/work_meter.h"

namespace xgrammar {

namespace {

/// Partition of 0..n-1 whose sets split into marked and unmarked members. Sets are stored as slices
/// of one array.
class RefinablePartition {
 public:
  explicit RefinablePartition(uint32_t n) : elements_(n), location_(n), set_of_(n, 0) {
    std::iota(elements_.begin(), elements_.end(), 0);
    std::iota(location_.begin(), location_.end(), 0);
    if (n > 0) AddSet(0, n);
  }

  uint32_t num_sets() const { return static_cast<uint32_t>(first_.size()); }
  uint32_t set_of(uint32_t element) const { return set_of_[element]; }
  uint32_t first(uint32_t set) const { return first_[set]; }
  uint32_t end(uint32_t set) const { return end_[set]; }
  uint32_t element(uint32_t index) const { return elements_[index]; }

  void Mark(uint32_t element) {
    const uint32_t set = set_of_[element];
    const uint32_t from = location_[element];
    const uint32_t to = first_[set] + marked_[set];
    if (from < to) return;  // Marked already.
    std::swap(elements_[from], elements_[to]);
    location_[elements_[from]] = from;
    location_[element] = to;
    if (marked_[set]++ == 0) touched_.push_back(set);
  }

  /// Splits every set that has marked and unmarked members; the smaller part becomes the new set,
  /// which is what makes the whole refinement O(m log m).
  void Split() {
    for (uint32_t set : touched_) {
      const uint32_t middle = first_[set] + marked_[set];
      marked_[set] = 0;
      if (middle == end_[set]) continue;
      if (middle - first_[set] <= end_[set] - middle) {
        AddSet(std::exchange(first_[set], middle), middle);
      } else {
        AddSet(middle, std::exchange(end_[set], middle));
      }
    }
    touched_.clear();
  }

 private:
  void AddSet(uint32_t first, uint32_t end) {
    const auto set = static_cast<uint32_t>(first_.size());
    first_.push_back(first);
    end_.push_back(end);
    marked_.push_back(0);
    if (set == 0) return;
    for (uint32_t i = first; i < end; ++i) set_of_[elements_[i]] = set;
  }

  // 32 bits: what is indexed are states and transitions, which have 32-bit numbers.
  std::vector<uint32_t> elements_;
  std::vector<uint32_t> location_;
  std::vector<uint32_t> set_of_;
  std::vector<uint32_t> first_;
  std::vector<uint32_t> end_;
  std::vector<uint32_t> marked_;
  std::vector<uint32_t> touched_;
};

using Transition = SymbolDfa::Transition;

/// Transition indices grouped by target state.
struct Incoming {
  Incoming(size_t num_states, const std::vector<Transition>& transitions)
      : first(num_states + 1, 0), indices(transitions.size()) {
    for (const Transition& t : transitions) ++first[static_cast<size_t>(t.target) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<uint32_t> next(first.begin(), first.end() - 1);
    for (uint32_t i = 0; i < transitions.size(); ++i) {
      indices[next[static_cast<size_t>(transitions[i].target)]++] = i;
    }
  }

  std::vector<uint32_t> first;
  std::vector<uint32_t> indices;
};

/// Drops the transitions into states that reach no accepting state; returns whether the start
/// reaches one.
bool DropDeadTransitions(const std::vector<uint8_t>& accept, std::vector<Transition>* transitions) {
  const Incoming incoming(accept.size(), *transitions);
  std::vector<uint8_t> live(accept);
  std::vector<size_t> queue;
  for (size_t s = 0; s < accept.size(); ++s) {
    if (live[s]) queue.push_back(s);
  }
  while (!queue.empty()) {
    const size_t s = queue.back();
    queue.pop_back();
    for (size_t k = incoming.first[s]; k < incoming.first[s + 1]; ++k) {
      const auto source = static_cast<size_t>((*transitions)[incoming.indices[k]].source);
      if (live[source]) continue;
      live[source] = 1;
      queue.push_back(source);
    }
  }
  std::erase_if(*transitions,
                [&live](const Transition& t) { return !live[static_cast<size_t>(t.target)]; });
  return live[0] != 0;
}

/// Splits the transitions by symbol: the first cords. Counting sort; symbols are small numbers.
void SplitBySymbol(const std::vector<Transition>& transitions, RefinablePartition* cords) {
  int32_t num_symbols = 0;
  for (const Transition& t : transitions) num_symbols = std::max(num_symbols, t.symbol + 1);
  std::vector<uint32_t> first(static_cast<size_t>(num_symbols) + 1, 0);
  for (const Transition& t : transitions) ++first[static_cast<size_t>(t.symbol) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<uint32_t> order(transitions.size());
  std::vector<uint32_t> next(first.begin(), first.end() - 1);
  for (uint32_t i = 0; i < transitions.size(); ++i) {
    order[next[static_cast<size_t>(transitions[i].symbol)]++] = i;
  }
  for (size_t symbol = 0; symbol + 1 < first.size(); ++symbol) {
    CountWork("minimising an automaton", 1 + (first[symbol + 1] - first[symbol]) / 8);
    for (uint32_t i = first[symbol]; i < first[symbol + 1]; ++i) cords->Mark(order[i]);
    cords->Split();
  }
}

RefinablePartition FindEquivalentStates(const std::vector<uint8_t>& accept,
                                        const std::vector<Transition>& transitions) {
  const Incoming incoming(accept.size(), transitions);
  RefinablePartition blocks(static_cast<uint32_t>(accept.size()));
  for (uint32_t s = 0; s < accept.size(); ++s) {
    if (accept[s]) blocks.Mark(s);
  }
  blocks.Split();
  RefinablePartition cords(static_cast<uint32_t>(transitions.size()));
  SplitBySymbol(transitions, &cords);
  uint32_t block = 1;  // The cords are stable with respect to the union of all blocks, so one block
                       // may be left out.
  for (uint32_t cord = 0; cord < cords.num_sets(); ++cord) {
    for (uint32_t i = cords.first(cord); i < cords.end(cord); ++i) {
      blocks.Mark(static_cast<uint32_t>(transitions[cords.element(i)].source));
    }
    blocks.Split();
    for (; block < blocks.num_sets(); ++block) {
      for (uint32_t i = blocks.first(block); i < blocks.end(block); ++i) {
        const uint32_t state = blocks.element(i);
        for (uint32_t k = incoming.first[state]; k < incoming.first[state + 1]; ++k) {
          cords.Mark(incoming.indices[k]);
        }
      }
      cords.Split();
    }
  }
  return blocks;
}

/// The machine with its symbols as code points.
DfaTable TableOf(const SymbolDfa& dfa) {
  std::vector<size_t> first(dfa.accept.size() + 1, 0);
  for (const Transition& t : dfa.transitions) ++first[static_cast<size_t>(t.source) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<CodePointEdge> edges(dfa.transitions.size());
  std::vector<size_t> next(first.begin(), first.end() - 1);
  for (const Transition& t : dfa.transitions) {
    const auto symbol = static_cast<uint32_t>(t.symbol);
    edges[next[static_cast<size_t>(t.source)]++] = {symbol, symbol, t.target};
  }
  DfaTable table;
  table.Reserve(dfa.accept.size(), edges.size());
  for (size_t s = 0; s < dfa.accept.size(); ++s) {
    const auto begin = edges.begin() + static_cast<ptrdiff_t>(first[s]);
    const auto end = edges.begin() + static_cast<ptrdiff_t>(first[s + 1]);
    std::sort(begin, end, [](const auto& a, const auto& b) { return a.lo < b.lo; });
    for (auto it = begin; it != end; ++it) table.AppendEdge(it->lo, it->hi, it->target);
    table.EndState(dfa.accept[s] != 0);
  }
  return table;
}

SymbolDfa SymbolDfaOf(const FoldedStates& folded) {
  SymbolDfa out;
  if (folded.start < 0) return SymbolDfa{{0}, {}};
  // Only the start must have a certain number, so it changes places with state 0.
  const auto number = [&folded](int32_t state) {
    return state == 0 ? folded.start : (state == folded.start ? 0 : state);
  };
  for (int32_t s = 0; s < folded.table.num_states(); ++s) {
    out.accept.push_back(folded.table.accepts(number(s)) ? 1 : 0);
    for (const CodePointEdge& edge : folded.table.edges(number(s))) {
      for (uint32_t symbol = edge.lo; symbol <= edge.hi; ++symbol)
        out.transitions.push_back({s, static_cast<int32_t>(symbol), number(edge.target)});
    }
  }
  return out;
}

/// Partition refinement.
SymbolDfa RefineSymbolDfa(const SymbolDfa& dfa) {
  std::vector<Transition> transitions = dfa.transitions;
  if (!DropDeadTransitions(dfa.accept, &transitions)) return SymbolDfa{{0}, {}};
  const RefinablePartition blocks = FindEquivalentStates(dfa.accept, transitions);
  // Blocks are numbered with the one of the start first.
  const uint32_t start_block = blocks.set_of(0);
  const auto id_of = [&blocks, start_block](uint32_t state) {
    const uint32_t block = blocks.set_of(state);
    if (block == start_block) return int32_t{0};
    return static_cast<int32_t>(block < start_block ? block + 1 : block);
  };
  SymbolDfa out;
  out.accept.resize(blocks.num_sets());
  for (uint32_t s = 0; s < dfa.accept.size(); ++s) {
    out.accept[static_cast<size_t>(id_of(s))] = dfa.accept[s];
  }
  for (const Transition& t : transitions) {
    // One member speaks for its block.
    const auto source = static_cast<uint32_t>(t.source);
    if (blocks.element(blocks.first(blocks.set_of(source))) != source) continue;
    out.transitions.push_back({id_of(source), t.symbol, id_of(static_cast<uint32_t>(t.target))});
  }
  return out;
}

/// Partition refinement.
CodePointDfa Refine(const DfaTable& table) {
  struct Labelled {
    int32_t source = 0;
    int32_t set = 0;
    int32_t target = 0;
  };
  Alphabet alphabet;
  std::vector<Labelled> labelled;
  std::vector<CodePointRange> ranges;
  std::vector<CodePointEdge> edges;
  SymbolDfa symbols;
  for (int32_t s = 0; s < table.num_states(); ++s) {
    symbols.accept.push_back(table.accepts(s) ? 1 : 0);
    edges.assign(table.edges(s).begin(), table.edges(s).end());
    CountWork("minimising an automaton", 1 + static_cast<int64_t>(edges.size()) / 2);
    std::stable_sort(edges.begin(), edges.end(),
                     [](const auto& a, const auto& b) { return a.target < b.target; });
    for (size_t i = 0; i < edges.size();) {
      const int32_t target = edges[i].target;
      ranges.clear();
      for (; i < edges.size() && edges[i].target == target; ++i) {
        ranges.push_back({edges[i].lo, edges[i].hi});
      }
      labelled.push_back({s, alphabet.AddSet(ranges), target});
    }
  }
  alphabet.Partition();
  for (const Labelled& edge : labelled) {
    for (int32_t symbol : alphabet.SymbolsOf(edge.set)) {
      symbols.transitions.push_back({edge.source, symbol, edge.target});
    }
  }
  return SpellRanges(RefineSymbolDfa(symbols), alphabet);
}

// The edges of one state. Those of most of the alphabet are written in order, so that ranges of
// several symbols become one edge at once and need not be sorted. `target_of`: by symbol, all -1.
void WriteEdges(std::span<const Transition> transitions, const Alphabet& alphabet,
                std::vector<int32_t>* target_of, DfaTable* table) {
  size_t num_ranges = 0;
  for (const Transition& t : transitions) num_ranges += alphabet.RangesOf(t.symbol).size();
  if (num_ranges < alphabet.Segments().size() / 4) {
    for (const Transition& t : transitions) {
      for (const CodePointRange& range : alphabet.RangesOf(t.symbol))
        table->AddEdge(range.lo, range.hi, t.target);
    }
    return;
  }
  for (const Transition& t : transitions) (*target_of)[static_cast<size_t>(t.symbol)] = t.target;
  for (const Alphabet::Segment& segment : alphabet.Segments()) {
    const int32_t target = (*target_of)[static_cast<size_t>(segment.symbol)];
    if (target >= 0) table->AppendEdge(segment.range.lo, segment.range.hi, target);
  }
  for (const Transition& t : transitions) (*target_of)[static_cast<size_t>(t.symbol)] = -1;
}

}  // namespace

CodePointDfa SpellRanges(const SymbolDfa& dfa, const Alphabet& alphabet) {
  // Counting sort by source.
  std::vector<size_t> first(dfa.accept.size() + 1, 0);
  for (const Transition& t : dfa.transitions) ++first[static_cast<size_t>(t.source) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Transition> sorted(dfa.transitions.size());
  std::vector<size_t> next(first.begin(), first.end() - 1);
  for (const Transition& t : dfa.transitions) sorted[next[static_cast<size_t>(t.source)]++] = t;
  DfaTable table;
  std::vector<int32_t> target_of(static_cast<size_t>(alphabet.num_symbols()), -1);
  for (size_t s = 0; s < dfa.accept.size(); ++s) {
    const std::span<const Transition> own(sorted.data() + first[s], first[s + 1] - first[s]);
    CountWork("minimising an automaton", static_cast<int64_t>(own.size()));
    WriteEdges(own, alphabet, &target_of, &table);
    table.EndState(dfa.accept[s] != 0);
  }
  return CodePointDfa(std::move(table));
}

SymbolDfa MinimizeSymbolDfa(const SymbolDfa& dfa) {
  const std::optional<FoldedStates> folded = FoldStates(TableOf(dfa));
  return folded ? SymbolDfaOf(*folded) : RefineSymbolDfa(dfa);
}

CodePointDfa Minimize(const DfaTable& table) {
  std::optional<FoldedStates> folded = FoldStates(table);
  if (folded) return CodePointDfa(std::move(folded->table), folded->start);
  return Refine(table);
}

CodePointDfa Minimize(const CodePointDfa& dfa) { return Minimize(dfa.ToTable()); }

}  // namespace xgrammar
