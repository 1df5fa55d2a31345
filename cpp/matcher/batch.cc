// Batch filling in two passes: first the masks that must be computed, one of a kind and each a task
// of its own; then the copies, in runs of matchers that are large enough to pay for handing out.
//
// Matchers at the same place of a new grammar would otherwise compute the same mask on every
// thread at once, and a run of several long ones would be the last to end. Rows are independent, so
// threads share nothing but what the compiled grammars publish. An error leaves the rows of other
// matchers filled, and the first one is raised with the number of its matcher. Applying the masks
// to logits is another step (bindings/bitmask_kernel.h).
#include "matcher/batch.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "support/error.h"

namespace xgrammar {

namespace {

constexpr int64_t kMatchersPerTask = 8;

/// Asks for the memory of a matcher ahead of its use: another core has moved it since the last
/// call.
void PrefetchMatcher([[maybe_unused]] const GrammarMatcher* matcher) {
#if defined(__GNUC__)
  __builtin_prefetch(matcher);
  __builtin_prefetch(reinterpret_cast<const char*>(matcher) + 64);
#endif
}

/// The rows of one call.
class BatchRows {
 public:
  BatchRows(std::span<GrammarMatcher* const> matchers, int32_t* bitmask, int64_t row_stride,
            std::span<const int64_t> indices)
      : matchers_(matchers), bitmask_(bitmask), row_stride_(row_stride), indices_(indices) {}

  int64_t size() const { return static_cast<int64_t>(matchers_.size()); }
  int64_t row_of(int64_t i) const {
    return indices_.empty() ? i : indices_[static_cast<size_t>(i)];
  }
  void Fill(int64_t i) const {
    if (i + 2 < size()) PrefetchMatcher(matchers_[static_cast<size_t>(i) + 2]);
    GrammarMatcher* matcher = matchers_[static_cast<size_t>(i)];
    const auto num_words =
        (static_cast<size_t>(matcher->compiled()->tokenizer_info()->vocab_size()) + 31) / 32;
    try {
      matcher->FillNextTokenBitmask({bitmask_ + row_of(i) * row_stride_, num_words});
    } catch (const Error& error) {
      throw Error(error.kind(), "Matcher " + std::to_string(i) + ": " + error.message());
    }
  }
  /// The first matcher of each mask that is not known yet.
  std::vector<int64_t> FirstOfMissingMasks() const {
    std::vector<std::pair<const void*, int64_t>> missing;
    for (int64_t i = 0; i < size(); ++i) {
      const void* mask = matchers_[static_cast<size_t>(i)]->MissingMask();
      if (mask != nullptr) missing.emplace_back(mask, i);
    }
    std::sort(missing.begin(), missing.end());
    std::vector<int64_t> firsts;
    for (size_t k = 0; k < missing.size(); ++k) {
      if (k == 0 || missing[k].first != missing[k - 1].first) firsts.push_back(missing[k].second);
    }
    return firsts;
  }

 private:
  const std::span<GrammarMatcher* const> matchers_;
  int32_t* const bitmask_;
  const int64_t row_stride_;
  const std::span<const int64_t> indices_;
};

/// Computes the masks of `firsts` and fills their rows. Returns for each matcher of the batch
/// whether that was done.
std::vector<uint8_t> FillMissing(const BatchRows& rows, const std::vector<int64_t>& firsts,
                                 ThreadPool* pool) {
  std::vector<uint8_t> is_filled(static_cast<size_t>(rows.size()), 0);
  pool->ParallelFor(
      static_cast<int64_t>(firsts.size()),
      [&](int64_t task) {
        const int64_t i = firsts[static_cast<size_t>(task)];
        try {
          rows.Fill(i);
          is_filled[static_cast<size_t>(i)] = 1;
        } catch (...) {
          // Left to the second pass, which knows the first error of the batch.
        }
      },
      ThreadPool::Wake::kAtOnce);
  return is_filled;
}

/// Fills the rows that are not marked in `is_filled`, which is empty for none.
void FillOthers(const BatchRows& rows, const std::vector<uint8_t>& is_filled, ThreadPool* pool) {
  const int64_t num_tasks = (rows.size() + kMatchersPerTask - 1) / kMatchersPerTask;
  pool->ParallelFor(num_tasks, [&](int64_t task) {
    // An error leaves the other rows of the run to be filled; the first one is raised.
    std::exception_ptr first_error;
    const int64_t end = std::min(rows.size(), (task + 1) * kMatchersPerTask);
    for (int64_t i = task * kMatchersPerTask; i < end; ++i) {
      if (!is_filled.empty() && is_filled[static_cast<size_t>(i)] != 0) continue;
      try {
        rows.Fill(i);
      } catch (...) {
        if (first_error == nullptr) first_error = std::current_exception();
      }
    }
    if (first_error != nullptr) std::rethrow_exception(first_error);
  });
}

}  // namespace

void BatchFillNextTokenBitmask(std::span<GrammarMatcher* const> matchers, int32_t* bitmask,
                               int64_t num_rows, int64_t row_stride,
                               std::span<const int64_t> indices, ThreadPool* pool) {
  const auto count = static_cast<int64_t>(matchers.size());
  if (!indices.empty() && static_cast<int64_t>(indices.size()) != count) {
    throw Error(ErrorKind::kUsage, "There are " + std::to_string(count) + " matchers but " +
                                       std::to_string(indices.size()) + " indices");
  }
  const BatchRows rows(matchers, bitmask, row_stride, indices);
  for (int64_t i = 0; i < count; ++i) {
    if (rows.row_of(i) < 0 || rows.row_of(i) >= num_rows) {
      throw Error(ErrorKind::kUsage, "Row " + std::to_string(rows.row_of(i)) + " of matcher " +
                                         std::to_string(i) + " is outside the bitmask of " +
                                         std::to_string(num_rows) + " rows");
    }
  }
  std::vector<uint8_t> is_filled;
  if (pool->num_threads() > 1) {
    const std::vector<int64_t> firsts = rows.FirstOfMissingMasks();
    if (firsts.size() > 1) is_filled = FillMissing(rows, firsts, pool);
  }
  FillOthers(rows, is_filled, pool);
}

}  // namespace xgrammar
