// Text lengths: breadth-first search with weights 0 and 1 (a deque; Dial 1969 in its simplest
// form), and the rows of LengthWindows.
//
// A row is the set of places from which exactly so many characters lead to an end. A row that was
// there before closes the cycle. Then each bit is widened from "exactly" to the window by one walk
// from the last row to the first. Nothing is known about the characters themselves.
#include "automata/text_lengths.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "automata/escape_phase.h"
#include "support/work_meter.h"

namespace xgrammar {

void LengthGraph::AddEdge(uint32_t from, uint32_t to, bool counts) {
  // Bytes and characters that lead the same way come one after the other.
  std::vector<Edge>& edges = into_[to];
  const Edge edge{from, counts};
  if (edges.empty() || !(edges.back() == edge)) edges.push_back(edge);
}

std::vector<uint32_t> LengthGraph::LeastLengths() const {
  std::vector<uint32_t> least(into_.size(), kNever);
  std::deque<uint32_t> ready;
  for (const uint32_t place : ends_) {
    least[place] = 0;
    ready.push_back(place);
  }
  while (!ready.empty()) {
    const uint32_t place = ready.front();
    ready.pop_front();
    for (const Edge& edge : into_[place]) {
      const uint32_t length = least[place] + (edge.counts ? 1 : 0);
      if (length >= least[edge.from]) continue;
      least[edge.from] = length;
      if (edge.counts) {
        ready.push_back(edge.from);
      } else {
        ready.push_front(edge.from);
      }
    }
  }
  return least;
}

std::vector<uint32_t> LengthGraph::MostNeeded(const std::vector<uint32_t>& least) const {
  std::vector<uint32_t> places;
  for (uint32_t place = 0; place < num_places(); ++place) {
    if (least[place] != kNever) places.push_back(place);
  }
  std::stable_sort(places.begin(), places.end(),
                   [&](uint32_t a, uint32_t b) { return least[a] > least[b]; });
  // Backwards from the largest on, so that what is met first is the largest.
  std::vector<uint32_t> most(num_places(), kNever);
  std::vector<uint32_t> work;
  for (const uint32_t largest : places) {
    if (most[largest] != kNever) continue;
    most[largest] = least[largest];
    work.assign(1, largest);
    while (!work.empty()) {
      const uint32_t place = work.back();
      work.pop_back();
      for (const Edge& edge : into_[place]) {
        if (most[edge.from] != kNever) continue;
        most[edge.from] = least[largest];
        work.push_back(edge.from);
      }
    }
  }
  return most;
}

std::optional<LengthWindows> LengthWindows::Make(const LengthGraph& graph, int64_t max_low,
                                                 int64_t width, int64_t max_bits) {
  LengthWindows windows;
  windows.words_ = (uint64_t{graph.num_places()} + 63) / 64;
  // Longer texts than this do not matter.
  const uint64_t last =
      width == kAnyWidth ? kNever : static_cast<uint64_t>(max_low) + static_cast<uint64_t>(width);
  if (!windows.AddRows(graph, last, max_bits)) return std::nullopt;
  windows.Widen(graph, width);
  windows.Summarise(graph);
  return windows;
}

// The rows "exactly so many characters" up to `last`, or until they repeat. False past the budget.
bool LengthWindows::AddRows(const LengthGraph& graph, uint64_t last, int64_t max_bits) {
  std::map<Row, uint64_t> known;
  std::vector<uint32_t> places = graph.ends_;
  for (uint64_t length = 0;; ++length) {
    Row row(words_, 0);
    const auto add = [&](uint32_t place) {
      const bool is_new = (row[place / 64] >> (place % 64) & 1) == 0;
      row[place / 64] |= uint64_t{1} << (place % 64);
      return is_new;
    };
    std::erase_if(places, [&](uint32_t place) { return !add(place); });
    for (size_t i = 0; i < places.size(); ++i) {
      CountWork("counting characters");
      for (const LengthGraph::Edge& edge : graph.into_[places[i]]) {
        if (!edge.counts && add(edge.from)) places.push_back(edge.from);
      }
    }
    const auto [place, is_new] = known.try_emplace(row, length);
    if (!is_new) {
      cycle_ = place->second;
      return true;
    }
    bits_.insert(bits_.end(), row.begin(), row.end());
    num_rows_ = length + 1;
    if (static_cast<int64_t>(bits_.size() * 64) > max_bits) return false;
    if (length == last) {
      cycle_ = length;  // Never asked.
      return true;
    }
    std::vector<uint32_t> before;
    for (const uint32_t target : places) {
      for (const LengthGraph::Edge& edge : graph.into_[target]) {
        if (edge.counts) before.push_back(edge.from);
      }
    }
    places = std::move(before);
  }
}

void LengthWindows::Widen(const LengthGraph& graph, int64_t width) {
  // How many characters more than the row says each place needs, walking to shorter lengths; the
  // first walk through the cycle finds out where the second one begins.
  std::vector<uint64_t> more(graph.num_places(), kNever);
  for (int walk = 0; walk < 2; ++walk) {
    for (uint64_t row = num_rows_; row-- > (walk == 0 ? cycle_ : 0);) {
      CountWork("counting characters");
      for (uint32_t place = 0; place < graph.num_places(); ++place) {
        uint64_t& needs = more[place];
        if (Bit(row, place)) {
          needs = 0;
        } else if (needs != kNever) {
          ++needs;
        }
        if (walk == 0 || needs == 0 || needs == kNever) continue;
        if (width == kAnyWidth || needs <= static_cast<uint64_t>(width))
          bits_[row * words_ + place / 64] |= uint64_t{1} << (place % 64);
      }
    }
  }
}

void LengthWindows::Summarise(const LengthGraph& graph) {
  const auto row = [this](uint64_t i) {
    return bits_.begin() + static_cast<ptrdiff_t>(i * words_);
  };
  const auto is_last = [&](uint64_t i) {
    return std::equal(row(i), row(i + 1), row(num_rows_ - 1));
  };
  uint64_t first = num_rows_ - 1;
  while (first > 0 && is_last(first - 1)) --first;
  if (first <= cycle_) settled_from_ = first;
  const std::vector<uint32_t> least = graph.LeastLengths();
  all_fit_ = first == 0;
  for (uint32_t place = 0; place < graph.num_places() && all_fit_; ++place)
    all_fit_ = least[place] == LengthGraph::kNever || Bit(0, place);
}

LengthGraph LengthsOf(const CodePointDfa& text) {
  const auto num_states = static_cast<uint32_t>(text.states().size());
  LengthGraph graph(num_states);
  for (uint32_t state = 0; state < num_states; ++state) {
    const CodePointDfa::StateView& view = text.states()[state];
    if (view.accept) graph.AddEnd(state);
    for (const auto& edge : view.edges)
      graph.AddEdge(state, static_cast<uint32_t>(edge.target), true);
  }
  return graph;
}

LengthGraph EscapedLengthsOf(const CodePointDfa& spelled) {
  const auto num_places = static_cast<uint32_t>(spelled.states().size()) * kNumEscapePhases;
  return LengthGraph::Reached(num_places, [&](uint32_t place, const auto& add) {
    const uint32_t phase = place % kNumEscapePhases;
    const CodePointDfa::StateView& state = spelled.states()[place / kNumEscapePhases];
    const auto add_edge = [&](int32_t target, uint32_t character) {
      add(static_cast<uint32_t>(target) * kNumEscapePhases + EscapePhaseAfter(phase, character),
          phase == 0);
    };
    for (const auto& edge : state.edges) {
      // The characters that escapes tell apart, and any other one.
      int64_t num_special = 0;
      for (const uint32_t special : {uint32_t{'\\'}, uint32_t{'u'}, uint32_t{'x'}}) {
        if (special < edge.lo || special > edge.hi) continue;
        ++num_special;
        add_edge(edge.target, special);
      }
      if (int64_t{edge.hi} - edge.lo + 1 > num_special) add_edge(edge.target, 'n');
    }
    return state.accept;
  });
}

}  // namespace xgrammar
