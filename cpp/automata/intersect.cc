// Product construction (Rabin and Scott 1959) by merging two sorted edge lists, with pairs made on
// demand.
//
// Pairs that cannot accept are only found out when the whole product is trimmed, so the budget
// counts explored pairs, not those that survive.
#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "automata/product.h"
#include "support/error.h"
#include "support/work_meter.h"

namespace xgrammar {

namespace {

using Edge = CodePointDfa::Edge;

class Product {
 public:
  Product(const CodePointDfa& a, const CodePointDfa& b, ProductKind kind, int64_t max_states)
      : a_(a), b_(b), kind_(kind), max_states_(max_states), slots_(64, -1) {}

  CodePointDfa Run() {
    if (FindOrAdd(0, 0) < 0) return CodePointDfa(DfaTable());
    for (size_t k = 0; k < pairs_.size(); ++k) Expand(pairs_[k]);
    return Minimize(table_);
  }

 private:
  struct Pair {
    int32_t a = -1;
    int32_t b = -1;
  };

  static std::span<const Edge> EdgesOf(const CodePointDfa& dfa, int32_t state) {
    if (state < 0) return {};
    return dfa.states()[static_cast<size_t>(state)].edges;
  }
  static bool Accepts(const CodePointDfa& dfa, int32_t state) {
    return state >= 0 && dfa.states()[static_cast<size_t>(state)].accept;
  }

  /// The pair's state, or -1 if it can never accept.
  int32_t FindOrAdd(int32_t a, int32_t b) {
    if (IsHopeless(a, b)) return -1;
    size_t slot = SlotOf({a, b});
    for (; slots_[slot] >= 0; slot = (slot + 1) & (slots_.size() - 1)) {
      const Pair& known = pairs_[static_cast<size_t>(slots_[slot])];
      if (known.a == a && known.b == b) return slots_[slot];
    }
    const auto id = static_cast<int32_t>(pairs_.size());
    if (id >= max_states_)
      ThrowLimitError("max_dfa_states", int64_t{id} + 1, max_states_, "automata product");
    pairs_.push_back({a, b});
    slots_[slot] = id;
    if (2 * pairs_.size() > slots_.size()) GrowSlots();
    return id;
  }

  size_t SlotOf(const Pair& pair) const {
    const uint64_t key =
        (static_cast<uint64_t>(pair.a + 1) << 32) | static_cast<uint64_t>(pair.b + 1);
    return static_cast<size_t>((key * 0x9E3779B97F4A7C15u) >> 32) & (slots_.size() - 1);
  }

  void GrowSlots() {
    slots_.assign(4 * slots_.size(), -1);
    for (size_t i = 0; i < pairs_.size(); ++i) {
      size_t slot = SlotOf(pairs_[i]);
      while (slots_[slot] >= 0) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = static_cast<int32_t>(i);
    }
  }

  bool IsHopeless(int32_t a, int32_t b) const {
    switch (kind_) {
      case ProductKind::kBoth:
        return a < 0 || b < 0;
      case ProductKind::kEither:
        return a < 0 && b < 0;
      case ProductKind::kOnlyFirst:
        return a < 0;
    }
    return false;
  }

  bool Combine(bool in_a, bool in_b) const {
    switch (kind_) {
      case ProductKind::kBoth:
        return in_a && in_b;
      case ProductKind::kEither:
        return in_a || in_b;
      case ProductKind::kOnlyFirst:
        return in_a && !in_b;
    }
    return false;
  }

  // Writes the state of the pair: states come in the order of the pairs.
  void Expand(const Pair pair) {
    const std::span<const Edge> left = EdgesOf(a_, pair.a);
    const std::span<const Edge> right = EdgesOf(b_, pair.b);
    constexpr uint32_t kEnd = std::numeric_limits<uint32_t>::max();
    size_t i = 0;
    size_t j = 0;
    uint32_t lo = 0;  // Everything below is done.
    while (i < left.size() || j < right.size()) {
      const uint32_t left_lo = i < left.size() ? std::max(left[i].lo, lo) : kEnd;
      const uint32_t right_lo = j < right.size() ? std::max(right[j].lo, lo) : kEnd;
      lo = std::min(left_lo, right_lo);
      const bool in_left = left_lo == lo;
      const bool in_right = right_lo == lo;
      // The piece ends where the first edge that holds `lo` ends, or before the next one begins.
      uint32_t hi = kEnd;
      if (in_left) hi = left[i].hi;
      if (in_right) hi = std::min(hi, right[j].hi);
      if (!in_left && left_lo != kEnd) hi = std::min(hi, left_lo - 1);
      if (!in_right && right_lo != kEnd) hi = std::min(hi, right_lo - 1);
      const int32_t target =
          FindOrAdd(in_left ? left[i].target : -1, in_right ? right[j].target : -1);
      if (target >= 0) table_.AppendEdge(lo, hi, target);
      if (in_left && left[i].hi == hi) ++i;
      if (in_right && right[j].hi == hi) ++j;
      lo = hi + 1;
    }
    CountWork("combining automata", 1 + static_cast<int64_t>(left.size() + right.size()) / 4);
    table_.EndState(Combine(Accepts(a_, pair.a), Accepts(b_, pair.b)));
  }

  const CodePointDfa& a_;
  const CodePointDfa& b_;
  const ProductKind kind_;
  const int64_t max_states_;
  std::vector<Pair> pairs_;
  std::vector<int32_t> slots_;  ///< Open addressing: numbers of pairs.
  DfaTable table_;
};

}  // namespace

CodePointDfa MakeProduct(const CodePointDfa& a, const CodePointDfa& b, ProductKind kind,
                         int64_t max_states) {
  return Product(a, b, kind, max_states).Run();
}

CodePointDfa Intersect(const CodePointDfa& a, const CodePointDfa& b, int64_t max_states) {
  return MakeProduct(a, b, ProductKind::kBoth, max_states);
}

}  // namespace xgrammar
