// Subset construction (Rabin and Scott 1959) over the symbols of an Alphabet, with text anchors.
//
// A subset holds the states reachable without crossing a `text_end` edge, since nothing may be read
// after one; such edges only count for acceptance. A `text_start` edge is crossed only in the
// closure of the very first subset, which is therefore kept apart from equal subsets met later.
// For a difference the states of both machines stand in one subset, and those of the second forbid.
// Four reductions keep subsets small: only states that read or end something are kept, a subset
// with a state that accepts every continuation is that state alone, of a family of states only the
// one that accepts most is kept (subsumption: De Wulf, Doyen, Henzinger and Raskin 2006), and the
// result is minimised before ranges are spelled out.
#include <algorithm>
#include <limits>
#include <span>
#include <unordered_map>

#include "automata/symbol_dfa.h"
#include "support/error.h"
#include "support/work_meter.h"

namespace xgrammar {

namespace {

using EdgeKind = CodePointNfa::EdgeKind;

/// Subset members in total, as a multiple of the state budget, before giving up: bounds time and
/// memory for machines with few but large subsets.
constexpr int64_t kMembersPerState = 200;
/// Steps (states visited in closures, symbols on edges) as a multiple of the state budget: about a
/// second at the default limit, for machines whose closures or alphabets are large.
constexpr int64_t kStepsPerState = 1000;

/// Steps that make one unit of CountWork.
constexpr int64_t kStepsPerUnit = 8;

class SubsetConstruction {
 public:
  /// States from `first_forbidden` on accept the texts that are not wanted.
  SubsetConstruction(const CodePointNfa& nfa, int32_t first_forbidden, int64_t max_states)
      : nfa_(nfa),
        first_forbidden_(first_forbidden),
        max_states_(max_states),
        seen_(nfa.states().size(), 0),
        best_ranks_(static_cast<size_t>(nfa.num_families()), kNoRank) {}

  CodePointDfa Run() {
    LabelEdges();
    accepts_at_end_ = FindAcceptingAtEnd(false);
    const std::vector<uint8_t> accepts_if_empty = FindAcceptingAtEnd(true);
    const int32_t start = nfa_.start();
    CloseOver(std::span(&start, 1), true);
    AddSubset(accepts_if_empty);
    for (size_t k = 0; k < out_.accept.size(); ++k) Expand(static_cast<int32_t>(k));
    return SpellRanges(MinimizeSymbolDfa(out_), alphabet_);
  }

 private:
  struct LabelledEdge {
    int32_t set = 0;
    int32_t target = 0;
  };

  /// Gives every class edge the index of its set and finds the states that accept every
  /// continuation.
  void LabelEdges() {
    const size_t n = nfa_.states().size();
    universal_.assign(n, 0);
    const CodePointSet all = CodePointSet::All();
    for (size_t s = 0; s < n; ++s) {
      const CodePointNfa::State& state = nfa_.states()[s];
      first_edge_.push_back(edges_.size());
      for (const CodePointNfa::ClassEdge& edge : state.class_edges) {
        if (edge.set.empty()) continue;
        edges_.push_back({alphabet_.AddSet(edge.set.ranges()), edge.target});
        // Beside states that forbid texts, others are never the only ones that matter.
        const bool decides = !has_forbidden() || IsForbidden(static_cast<int32_t>(s));
        if (decides && state.accept && edge.target == static_cast<int32_t>(s) && edge.set == all) {
          universal_[s] = 1;
        }
      }
    }
    first_edge_.push_back(edges_.size());
    alphabet_.Partition();
    targets_.resize(static_cast<size_t>(alphabet_.num_symbols()));
  }

  /// The states from which acceptance is reached without reading, at the end of the text.
  std::vector<uint8_t> FindAcceptingAtEnd(bool at_start) const {
    const size_t n = nfa_.states().size();
    std::vector<std::vector<int32_t>> sources(n);
    std::vector<uint8_t> accepting(n, 0);
    std::vector<int32_t> queue;
    for (size_t s = 0; s < n; ++s) {
      const CodePointNfa::State& state = nfa_.states()[s];
      for (const CodePointNfa::SilentEdge& edge : state.silent_edges) {
        if (edge.kind == EdgeKind::kTextStart && !at_start) continue;
        sources[static_cast<size_t>(edge.target)].push_back(static_cast<int32_t>(s));
      }
      if (state.accept) {
        accepting[s] = 1;
        queue.push_back(static_cast<int32_t>(s));
      }
    }
    while (!queue.empty()) {
      const auto s = static_cast<size_t>(queue.back());
      queue.pop_back();
      for (int32_t source : sources[s]) {
        if (accepting[static_cast<size_t>(source)]) continue;
        accepting[static_cast<size_t>(source)] = 1;
        queue.push_back(source);
      }
    }
    return accepting;
  }

  void CountSteps(size_t steps) {
    steps_ += static_cast<int64_t>(steps);
    unmetered_ += static_cast<int64_t>(steps) + 1;
    if (unmetered_ > kStepsPerUnit) {
      CountWork("determinising an automaton", unmetered_ / kStepsPerUnit);
      unmetered_ %= kStepsPerUnit;
    }
    if (steps_ / kStepsPerState > max_states_) {
      ThrowLimitError("max_dfa_states", steps_ / kStepsPerState, max_states_,
                      "automaton (by work)");
    }
  }

  /// Sets `subset_` to the sorted members of the closure.
  void CloseOver(std::span<const int32_t> seeds, bool at_start) {
    CountSteps(seeds.size());
    ++generation_;
    stack_.clear();
    subset_.clear();
    const auto visit = [this](int32_t state) {
      if (seen_[static_cast<size_t>(state)] == generation_) return;
      seen_[static_cast<size_t>(state)] = generation_;
      stack_.push_back(state);
    };
    for (int32_t seed : seeds) visit(seed);
    while (!stack_.empty()) {
      const int32_t state = stack_.back();
      const auto index = static_cast<size_t>(state);
      stack_.pop_back();
      if (universal_[index]) {
        subset_.clear();
        if (!IsForbidden(state)) subset_.push_back(state);
        return;
      }
      bool ends_text = nfa_.states()[index].accept;
      CountSteps(nfa_.states()[index].silent_edges.size());
      for (const CodePointNfa::SilentEdge& edge : nfa_.states()[index].silent_edges) {
        if (edge.kind == EdgeKind::kTextEnd) {
          ends_text = true;
        } else if (edge.kind == EdgeKind::kEpsilon || at_start) {
          visit(edge.target);
        }
      }
      if (ends_text || first_edge_[index] < first_edge_[index + 1]) subset_.push_back(state);
    }
    DropWeaker();
    std::sort(subset_.begin(), subset_.end());
    if (!subset_.empty() && IsForbidden(subset_.front())) subset_.clear();
  }

  bool has_forbidden() const { return first_forbidden_ < static_cast<int32_t>(seen_.size()); }
  bool IsForbidden(int32_t state) const { return state >= first_forbidden_; }

  /// Takes the states out of `subset_` whose texts another one of their family accepts, too.
  void DropWeaker() {
    if (best_ranks_.empty() || subset_.size() < 2) return;
    const auto best_of = [this](int32_t family) -> int32_t& {
      return best_ranks_[static_cast<size_t>(family)];
    };
    for (int32_t member : subset_) {
      const CodePointNfa::State& state = StateOf(member);
      if (state.family >= 0) best_of(state.family) = std::min(best_of(state.family), state.rank);
    }
    families_.clear();
    std::erase_if(subset_, [&](int32_t member) {
      const CodePointNfa::State& state = StateOf(member);
      if (state.family < 0) return false;
      families_.push_back(state.family);
      return state.rank > best_of(state.family);
    });
    for (int32_t family : families_) best_of(family) = kNoRank;
  }

  const CodePointNfa::State& StateOf(int32_t id) const {
    return nfa_.states()[static_cast<size_t>(id)];
  }

  /// Makes a state of `subset_`; the caller knows that there is none yet, or that it must be kept
  /// apart.
  int32_t AddSubset(const std::vector<uint8_t>& accepting) {
    const auto id = static_cast<int32_t>(out_.accept.size());
    members_.insert(members_.end(), subset_.begin(), subset_.end());
    first_member_.push_back(members_.size());
    if (id >= max_states_)
      ThrowLimitError("max_dfa_states", int64_t{id} + 1, max_states_, "automaton");
    const int64_t member_states = static_cast<int64_t>(members_.size()) / kMembersPerState;
    if (member_states > max_states_) {
      ThrowLimitError("max_dfa_states", member_states, max_states_, "automaton");
    }
    bool accept = false;
    bool is_forbidden = false;
    for (int32_t state : subset_) {
      if (accepting[static_cast<size_t>(state)] != 0)
        (IsForbidden(state) ? is_forbidden : accept) = true;
    }
    accept = accept && !is_forbidden;
    out_.accept.push_back(accept ? 1 : 0);
    return id;
  }

  std::span<const int32_t> Members(int32_t id) const {
    const auto index = static_cast<size_t>(id);
    return std::span(members_).subspan(first_member_[index],
                                       first_member_[index + 1] - first_member_[index]);
  }

  int32_t FindOrAddSubset() {
    uint64_t hash = subset_.size();
    for (int32_t state : subset_) {
      hash = (hash ^ static_cast<uint64_t>(state)) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    }
    const auto [begin, end] = ids_.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
      if (std::ranges::equal(Members(it->second), subset_)) return it->second;
    }
    const int32_t id = AddSubset(accepts_at_end_);
    ids_.emplace(hash, id);
    return id;
  }

  void Expand(int32_t id) {
    touched_.clear();
    for (int32_t member : Members(id)) {
      const auto index = static_cast<size_t>(member);
      for (size_t e = first_edge_[index]; e < first_edge_[index + 1]; ++e) {
        CountSteps(alphabet_.SymbolsOf(edges_[e].set).size());
        for (int32_t symbol : alphabet_.SymbolsOf(edges_[e].set)) {
          std::vector<int32_t>& targets = targets_[static_cast<size_t>(symbol)];
          if (targets.empty()) touched_.push_back(symbol);
          targets.push_back(edges_[e].target);
        }
      }
    }
    // Symbols of one edge come in a row and often lead to the same states, so the last answer is
    // tried first.
    const std::vector<int32_t>* last = nullptr;
    int32_t last_target = -1;
    for (int32_t symbol : touched_) {
      const std::vector<int32_t>& targets = targets_[static_cast<size_t>(symbol)];
      if (last == nullptr || *last != targets) {
        CloseOver(targets, false);
        last_target = subset_.empty() ? -1 : FindOrAddSubset();
        last = &targets;
      }
      if (last_target >= 0) out_.transitions.push_back({id, symbol, last_target});
    }
    for (int32_t symbol : touched_) targets_[static_cast<size_t>(symbol)].clear();
  }

  static constexpr int32_t kNoRank = std::numeric_limits<int32_t>::max();

  const CodePointNfa& nfa_;
  const int32_t first_forbidden_;
  const int64_t max_states_;

  Alphabet alphabet_;
  std::vector<LabelledEdge> edges_;
  std::vector<size_t> first_edge_;
  std::vector<uint8_t> universal_;
  std::vector<uint8_t> accepts_at_end_;

  SymbolDfa out_;
  std::vector<int32_t> members_;  ///< Subsets of all states, one after the other.
  std::vector<size_t> first_member_ = {0};
  std::unordered_multimap<uint64_t, int32_t> ids_;

  // Scratch space of one step.
  std::vector<int32_t> subset_;
  std::vector<int32_t> stack_;
  std::vector<uint32_t> seen_;
  std::vector<int32_t> best_ranks_;  ///< By family.
  std::vector<int32_t> families_;    ///< Families, to be reset.
  uint32_t generation_ = 0;
  int64_t steps_ = 0;
  int64_t unmetered_ = 0;
  std::vector<std::vector<int32_t>> targets_;
  std::vector<int32_t> touched_;
};

}  // namespace

CodePointDfa Determinize(const CodePointNfa& nfa, int64_t max_states) {
  return SubsetConstruction(nfa, std::numeric_limits<int32_t>::max(), max_states).Run();
}

CodePointDfa DeterminizeDifference(const CodePointNfa& a, const CodePointNfa& b,
                                   int64_t max_states) {
  CodePointNfa both;
  const int32_t start = both.AddState();
  both.AddSilentEdge(start, EdgeKind::kEpsilon, both.Append(a));
  const auto first_forbidden = static_cast<int32_t>(both.states().size());
  both.AddSilentEdge(start, EdgeKind::kEpsilon, both.Append(b));
  return SubsetConstruction(both, first_forbidden, max_states).Run();
}

}  // namespace xgrammar
