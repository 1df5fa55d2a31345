// Draft trees: the masks along a tree of speculative tokens, given as first-child and next-sibling
// links.
//
// The walk is depth first with an explicit stack of matcher states; states are set ids, so nothing
// is copied and the matcher is untouched at the end. The whole tree is checked before anything is
// written.
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "matcher/grammar_matcher.h"
#include "support/error.h"

namespace xgrammar {

/// The links and tokens of the nodes, and the rows that get their masks.
struct DraftTree {
  std::span<const int64_t> next_token;    ///< First children; -1 for none.
  std::span<const int64_t> next_sibling;  ///< -1 for none.
  std::span<const int64_t> tokens;
  int32_t* bitmask;
  int64_t row_stride;
  size_t num_words;

  std::span<uint32_t> Row(size_t node) const {
    int32_t* row = bitmask + static_cast<int64_t>(node) * row_stride;
    return {reinterpret_cast<uint32_t*>(row), num_words};
  }
  void ClearRow(size_t node) const { std::ranges::fill(Row(node), 0u); }
};

namespace {

void CheckLinks(std::span<const int64_t> links, const char* name, std::vector<uint8_t>* linked) {
  const auto n = static_cast<int64_t>(links.size());
  for (size_t i = 0; i < links.size(); ++i) {
    const int64_t target = links[i];
    const auto describe = [&](const char* what) {
      return std::string(name) + "[" + std::to_string(i) + "] is " + std::to_string(target) + ": " +
             what;
    };
    if (target == -1) continue;
    if (target < -1 || target >= n)
      throw Error(ErrorKind::kUsage, describe("not a node of the draft tree"));
    if (target == 0) throw Error(ErrorKind::kUsage, describe("no link may lead to the root"));
    if ((*linked)[static_cast<size_t>(target)]++ != 0) {
      throw Error(ErrorKind::kUsage, describe("two links lead to this node"));
    }
  }
}

/// With at most one link to a node and none to the root, whatever the root reaches is a tree.
void CheckTree(const DraftTree& tree) {
  const size_t n = tree.tokens.size();
  if (tree.next_token.size() != n || tree.next_sibling.size() != n) {
    throw Error(ErrorKind::kUsage, "The draft tree arrays have different lengths");
  }
  std::vector<uint8_t> linked(n, 0);
  CheckLinks(tree.next_token, "retrieve_next_token", &linked);
  CheckLinks(tree.next_sibling, "retrieve_next_sibling", &linked);
}

/// A time that begins now; none if `seconds` is not positive.
class Deadline {
 public:
  explicit Deadline(double seconds) : seconds_(seconds) {}

  bool IsOver() const {
    return seconds_ > 0 && std::chrono::duration<double>(Clock::now() - start_).count() > seconds_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const double seconds_;
  const Clock::time_point start_ = Clock::now();
};

}  // namespace

bool GrammarMatcher::TraverseDraftTree(std::span<const int64_t> next_token,
                                       std::span<const int64_t> next_sibling,
                                       std::span<const int64_t> draft_tokens, int32_t* bitmask,
                                       int64_t row_stride, double time_threshold) {
  const auto vocab_size = static_cast<size_t>(compiled_->tokenizer_info()->vocab_size());
  const DraftTree tree{next_token, next_sibling, draft_tokens,
                       bitmask,    row_stride,   (vocab_size + 31) / 32};
  CheckTree(tree);
  if (draft_tokens.empty()) return true;
  if (IsTerminated()) {
    tree.ClearRow(0);
    return true;
  }
  MoveIfFull();
  const Step before = current_;
  const std::string error_before = limit_error_;
  const bool in_time = WalkDraftTree(tree, time_threshold);
  current_ = before;
  limit_error_ = error_before;
  return in_time;
}

bool GrammarMatcher::WalkDraftTree(const DraftTree& tree, double time_threshold) {
  struct Visit {
    size_t node;
    Step parent;
  };
  const Deadline deadline(time_threshold);
  const int64_t vocab_size = compiled_->tokenizer_info()->vocab_size();
  std::vector<Visit> stack;
  const auto fill_and_descend = [&](size_t node) {
    FillRow(tree.Row(node));
    const int64_t child = tree.next_token[node];
    if (child != -1) stack.push_back({static_cast<size_t>(child), current_});
  };
  fill_and_descend(0);
  while (!stack.empty()) {
    if (deadline.IsOver()) return false;
    const Visit visit = stack.back();
    stack.pop_back();
    const int64_t sibling = tree.next_sibling[visit.node];
    if (sibling != -1) stack.push_back({static_cast<size_t>(sibling), visit.parent});
    current_ = visit.parent;
    const int64_t token = tree.tokens[visit.node];
    Step next;
    try {
      if (token >= 0 && token < vocab_size) next = StepBy(static_cast<int32_t>(token));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kLimit) throw;  // A node past a limit is one that is refused.
    }
    if (next.set == kDeadSet || next.stopped) {
      tree.ClearRow(visit.node);
      continue;
    }
    current_ = next;
    fill_and_descend(visit.node);
  }
  return true;
}

}  // namespace xgrammar
