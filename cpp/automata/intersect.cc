// Product construction (Rabin and Scott 1959) by merging two sorted edge lists, with pairs made on
// demand.
//
// Pairs that cannot accept are only found out when the whole product is trimmed, so the budget
// counts explored pairs, not those that survive.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "automata/product.h"
#include "support/error.h"
#include "support/work_meter.h"

namespace xgrammar {

namespace {

using Edge = CodePointDfa::Edge;

class Product {
 public:
  Product(const CodePointDfa& a, const CodePointDfa& b, ProductKind kind, int64_t max_states)
      : a_(a), b_(b), kind_(kind), max_states_(max_states) {}

  CodePointDfa Run() {
    FindOrAdd(0, 0);
    for (size_t k = 0; k < pairs_.size(); ++k) Expand(k);
    return Minimize(CodePointDfa(std::move(states_)));
  }

 private:
  struct Pair {
    int32_t a = -1;
    int32_t b = -1;
  };

  const std::vector<Edge>& EdgesOf(const CodePointDfa& dfa, int32_t state) const {
    return state < 0 ? no_edges_ : dfa.states()[static_cast<size_t>(state)].edges;
  }
  static bool Accepts(const CodePointDfa& dfa, int32_t state) {
    return state >= 0 && dfa.states()[static_cast<size_t>(state)].accept;
  }

  /// The pair's state, or -1 if it can never accept.
  int32_t FindOrAdd(int32_t a, int32_t b) {
    if (IsHopeless(a, b)) return -1;
    const uint64_t key = (static_cast<uint64_t>(a + 1) << 32) | static_cast<uint64_t>(b + 1);
    const auto [it, inserted] = ids_.try_emplace(key, static_cast<int32_t>(pairs_.size()));
    if (!inserted) return it->second;
    const auto count = static_cast<int64_t>(pairs_.size()) + 1;
    if (count > max_states_)
      ThrowLimitError("max_dfa_states", count, max_states_, "automata product");
    pairs_.push_back({a, b});
    states_.emplace_back().accept = Combine(Accepts(a_, a), Accepts(b_, b));
    return it->second;
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

  void Expand(size_t id) {
    const std::vector<Edge>& left = EdgesOf(a_, pairs_[id].a);
    const std::vector<Edge>& right = EdgesOf(b_, pairs_[id].b);
    constexpr uint32_t kEnd = std::numeric_limits<uint32_t>::max();
    size_t i = 0;
    size_t j = 0;
    uint32_t lo = 0;  // Everything below is done.
    std::vector<Edge> edges;
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
      if (target >= 0) edges.push_back({lo, hi, target});
      if (in_left && left[i].hi == hi) ++i;
      if (in_right && right[j].hi == hi) ++j;
      lo = hi + 1;
    }
    CountWork("combining automata", 1 + static_cast<int64_t>(edges.size()) / 2);
    states_[id].edges = std::move(edges);
  }

  const CodePointDfa& a_;
  const CodePointDfa& b_;
  const ProductKind kind_;
  const int64_t max_states_;
  const std::vector<Edge> no_edges_;
  std::vector<Pair> pairs_;
  std::vector<CodePointDfa::State> states_;
  std::unordered_map<uint64_t, int32_t> ids_;
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
