// Text lengths: how many characters may follow a place of an automaton until a text ends.
//
// For an upper bound the least number decides (shortest paths with weights 0 and 1). For a lower
// bound, or both, the question is whether some number from `low` to `low + width` can follow. The
// sets of places that so many characters lead to an end from are made one by one backwards; they
// repeat sooner or later (a unary automaton is a tail and a cycle: Chrobak 1986), which is where
// the table ends. Places and edges are the caller's: states of bytes or of characters, within
// escapes or not.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "automata/code_point_automaton.h"

namespace xgrammar {

/// An automaton of which only the lengths of texts are asked. Places are numbers from 0, the start.
class LengthGraph {
 public:
  explicit LengthGraph(uint32_t num_places) : into_(num_places) {}
  /// With the places that can be reached alone: `leave(place, add)` says whether a text may end at
  /// the place, and calls `add(to, counts)` for each edge.
  template <typename Leave>
  static LengthGraph Reached(uint32_t num_places, Leave leave) {
    LengthGraph graph(num_places);
    std::vector<bool> is_reached(num_places, false);
    std::vector<uint32_t> work{0};
    is_reached[0] = true;
    while (!work.empty()) {
      const uint32_t place = work.back();
      work.pop_back();
      const auto add = [&](uint32_t to, bool counts) {
        graph.AddEdge(place, to, counts);
        if (!is_reached[to]) work.push_back(to);
        is_reached[to] = true;
      };
      if (leave(place, add)) graph.AddEnd(place);
    }
    return graph;
  }
  /// `counts`: the edge begins a character. Several edges between the same places may be given.
  void AddEdge(uint32_t from, uint32_t to, bool counts);
  void AddEnd(uint32_t place) { ends_.push_back(place); }

  uint32_t num_places() const { return static_cast<uint32_t>(into_.size()); }
  static constexpr uint32_t kNever = 0xFFFFFFFF;
  /// By place: the least number of characters until an end, kNever if there is no way to one.
  std::vector<uint32_t> LeastLengths() const;
  /// By place: the largest of `least` (as LeastLengths gives it) that some text leads to from
  /// there, kNever left out. Cost: one pass over the edges.
  std::vector<uint32_t> MostNeeded(const std::vector<uint32_t>& least) const;

 private:
  friend class LengthWindows;
  struct Edge {
    uint32_t from;
    bool counts;
    friend bool operator==(const Edge&, const Edge&) = default;
  };
  std::vector<std::vector<Edge>> into_;
  std::vector<uint32_t> ends_;
};

/// By place and lower bound: whether some text goes on with at least so many characters, and at
/// most `width` more than that.
class LengthWindows {
 public:
  static constexpr int64_t kAnyWidth = -1;

  /// Lower bounds from 0 to `max_low` may be asked. Returns nullopt if the table would take more
  /// than `max_bits` bits, which a lower bound of so many states or coprime loops can do.
  static std::optional<LengthWindows> Make(const LengthGraph& graph, int64_t max_low, int64_t width,
                                           int64_t max_bits);

  bool Fits(uint32_t place, uint64_t low) const {
    const uint64_t row = low < num_rows_ ? low : cycle_ + (low - cycle_) % (num_rows_ - cycle_);
    return Bit(row, place);
  }
  /// From this lower bound on the answers are always the same; kNever if they never settle.
  uint64_t settled_from() const { return settled_from_; }
  static constexpr uint64_t kNever = ~uint64_t{0};
  /// Whether every place with a way to an end fits every lower bound.
  bool AllFit() const { return all_fit_; }
  int64_t MemorySizeBytes() const { return static_cast<int64_t>(bits_.size() * sizeof(uint64_t)); }

 private:
  using Row = std::vector<uint64_t>;

  bool Bit(uint64_t row, uint32_t place) const {
    return (bits_[row * words_ + place / 64] >> (place % 64) & 1) != 0;
  }
  bool AddRows(const LengthGraph& graph, uint64_t last, int64_t max_bits);
  void Widen(const LengthGraph& graph, int64_t width);
  void Summarise(const LengthGraph& graph);

  uint64_t words_ = 0;     ///< Of one row.
  uint64_t num_rows_ = 0;  ///< Rows behind the last one repeat those from `cycle_` on.
  uint64_t cycle_ = 0;
  uint64_t settled_from_ = kNever;
  bool all_fit_ = false;
  std::vector<uint64_t> bits_;
};

/// The lengths of the texts of an automaton; place = state.
LengthGraph LengthsOf(const CodePointDfa& text);
/// The same where an escape (escape_phase.h) counts as one character; place = state *
/// kNumEscapePhases + phase.
LengthGraph EscapedLengthsOf(const CodePointDfa& spelled);

}  // namespace xgrammar
