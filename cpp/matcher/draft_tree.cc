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

}  // namespace

bool GrammarMatcher::TraverseDraftTree(std::span<const int64_t> next_token,
                                       std::span<const int64_t> next_sibling,
                                       std::span<const int64_t> draft_tokens, int32_t* bitmask,
                                       int64_t row_stride, double time_threshold) {
  const size_t n = draft_tokens.size();
  if (next_token.size() != n || next_sibling.size() != n) {
    throw Error(ErrorKind::kUsage, "The draft tree arrays have different lengths");
  }
  std::vector<uint8_t> linked(n, 0);
  CheckLinks(next_token, "retrieve_next_token", &linked);
  CheckLinks(next_sibling, "retrieve_next_sibling", &linked);
  if (n == 0) return true;

  const int32_t vocab_size = compiled_->tokenizer_info()->vocab_size();
  const size_t num_words = (static_cast<size_t>(vocab_size) + 31) / 32;
  const auto row_of = [&](size_t node) {
    return std::span<uint32_t>(
        reinterpret_cast<uint32_t*>(bitmask + static_cast<int64_t>(node) * row_stride), num_words);
  };
  const auto clear = [&](size_t node) {
    const std::span<uint32_t> row = row_of(node);
    std::fill(row.begin(), row.end(), 0u);
  };
  if (IsTerminated()) {
    clear(0);
    return true;
  }

  struct Visit {
    size_t node;
    Step parent;
  };
  const Step before = current_;
  const std::string error_before = limit_error_;
  const auto restore = [&] {
    current_ = before;
    limit_error_ = error_before;
  };
  const auto start = std::chrono::steady_clock::now();
  const auto out_of_time = [&] {
    return time_threshold > 0 &&
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() >
               time_threshold;
  };
  std::vector<Visit> stack;
  const auto push_children = [&](size_t node, const Step& state) {
    if (next_token[node] != -1) stack.push_back({static_cast<size_t>(next_token[node]), state});
  };
  FillRow(row_of(0));
  push_children(0, before);
  while (!stack.empty()) {
    if (out_of_time()) {
      restore();
      return false;
    }
    const Visit visit = stack.back();
    stack.pop_back();
    if (next_sibling[visit.node] != -1) {
      stack.push_back({static_cast<size_t>(next_sibling[visit.node]), visit.parent});
    }
    current_ = visit.parent;
    const int64_t token = draft_tokens[visit.node];
    Step next;
    if (token >= 0 && token < vocab_size) {
      try {
        next = StepBy(static_cast<int32_t>(token));
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::kLimit) throw;
      }
    }
    if (next.set == kDeadSet || next.stopped) {
      clear(visit.node);
      continue;
    }
    current_ = next;
    FillRow(row_of(visit.node));
    push_children(visit.node, current_);
  }
  restore();
  return true;
}

}  // namespace xgrammar
