// Batch filling: a task is a run of matchers, large enough to pay for handing it to a thread.
//
// Rows are independent, so threads share nothing but what the compiled grammars publish. An error
// leaves the rows of other matchers filled, and the first one is raised with the number of its
// matcher. Applying the masks to logits is another step (bindings/bitmask_kernel.h).
#include "matcher/batch.h"

#include <algorithm>
#include <exception>
#include <string>

#include "support/error.h"

namespace xgrammar {

namespace {
constexpr int64_t kMatchersPerTask = 8;
}  // namespace

void BatchFillNextTokenBitmask(std::span<GrammarMatcher* const> matchers, int32_t* bitmask,
                               int64_t num_rows, int64_t row_stride,
                               std::span<const int64_t> indices, ThreadPool* pool) {
  const auto count = static_cast<int64_t>(matchers.size());
  if (!indices.empty() && static_cast<int64_t>(indices.size()) != count) {
    throw Error(ErrorKind::kUsage, "There are " + std::to_string(count) + " matchers but " +
                                       std::to_string(indices.size()) + " indices");
  }
  const auto row_of = [&](int64_t i) {
    return indices.empty() ? i : indices[static_cast<size_t>(i)];
  };
  for (int64_t i = 0; i < count; ++i) {
    if (row_of(i) < 0 || row_of(i) >= num_rows) {
      throw Error(ErrorKind::kUsage, "Row " + std::to_string(row_of(i)) + " of matcher " +
                                         std::to_string(i) + " is outside the bitmask of " +
                                         std::to_string(num_rows) + " rows");
    }
  }
  const auto fill = [&](int64_t i) {
    GrammarMatcher* matcher = matchers[static_cast<size_t>(i)];
    const auto num_words =
        (static_cast<size_t>(matcher->compiled()->tokenizer_info()->vocab_size()) + 31) / 32;
    try {
      matcher->FillNextTokenBitmask({bitmask + row_of(i) * row_stride, num_words});
    } catch (const Error& error) {
      throw Error(error.kind(), "Matcher " + std::to_string(i) + ": " + error.message());
    }
  };
  const int64_t num_tasks = (count + kMatchersPerTask - 1) / kMatchersPerTask;
  pool->ParallelFor(num_tasks, [&](int64_t task) {
    // An error leaves the other rows of the run to be filled; the first one is raised.
    std::exception_ptr first_error;
    const int64_t end = std::min(count, (task + 1) * kMatchersPerTask);
    for (int64_t i = task * kMatchersPerTask; i < end; ++i) {
      try {
        fill(i);
      } catch (...) {
        if (first_error == nullptr) first_error = std::current_exception();
      }
    }
    if (first_error != nullptr) std::rethrow_exception(first_error);
  });
}

}  // namespace xgrammar
