// Folding from the ends: a state is looked at when all states it leads to have been, so that two
// states are equivalent if their edges lead to the same classes (Revuz 1992, for acyclic machines).
//
// Loops need one more rule. A state that leads to a class with a loop may belong to that class: it
// does if its edges are those of the class once edges to the class count as loops. If it belongs to
// no class that it leads to, exactly its own loops lead to equivalent states, so that loops are a
// target like any other. A dead state is one that accepts nothing and leads nowhere but to itself.
#include "automata/fold_states.h"

#include <algorithm>

#include "support/work_meter.h"

namespace xgrammar {

namespace {

constexpr int32_t kUnseen = -1;
constexpr int32_t kOpen = -2;
constexpr int32_t kDead = -3;

class Folder {
 public:
  explicit Folder(const DfaTable& table)
      : table_(table), class_of_(static_cast<size_t>(table.num_states()), kUnseen) {
    out_.Reserve(class_of_.size(), table.num_edges());
    size_t num_slots = 16;
    while (num_slots < 2 * class_of_.size()) num_slots *= 2;
    slots_.assign(num_slots, -1);
  }

  std::optional<FoldedStates> Run() {
    if (!Visit()) return std::nullopt;
    const int32_t start = class_of_[0];
    return FoldedStates{std::move(out_), start == kDead ? -1 : start};
  }

 private:
  struct Place {
    int32_t state = 0;
    size_t next = 0;  ///< First edge not followed yet.
  };

  // Depth first, so that states end after those they lead to; false at a cycle of several states.
  bool Visit() {
    std::vector<Place> path{{0, 0}};
    class_of_[0] = kOpen;
    while (!path.empty()) {
      Place& place = path.back();
      const std::span<const CodePointEdge> edges = table_.edges(place.state);
      int32_t down = -1;
      while (place.next < edges.size()) {
        const int32_t target = edges[place.next++].target;
        if (target == place.state) continue;
        const int32_t known = class_of_[static_cast<size_t>(target)];
        if (known == kOpen) return false;
        if (known != kUnseen) continue;
        down = target;
        break;
      }
      if (down >= 0) {
        class_of_[static_cast<size_t>(down)] = kOpen;
        path.push_back({down, 0});
        continue;
      }
      class_of_[static_cast<size_t>(place.state)] = ClassOf(place.state);
      path.pop_back();
    }
    return true;
  }

  // Writes the state as a new one of `out_`, loops as edges to it, and drops it if it is known.
  int32_t ClassOf(int32_t state) {
    const int32_t self = out_.num_states();
    const std::span<const CodePointEdge> edges = table_.edges(state);
    CountWork("minimising an automaton", 1 + static_cast<int64_t>(edges.size()) / 8);
    bool leads_on = false;
    for (const CodePointEdge& edge : edges) {
      const int32_t target =
          edge.target == state ? self : class_of_[static_cast<size_t>(edge.target)];
      if (target == kDead) continue;
      leads_on |= target != self;
      out_.AppendEdge(edge.lo, edge.hi, target);
    }
    const bool accept = table_.accepts(state);
    if (!accept && !leads_on) {
      out_.DropOpenEdges();
      return kDead;
    }
    int32_t known = FindAmongTargets(self, accept);
    size_t slot = 0;
    if (known < 0) known = FindEqual(self, accept, &slot);
    if (known >= 0) {
      out_.DropOpenEdges();
      return known;
    }
    has_loop_.push_back(std::any_of(out_.open_edges().begin(), out_.open_edges().end(),
                                    [self](const auto& edge) { return edge.target == self; }));
    out_.EndState(accept);
    slots_[slot] = self;
    return self;
  }

  int32_t FindAmongTargets(int32_t self, bool accept) {
    int32_t last = -1;
    for (const CodePointEdge& edge : out_.open_edges()) {
      const int32_t target = edge.target;
      if (target == self || target == last) continue;
      last = target;
      if (has_loop_[static_cast<size_t>(target)] && out_.accepts(target) == accept &&
          IsSameWithLoops(self, target))
        return target;
    }
    return -1;
  }

  // Whether the open state has the edges of the class, if those to the class are loops.
  bool IsSameWithLoops(int32_t self, int32_t candidate) {
    const std::span<const CodePointEdge> wanted =
        static_cast<const DfaTable&>(out_).edges(candidate);
    const std::span<const CodePointEdge> open = out_.open_edges();
    size_t i = 0;
    for (const CodePointEdge& want : wanted) {
      uint32_t next = want.lo;
      for (; i < open.size() && open[i].lo == next && next <= want.hi; ++i) {
        const int32_t target = open[i].target == self ? candidate : open[i].target;
        if (target != want.target) return false;
        next = open[i].hi + 1;
      }
      if (next != want.hi + 1) return false;
    }
    return i == open.size();
  }

  int32_t FindEqual(int32_t self, bool accept, size_t* slot) {
    uint64_t hash = accept ? 1 : 2;
    const auto mix = [&hash](uint64_t value) {
      hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    };
    const std::span<const CodePointEdge> open = out_.open_edges();
    for (const CodePointEdge& edge : open) {
      mix((uint64_t{edge.lo} << 32) | edge.hi);
      mix(static_cast<uint64_t>(edge.target == self ? int64_t{-1} : int64_t{edge.target}));
    }
    *slot = hash & (slots_.size() - 1);
    while (slots_[*slot] >= 0) {
      const int32_t known = slots_[*slot];
      if (out_.accepts(known) == accept && IsSame(self, known)) return known;
      *slot = (*slot + 1) & (slots_.size() - 1);
    }
    return -1;
  }

  bool IsSame(int32_t self, int32_t known) {
    const std::span<const CodePointEdge> other = static_cast<const DfaTable&>(out_).edges(known);
    const std::span<const CodePointEdge> open = out_.open_edges();
    return std::ranges::equal(open, other, [&](const CodePointEdge& a, const CodePointEdge& b) {
      return a.lo == b.lo && a.hi == b.hi &&
             (a.target == self ? b.target == known : a.target == b.target && b.target != known);
    });
  }

  const DfaTable& table_;
  std::vector<int32_t> class_of_;  ///< By state; also kUnseen, kOpen, kDead.
  DfaTable out_;                   ///< One state a class.
  std::vector<bool> has_loop_;     ///< By class.
  std::vector<int32_t> slots_;     ///< Open addressing: classes by their edges.
};

}  // namespace

std::optional<FoldedStates> FoldStates(const DfaTable& table) { return Folder(table).Run(); }

}  // namespace xgrammar
