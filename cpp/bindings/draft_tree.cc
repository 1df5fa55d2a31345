// Masks along a tree of draft tokens, for speculative decoding: checks of the arrays, and the
// temperatures beside the masks.
//
// The walk and the masks are GrammarMatcher's (matcher/draft_tree.cc). Temperatures are found
// afterwards from the rows that it filled: a node was reached if the row of its reached parent
// allows its token.
#include "bindings/draft_tree.h"

#include <algorithm>
#include <string>
#include <vector>

#include "bindings/array_view.h"

namespace xgrammar::bindings {

namespace {

struct Tree {
  std::span<const int64_t> next_token;
  std::span<const int64_t> next_sibling;
  std::span<const int64_t> draft_tokens;
};

void CheckLengths(const Tree& tree, int64_t num_rows) {
  const size_t n = tree.draft_tokens.size();
  if (tree.next_token.size() == n && tree.next_sibling.size() == n &&
      num_rows == static_cast<int64_t>(n)) {
    return;
  }
  throw Error(ErrorKind::kUsage,
              "The draft tree's arrays differ in length: retrieve_next_token " +
                  std::to_string(tree.next_token.size()) + ", retrieve_next_sibling " +
                  std::to_string(tree.next_sibling.size()) + ", draft_tokens " + std::to_string(n) +
                  ", rows of token_bitmask " + std::to_string(num_rows));
}

bool HasBit(const int32_t* row, int64_t token, int64_t vocab_size) {
  if (token < 0 || token >= vocab_size) return false;
  return (static_cast<uint32_t>(row[token / 32]) >> (token % 32) & 1u) != 0;
}

constexpr int64_t kNotReached = -2;

// The parents of the nodes that were reached, -1 of the root: each node whose token the row of its
// reached parent allows. The links have been checked by the walk before: every node has one parent
// at most.
std::vector<int64_t> ReachedParents(const Tree& tree, const int32_t* bitmask, int64_t row_stride,
                                    int64_t vocab_size) {
  std::vector<int64_t> parents(tree.draft_tokens.size(), kNotReached);
  std::vector<int64_t> pending;
  if (!parents.empty()) {
    parents[0] = -1;
    pending.push_back(0);
  }
  while (!pending.empty()) {
    const int64_t parent = pending.back();
    pending.pop_back();
    const int32_t* row = bitmask + parent * row_stride;
    for (int64_t node = tree.next_token[static_cast<size_t>(parent)]; node >= 0;
         node = tree.next_sibling[static_cast<size_t>(node)]) {
      const size_t i = static_cast<size_t>(node);
      if (parents[i] != kNotReached || !HasBit(row, tree.draft_tokens[i], vocab_size)) continue;
      parents[i] = parent;
      pending.push_back(node);
    }
  }
  return parents;
}

/// The temperature at a node: the matcher is at the root, past its token.
std::optional<double> TemperatureAt(const Tree& tree, const std::vector<int64_t>& parents,
                                    size_t node, GrammarMatcher* matcher) {
  std::vector<int64_t> tokens;
  for (auto at = static_cast<int64_t>(node); at > 0; at = parents[static_cast<size_t>(at)]) {
    tokens.push_back(tree.draft_tokens[static_cast<size_t>(at)]);
  }
  std::reverse(tokens.begin(), tokens.end());
  return matcher->TemperatureAfter(tokens);
}

float* TemperatureData(const ArrayView& temperatures, size_t num_nodes) {
  temperatures.RequireType(ElementType::kFloat32);
  if (temperatures.ndim() != 1 || temperatures.shape(0) != static_cast<int64_t>(num_nodes)) {
    throw Error(ErrorKind::kUsage, "temperatures must have one element for each of the " +
                                       std::to_string(num_nodes) + " nodes");
  }
  temperatures.RequireContiguousRows();
  return static_cast<float*>(temperatures.data());
}

}  // namespace

bool TraverseDraftTree(MatcherHandle& self, nb::handle retrieve_next_token,
                       nb::handle retrieve_next_sibling, nb::handle draft_tokens,
                       nb::handle token_bitmask, double time_threshold, nb::handle temperatures,
                       std::optional<double> default_temperature) {
  const MatcherGuard matcher(&self);
  const int64_t vocab_size = matcher->compiled()->tokenizer_info()->vocab_size();
  const ArrayView next_token(retrieve_next_token, "retrieve_next_token", false);
  const ArrayView next_sibling(retrieve_next_sibling, "retrieve_next_sibling", false);
  const ArrayView tokens(draft_tokens, "draft_tokens", false);
  const BitmaskView bitmask(token_bitmask, "token_bitmask", vocab_size);
  const Tree tree{next_token.AsInt64Vector(), next_sibling.AsInt64Vector(), tokens.AsInt64Vector()};
  if (bitmask.is_vector()) {
    throw Error(ErrorKind::kUsage, "token_bitmask must have 2 dimensions, not 1");
  }
  CheckLengths(tree, bitmask.num_rows());
  std::optional<ArrayView> heat;
  float* heat_data = nullptr;
  if (!temperatures.is_none()) {
    heat.emplace(temperatures, "temperatures", true);
    heat_data = TemperatureData(*heat, tree.draft_tokens.size());
  }
  const nb::gil_scoped_release release;
  const bool stopped = matcher->IsTerminated();
  const bool finished =
      matcher->TraverseDraftTree(tree.next_token, tree.next_sibling, tree.draft_tokens,
                                 bitmask.data(), bitmask.row_stride(), time_threshold);
  if (heat_data != nullptr) {
    std::fill_n(heat_data, tree.draft_tokens.size(), -1.0f);
    const bool has_any = default_temperature || matcher->compiled()->has_notes();
    if (has_any && !stopped) {
      const std::vector<int64_t> parents =
          ReachedParents(tree, bitmask.data(), bitmask.row_stride(), vocab_size);
      for (size_t i = 0; i < parents.size(); ++i) {
        if (parents[i] == kNotReached) continue;
        const std::optional<double> asked = TemperatureAt(tree, parents, i, &*matcher);
        heat_data[i] = static_cast<float>(asked.value_or(default_temperature.value_or(-1.0)));
      }
    }
  }
  return finished;
}

}  // namespace xgrammar::bindings
