// DeterminizeBytes: subset construction over byte classes (Rabin and Scott 1959).
//
// Classes are computed first, so a row has as many entries as the automaton tells bytes apart.
// Subsets of one state, which is most of them for inputs that were deterministic before, skip the
// hashing. The number of states and the size of the table are bounded; past them there is no
// result. Trimming and minimising is byte_dfa.cc.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "automata/byte_dfa.h"
#include "automata/byte_table.h"
#include "support/work_meter.h"

namespace xgrammar {

namespace {

struct VectorHash {
  size_t operator()(const std::vector<int32_t>& v) const {
    uint64_t h = 0x9E3779B97F4A7C15ull ^ v.size();
    for (int32_t x : v) h = (h ^ static_cast<uint32_t>(x)) * 0xFF51AFD7ED558CCDull, h ^= h >> 32;
    return static_cast<size_t>(h);
  }
};

ByteClasses ClassesOf(const ByteNfa& nfa) {
  ByteBoundaries boundaries;
  for (const ByteNfa::State& s : nfa.states()) {
    for (const ByteNfa::Edge& e : s.edges) boundaries.Add(e.lo, e.hi);
  }
  return boundaries.Classes();
}

class SubsetConstruction {
 public:
  SubsetConstruction(const ByteNfa& nfa, int32_t accept, uint32_t max_states)
      : nfa_(nfa),
        accept_(accept),
        max_states_(max_states),
        single_(nfa.states().size(), ByteDfa::kDead),
        mark_(nfa.states().size(), 0) {
    table_.classes = ClassesOf(nfa);
  }

  bool Run(int32_t start) {
    std::vector<int32_t> subset{start};
    Close(&subset);
    if (Intern(subset) == ByteDfa::kDead) return false;
    std::vector<std::vector<int32_t>> targets(table_.classes.count);
    for (uint32_t i = 0; i < table_.num_states(); ++i) {
      CountWork("determinising bytes",
                1 + static_cast<int64_t>(subset_begin_[i + 1] - subset_begin_[i]) / 4);
      switch (AddSingleEdges(i)) {
        case Added::kAll:
          continue;
        case Added::kFull:
          return false;
        case Added::kNone:
          break;
      }
      for (size_t s = subset_begin_[i]; s < subset_begin_[i + 1]; ++s) {
        const auto state = static_cast<size_t>(subset_states_[s]);
        for (const ByteNfa::Edge& e : nfa_.states()[state].edges) {
          for (uint32_t c = table_.classes.of[e.lo]; c <= table_.classes.of[e.hi]; ++c) {
            targets[c].push_back(e.target);
          }
        }
      }
      if (!AddEdges(i, &targets)) return false;
    }
    return true;
  }

  ByteTable Take() { return std::move(table_); }

 private:
  enum class Added : uint8_t { kAll, kNone, kFull };

  /// The row of a subset of one state whose edges neither overlap nor lead to epsilons: machines
  /// that were deterministic before consist of those.
  Added AddSingleEdges(uint32_t from) {
    if (subset_begin_[from + 1] - subset_begin_[from] != 1) return Added::kNone;
    const ByteNfa::State& state =
        nfa_.states()[static_cast<size_t>(subset_states_[subset_begin_[from]])];
    std::array<uint64_t, 4> taken{};  // By byte class.
    for (const ByteNfa::Edge& e : state.edges) {
      const ByteNfa::State& target = nfa_.states()[static_cast<size_t>(e.target)];
      if (!target.epsilons.empty() || target.edges.empty()) return Added::kNone;
      for (uint32_t c = table_.classes.of[e.lo]; c <= table_.classes.of[e.hi]; ++c) {
        const uint64_t bit = uint64_t{1} << (c & 63);
        if ((taken[c >> 6] & bit) != 0) return Added::kNone;
        taken[c >> 6] |= bit;
      }
    }
    std::vector<int32_t> only(1);
    for (const ByteNfa::Edge& e : state.edges) {
      only[0] = e.target;
      const uint32_t target = Intern(only);
      if (target == ByteDfa::kDead) return Added::kFull;
      uint32_t* row = table_.targets.data() + size_t{from} * table_.classes.count;
      std::fill(row + table_.classes.of[e.lo], row + table_.classes.of[e.hi] + 1, target);
    }
    return Added::kAll;
  }

  bool AddEdges(uint32_t from, std::vector<std::vector<int32_t>>* targets) {
    std::vector<int32_t> previous;  // Neighbouring classes often lead to the same states.
    uint32_t previous_target = ByteDfa::kDead;
    for (uint32_t c = 0; c < table_.classes.count; ++c) {
      std::vector<int32_t>& states = (*targets)[c];
      if (states.empty()) continue;
      if (states != previous) {
        previous = states;
        Close(&states);
        previous_target = Intern(states);
        if (previous_target == ByteDfa::kDead) return false;
      }
      table_.targets[size_t{from} * table_.classes.count + c] = previous_target;
      states.clear();
    }
    return true;
  }

  /// Replaces the states by their epsilon closure, keeping only states that matter: with byte
  /// edges, or accepting. Sorted.
  void Close(std::vector<int32_t>* subset) {
    if (subset->size() == 1) {
      const ByteNfa::State& only = nfa_.states()[static_cast<size_t>((*subset)[0])];
      if (only.epsilons.empty() && !only.edges.empty()) return;
    }
    ++epoch_;
    work_.clear();
    for (int32_t s : *subset) Visit(s);
    subset->clear();
    while (!work_.empty()) {
      const int32_t s = work_.back();
      work_.pop_back();
      const ByteNfa::State& state = nfa_.states()[static_cast<size_t>(s)];
      if (!state.edges.empty() || s == accept_) subset->push_back(s);
      for (int32_t t : state.epsilons) Visit(t);
    }
    std::sort(subset->begin(), subset->end());
  }

  void Visit(int32_t state) {
    if (mark_[static_cast<size_t>(state)] == epoch_) return;
    mark_[static_cast<size_t>(state)] = epoch_;
    work_.push_back(state);
  }

  uint32_t Intern(const std::vector<int32_t>& subset) {
    // Most subsets of automata that were deterministic before have one state: no hashing for those.
    const bool is_single = subset.size() == 1;
    uint32_t& known = is_single ? single_[static_cast<size_t>(subset[0])]
                                : ids_.try_emplace(subset, ByteDfa::kDead).first->second;
    if (known != ByteDfa::kDead) return known;
    if (table_.num_states() >= max_states_ || table_.targets.size() >= ByteTable::kMaxEntries) {
      return ByteDfa::kDead;
    }
    known = table_.num_states();
    subset_states_.insert(subset_states_.end(), subset.begin(), subset.end());
    subset_begin_.push_back(subset_states_.size());
    table_.accept.push_back(std::binary_search(subset.begin(), subset.end(), accept_) ? uint8_t{1}
                                                                                      : uint8_t{0});
    table_.targets.resize(table_.targets.size() + table_.classes.count, ByteDfa::kDead);
    return known;
  }

  const ByteNfa& nfa_;
  int32_t accept_;
  uint32_t max_states_;
  ByteTable table_;
  std::unordered_map<std::vector<int32_t>, uint32_t, VectorHash> ids_;
  std::vector<uint32_t> single_;  // By NFA state: the subset of just that state.
  std::vector<int32_t> subset_states_;
  std::vector<size_t> subset_begin_{0};
  std::vector<uint32_t> mark_;
  uint32_t epoch_ = 0;
  std::vector<int32_t> work_;
};

}  // namespace

std::optional<ByteDfa> DeterminizeBytes(const ByteNfa& nfa, int32_t start, int32_t accept,
                                        uint32_t max_states) {
  SubsetConstruction subsets(nfa, accept, max_states);
  if (!subsets.Run(start)) return std::nullopt;
  return MakeByteDfa(subsets.Take());
}

}  // namespace xgrammar
