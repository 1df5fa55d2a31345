// Utf8Tree: random labelled sets of code points, and what sets of one tree share.
//
// Guards that every code point ends at its label and that no other text ends anywhere; sets without
// labels are left to utf8_class_test.cc.
#include "automata/utf8_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/utf8.h"

namespace xgrammar {
namespace {

using Edge = Utf8Tree::Edge;
using Ranges = std::vector<Utf8Tree::LabelledRange>;

constexpr int32_t kNothing = -1;

/// The label that the text ends at, or kNothing.
int32_t LabelOf(const Utf8Tree& tree, std::span<const Edge> edges, const std::string& bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    const auto found = std::find_if(edges.begin(), edges.end(),
                                    [byte](const Edge& e) { return e.lo <= byte && byte <= e.hi; });
    if (found == edges.end()) return kNothing;
    if (Utf8Tree::IsLabel(found->target)) {
      return i + 1 == bytes.size() ? Utf8Tree::LabelTarget(found->target) : kNothing;
    }
    edges = tree.edges(found->target);
  }
  return kNothing;
}

Ranges RandomRanges(std::mt19937* random, uint32_t num_labels) {
  const uint32_t limit = std::min(kMaxCodePoint, 0x80u << ((*random)() % 4 * 4));
  std::vector<uint32_t> cuts;
  const auto num_cuts = 2 + (*random)() % 30;
  for (uint32_t i = 0; i < num_cuts; ++i) {
    const auto any = static_cast<uint32_t>((*random)() % (limit + 1));
    cuts.push_back((*random)() % 3 == 0 ? any & ~uint32_t{63} : any);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  Ranges ranges;
  for (size_t i = 0; i + 1 < cuts.size(); ++i) {
    if ((*random)() % 4 == 0) continue;
    ranges.push_back({cuts[i], cuts[i + 1] - 1, static_cast<int32_t>((*random)() % num_labels)});
  }
  return ranges;
}

int64_t CountPaths(const Utf8Tree& tree, std::span<const Edge> start) {
  std::vector<int64_t> count;
  const auto count_below = [&](std::span<const Edge> edges) {
    int64_t sum = 0;
    int last = -1;
    for (const Edge& e : edges) {
      EXPECT_LT(last, int{e.lo}) << "sorted and disjoint";
      last = e.hi;
      const bool is_label = Utf8Tree::IsLabel(e.target);
      sum += (e.hi - e.lo + 1) * (is_label ? 1 : count[static_cast<size_t>(e.target)]);
    }
    return sum;
  };
  for (int32_t node = 0; node < tree.num_nodes(); ++node) {
    count.push_back(count_below(tree.edges(node)));
  }
  return count_below(start);
}

TEST(Utf8Tree, EveryCodePointEndsAtItsLabel) {
  std::mt19937 random(5);
  for (int round = 0; round < 12; ++round) {
    Utf8Tree tree;
    for (int set = 0; set < 2; ++set) {
      const Ranges ranges = RandomRanges(&random, 3);
      const std::vector<Edge> edges = tree.Add(ranges);
      size_t range = 0;
      int64_t num_members = 0;
      for (uint32_t c = 0; c <= kMaxCodePoint; ++c) {
        while (range < ranges.size() && ranges[range].hi < c) ++range;
        const bool member = range < ranges.size() && ranges[range].lo <= c;
        num_members += member ? 1 : 0;
        if (c >= kSurrogateFirst && c <= kSurrogateLast) continue;
        std::string bytes;
        AppendUtf8(c, &bytes);
        ASSERT_EQ(LabelOf(tree, edges, bytes), member ? ranges[range].label : kNothing) << c;
      }
      EXPECT_EQ(CountPaths(tree, edges), num_members) << "nothing but the members is spelled";
    }
  }
}

TEST(Utf8Tree, SharesNodesBetweenSets) {
  Utf8Tree tree;
  const Ranges most{{0x80, 0xD7FF, 4}, {0xE000, 0x10FFFF, 4}};
  const std::vector<Edge> first = tree.Add(most);
  const int32_t num_nodes = tree.num_nodes();
  EXPECT_LE(num_nodes, 8);
  EXPECT_EQ(tree.Add(most), first);
  EXPECT_EQ(tree.num_nodes(), num_nodes);
  // One character goes elsewhere: only its own block is new.
  tree.Add(Ranges{{0x80, 0xE8, 4}, {0xE9, 0xE9, 1}, {0xEA, 0xD7FF, 4}, {0xE000, 0x10FFFF, 4}});
  EXPECT_EQ(tree.num_nodes(), num_nodes + 1);
}

}  // namespace
}  // namespace xgrammar
