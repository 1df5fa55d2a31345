// SpelledRows: one pass over the edges for classes and lead bytes, then rows on demand.
//
// States that go to the same places by characters above U+007F share their lead edges. A state
// after which the second literal may begin has its first byte as one more edge; if the automaton
// could go on with that byte the result would not be deterministic, and there is none.
#include "automata/spelled_rows.h"

#include <algorithm>
#include <utility>

#include "automata/byte_dfa.h"
#include "support/id_table.h"
#include "support/work_meter.h"

namespace xgrammar {

namespace {

constexpr uint32_t kMaxAscii = 0x7F;

using Ranges = std::vector<Utf8Tree::LabelledRange>;

/// The sets of characters above U+007F that states go on with, by target; each once.
class WideSets {
 public:
  /// The set of a state, and whether it is new.
  std::pair<uint32_t, bool> Add(const CodePointDfa::StateView& state) {
    ranges_.clear();
    // Sorted: what is wide comes last.
    for (size_t i = state.edges.size(); i > 0 && state.edges[i - 1].hi > kMaxAscii; --i) {
      const CodePointDfa::Edge& e = state.edges[i - 1];
      ranges_.push_back({std::max(e.lo, kMaxAscii + 1), e.hi, e.target});
    }
    if (last_ < sets_.size() && sets_[last_] == ranges_) return {last_, false};
    uint64_t hash = ranges_.size();
    for (const Utf8Tree::LabelledRange& r : ranges_) {
      const auto label = static_cast<uint32_t>(r.label);
      for (uint64_t value : {uint64_t{r.lo} << 32 | r.hi, uint64_t{label}}) {
        hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
        hash ^= hash >> 29;
      }
    }
    last_ = index_.Find(hash, [&](uint32_t id) { return sets_[id] == ranges_; });
    if (last_ != IdTable::kNotFound) return {last_, false};
    last_ = static_cast<uint32_t>(sets_.size());
    sets_.push_back(ranges_);
    index_.Insert(hash, last_);
    return {last_, true};
  }

  /// The set that was added last, in the order of the characters.
  Ranges InOrder() const { return {ranges_.rbegin(), ranges_.rend()}; }

 private:
  Ranges ranges_;  // Of the state at hand, last one first.
  std::vector<Ranges> sets_;
  IdTable index_;
  uint32_t last_ = 0;
};

bool Reads(const CodePointDfa::StateView& state, uint32_t code_point) {
  for (const CodePointDfa::Edge& e : state.edges) {
    if (code_point <= e.hi) return e.lo <= code_point;  // Sorted.
  }
  return false;
}

}  // namespace

std::unique_ptr<const SpelledRows> SpelledRows::Make(std::string_view prefix,
                                                     CodePointDfaPtr automaton,
                                                     std::string_view suffix) {
  if (automaton->IsEmpty()) return nullptr;
  if (!suffix.empty()) {
    const auto first = static_cast<uint8_t>(suffix[0]);
    if (first > kMaxAscii) return nullptr;
    for (const CodePointDfa::StateView& state : automaton->states()) {
      if (state.accept && Reads(state, first)) return nullptr;
    }
  }
  return std::unique_ptr<const SpelledRows>(new SpelledRows(prefix, std::move(automaton), suffix));
}

SpelledRows::SpelledRows(std::string_view prefix, CodePointDfaPtr automaton,
                         std::string_view suffix)
    : prefix_(prefix),
      automaton_(std::move(automaton)),
      suffix_(suffix),
      first_code_point_state_(static_cast<uint32_t>(prefix.size())),
      first_suffix_state_(first_code_point_state_ +
                          static_cast<uint32_t>(automaton_->states().size())),
      first_node_(first_suffix_state_ + static_cast<uint32_t>(suffix.size())) {
  CollectEdges();
}

void SpelledRows::CollectEdges() {
  ByteBoundaries boundaries;
  for (const std::string* text : {&prefix_, &suffix_}) {
    for (char c : *text) boundaries.Add(static_cast<uint8_t>(c), static_cast<uint8_t>(c));
  }
  WideSets sets;
  lead_edges_of_.reserve(automaton_->states().size());
  for (const CodePointDfa::StateView& state : automaton_->states()) {
    CountWork("spelling an automaton", 1 + static_cast<int64_t>(state.edges.size()) / 8);
    for (const CodePointDfa::Edge& e : state.edges) {
      if (e.lo > kMaxAscii) break;
      boundaries.Add(e.lo, std::min(e.hi, kMaxAscii));
    }
    const auto [set, is_new] = sets.Add(state);
    lead_edges_of_.push_back(set);
    if (!is_new) continue;
    lead_edges_.push_back(tree_.Add(sets.InOrder()));
    for (const Utf8Tree::Edge& e : lead_edges_.back()) boundaries.Add(e.lo, e.hi);
  }
  for (int32_t node = 0; node < tree_.num_nodes(); ++node) {
    for (const Utf8Tree::Edge& e : tree_.edges(node)) boundaries.Add(e.lo, e.hi);
  }
  classes_ = boundaries.Classes();
}

bool SpelledRows::IsAccept(uint32_t state) const {
  if (!suffix_.empty()) return state + 1 == first_node_;
  return state >= first_code_point_state_ && state < first_suffix_state_ &&
         automaton_->states()[state - first_code_point_state_].accept;
}

bool SpelledRows::HasEdges(uint32_t state) const {
  if (!suffix_.empty()) return state + 1 != first_node_;
  return state < first_code_point_state_ || state >= first_suffix_state_ ||
         !automaton_->states()[state - first_code_point_state_].edges.empty();
}

template <typename Visit>
void SpelledRows::ForEachEdge(uint32_t state, Visit visit) const {
  const auto read_one = [&](char c, uint32_t target) {
    visit(static_cast<uint8_t>(c), static_cast<uint8_t>(c), target);
  };
  const auto read_tree = [&](std::span<const Utf8Tree::Edge> edges) {
    for (const Utf8Tree::Edge& e : edges) visit(e.lo, e.hi, StateOf(e.target));
  };
  if (state >= first_node_) {
    read_tree(tree_.edges(static_cast<int32_t>(state - first_node_)));
  } else if (state >= first_suffix_state_) {
    if (state + 1 < first_node_) read_one(suffix_[state + 1 - first_suffix_state_], state + 1);
  } else if (state >= first_code_point_state_) {
    const uint32_t index = state - first_code_point_state_;
    const CodePointDfa::StateView& from = automaton_->states()[index];
    for (const CodePointDfa::Edge& e : from.edges) {
      if (e.lo > kMaxAscii) break;
      visit(static_cast<uint8_t>(e.lo), static_cast<uint8_t>(std::min(e.hi, kMaxAscii)),
            first_code_point_state_ + static_cast<uint32_t>(e.target));
    }
    if (from.accept && !suffix_.empty()) read_one(suffix_[0], first_suffix_state_);
    read_tree(lead_edges_[lead_edges_of_[index]]);
  } else {
    read_one(prefix_[state], state + 1);
  }
}

void SpelledRows::WriteRow(uint32_t state, uint32_t* row, ByteSet* first) const {
  std::fill_n(row, classes_.count, ByteDfa::kDead);
  ForEachEdge(state, [&](uint8_t lo, uint8_t hi, uint32_t target) {
    std::fill(row + classes_.of[lo], row + classes_.of[hi] + 1, target);
    first->AddRange(lo, hi);
  });
}

std::vector<uint8_t> SpelledRows::StateFlags() const {
  std::vector<uint8_t> flags;
  flags.reserve(num_states());
  for (uint32_t s = 0; s < num_states(); ++s) {
    flags.push_back(static_cast<uint8_t>((IsAccept(s) ? kAccept : 0) | (HasEdges(s) ? 0 : kFinal)));
  }
  return flags;
}

int64_t SpelledRows::MaxMemorySizeBytes() const {
  return static_cast<int64_t>(sizeof(*this) + size_t{num_states()} *
                                                  (kWordsOfFirstBytes + classes_.count) *
                                                  sizeof(uint32_t)) +
         static_cast<int64_t>(automaton_->states().size() * sizeof(CodePointDfa::StateView)) +
         automaton_->num_edges() * static_cast<int64_t>(sizeof(CodePointDfa::Edge));
}

}  // namespace xgrammar
