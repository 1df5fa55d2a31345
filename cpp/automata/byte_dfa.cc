// ByteDfa: subset construction over byte classes (Rabin and Scott 1959), trimming, minimisation.
//
// Classes are computed first, so a row has as many entries as the automaton tells bytes apart.
// Subsets of one state, which is most of them for inputs that were deterministic before, skip the
// hashing. Large automata are trimmed but not minimised. The number of states and the size of the
// table are bounded; past them there is no result.
#include "automata/byte_dfa.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "automata/equivalent_rows.h"
#include "support/work_meter.h"

namespace xgrammar {

int ByteSet::size() const {
  int count = 0;
  for (uint64_t word : words) count += std::popcount(word);
  return count;
}

uint8_t ByteSet::First() const {
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] != 0)
      return static_cast<uint8_t>(i * 64 + static_cast<size_t>(std::countr_zero(words[i])));
  }
  return 0;
}

bool ByteDfa::Accepts(std::string_view bytes) const {
  uint32_t state = 0;
  for (char c : bytes) {
    state = Next(state, static_cast<uint8_t>(c));
    if (state == kDead) return false;
  }
  return IsAccept(state);
}

int64_t ByteDfa::MemorySizeBytes() const {
  return static_cast<int64_t>(sizeof(*this) + table_.size() * sizeof(uint32_t) + flags_.size() +
                              first_bytes_.size() * sizeof(ByteSet));
}

namespace {

// Entries of one table; more would be too much memory for one automaton.
constexpr size_t kMaxTableEntries = size_t{1} << 24;

// Above this, minimisation costs more than the smaller table saves.
constexpr uint32_t kMaxStatesToMinimize = 3000;

struct VectorHash {
  size_t operator()(const std::vector<int32_t>& v) const {
    uint64_t h = 0x9E3779B97F4A7C15ull ^ v.size();
    for (int32_t x : v) h = (h ^ static_cast<uint32_t>(x)) * 0xFF51AFD7ED558CCDull, h ^= h >> 32;
    return static_cast<size_t>(h);
  }
};

/// Complete table under construction: rows of num_classes targets.
struct Table {
  uint32_t num_classes = 1;
  std::array<uint8_t, 256> class_of{};
  std::vector<uint32_t> targets;
  std::vector<uint8_t> accept;
  uint32_t num_states() const { return static_cast<uint32_t>(accept.size()); }
};

void AssignByteClasses(const ByteNfa& nfa, Table* table) {
  std::array<bool, 257> boundary{};
  for (const ByteNfa::State& s : nfa.states()) {
    for (const ByteNfa::Edge& e : s.edges) {
      boundary[e.lo] = true;
      boundary[static_cast<size_t>(e.hi) + 1] = true;
    }
  }
  uint32_t current = 0;
  for (size_t b = 0; b < 256; ++b) {
    if (b > 0 && boundary[b]) ++current;
    table->class_of[b] = static_cast<uint8_t>(current);
  }
  table->num_classes = current + 1;
}

class SubsetConstruction {
 public:
  SubsetConstruction(const ByteNfa& nfa, int32_t accept, uint32_t max_states)
      : nfa_(nfa),
        accept_(accept),
        max_states_(max_states),
        single_(nfa.states().size(), ByteDfa::kDead),
        mark_(nfa.states().size(), 0) {
    AssignByteClasses(nfa, &table_);
  }

  bool Run(int32_t start) {
    std::vector<int32_t> subset{start};
    Close(&subset);
    if (Intern(subset) == ByteDfa::kDead) return false;
    std::vector<std::vector<int32_t>> targets(table_.num_classes);
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
          for (uint32_t c = table_.class_of[e.lo]; c <= table_.class_of[e.hi]; ++c) {
            targets[c].push_back(e.target);
          }
        }
      }
      if (!AddEdges(i, &targets)) return false;
    }
    return true;
  }

  Table Take() { return std::move(table_); }

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
      for (uint32_t c = table_.class_of[e.lo]; c <= table_.class_of[e.hi]; ++c) {
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
      uint32_t* row = table_.targets.data() + size_t{from} * table_.num_classes;
      std::fill(row + table_.class_of[e.lo], row + table_.class_of[e.hi] + 1, target);
    }
    return Added::kAll;
  }

  bool AddEdges(uint32_t from, std::vector<std::vector<int32_t>>* targets) {
    std::vector<int32_t> previous;  // Neighbouring classes often lead to the same states.
    uint32_t previous_target = ByteDfa::kDead;
    for (uint32_t c = 0; c < table_.num_classes; ++c) {
      std::vector<int32_t>& states = (*targets)[c];
      if (states.empty()) continue;
      if (states != previous) {
        previous = states;
        Close(&states);
        previous_target = Intern(states);
        if (previous_target == ByteDfa::kDead) return false;
      }
      table_.targets[size_t{from} * table_.num_classes + c] = previous_target;
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
    if (table_.num_states() >= max_states_ || table_.targets.size() >= kMaxTableEntries) {
      return ByteDfa::kDead;
    }
    known = table_.num_states();
    subset_states_.insert(subset_states_.end(), subset.begin(), subset.end());
    subset_begin_.push_back(subset_states_.size());
    table_.accept.push_back(std::binary_search(subset.begin(), subset.end(), accept_) ? uint8_t{1}
                                                                                      : uint8_t{0});
    table_.targets.resize(table_.targets.size() + table_.num_classes, ByteDfa::kDead);
    return known;
  }

  const ByteNfa& nfa_;
  int32_t accept_;
  uint32_t max_states_;
  Table table_;
  std::unordered_map<std::vector<int32_t>, uint32_t, VectorHash> ids_;
  std::vector<uint32_t> single_;  // By NFA state: the subset of just that state.
  std::vector<int32_t> subset_states_;
  std::vector<size_t> subset_begin_{0};
  std::vector<uint32_t> mark_;
  uint32_t epoch_ = 0;
  std::vector<int32_t> work_;
};

/// Marks states that can reach an accepting one, by walking edges backwards.
std::vector<uint8_t> LiveStates(const Table& table, const RowSources& sources) {
  std::vector<uint8_t> live = table.accept;
  std::vector<uint32_t> work;
  for (uint32_t s = 0; s < table.num_states(); ++s) {
    if (live[s] != 0) work.push_back(s);
  }
  while (!work.empty()) {
    const uint32_t t = work.back();
    work.pop_back();
    for (uint32_t s : sources.of(t)) {
      if (live[s] != 0) continue;
      live[s] = 1;
      work.push_back(s);
    }
  }
  return live;
}

}  // namespace

class ByteDfaBuilder {
 public:
  /// Trims dead states, merges equal blocks and numbers what is left in breadth-first order.
  static ByteDfa Build(Table table) {
    // What is trimmed below leads to no state that stays, so the sources remain true.
    const RowSources sources(table.targets, table.num_classes);
    const std::vector<uint8_t> live = LiveStates(table, sources);
    for (uint32_t& t : table.targets) {
      if (t != ByteDfa::kDead && live[t] == 0) t = ByteDfa::kDead;
    }
    std::vector<uint32_t> block(table.num_states());
    if (table.num_states() <= kMaxStatesToMinimize) {
      block = EquivalentRows(table.targets, table.num_classes, table.accept, sources);
    } else {
      for (uint32_t s = 0; s < table.num_states(); ++s) block[s] = s;
    }
    std::vector<uint32_t> number(table.num_states(), ByteDfa::kDead);  // By block.
    std::vector<uint32_t> order{0};
    number[block[0]] = 0;
    ByteDfa out;
    out.num_classes_ = table.num_classes;
    out.class_of_ = table.class_of;
    for (size_t b = 0; b < 256; ++b) {
      if (b == 0 || table.class_of[b] != table.class_of[b - 1]) {
        out.byte_runs_.push_back(static_cast<uint8_t>(b));
      }
    }
    for (size_t i = 0; i < order.size(); ++i) {
      const uint32_t* row = table.targets.data() + size_t{order[i]} * table.num_classes;
      out.table_.resize((i + 1) * table.num_classes, ByteDfa::kDead);
      uint32_t* out_row = out.table_.data() + i * table.num_classes;
      for (uint32_t c = 0; c < table.num_classes; ++c) {
        const uint32_t t = row[c];
        if (t == ByteDfa::kDead) continue;
        if (c > 0 && t == row[c - 1]) {  // The common case: long runs lead to one state.
          out_row[c] = out_row[c - 1];
          continue;
        }
        if (number[block[t]] == ByteDfa::kDead) {
          number[block[t]] = static_cast<uint32_t>(order.size());
          order.push_back(t);
        }
        out_row[c] = number[block[t]];
      }
    }
    out.num_states_ = static_cast<uint32_t>(order.size());
    FillStateFacts(table, order, &out);
    return out;
  }

 private:
  static void FillStateFacts(const Table& table, const std::vector<uint32_t>& order, ByteDfa* out) {
    out->prefix_free_ = true;
    std::vector<ByteSet> bytes_of(table.num_classes);
    for (size_t b = 0; b < 256; ++b) bytes_of[table.class_of[b]].Add(static_cast<uint8_t>(b));
    for (uint32_t s = 0; s < out->num_states_; ++s) {
      ByteSet first;
      for (uint32_t c = 0; c < table.num_classes; ++c) {
        if (out->table_[size_t{s} * table.num_classes + c] != ByteDfa::kDead) {
          first.Merge(bytes_of[c]);
        }
      }
      uint8_t flags = table.accept[order[s]] != 0 ? ByteDfa::kAcceptFlag : uint8_t{0};
      if (first.empty()) flags |= ByteDfa::kFinalFlag;
      if ((flags & ByteDfa::kAcceptFlag) != 0 && !first.empty()) out->prefix_free_ = false;
      out->flags_.push_back(flags);
      out->first_bytes_.push_back(first);
    }
    if (out->IsAccept(0)) out->prefix_free_ = false;
  }
};

std::optional<ByteDfa> DeterminizeBytes(const ByteNfa& nfa, int32_t start, int32_t accept,
                                        uint32_t max_states) {
  SubsetConstruction subsets(nfa, accept, max_states);
  if (!subsets.Run(start)) return std::nullopt;
  return ByteDfaBuilder::Build(subsets.Take());
}

}  // namespace xgrammar
