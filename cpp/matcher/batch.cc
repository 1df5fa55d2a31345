// Batches: runs of matchers that are large enough to pay for handing out, each run a task.
//
// Filling takes up to three passes: all rows that are copies; then the masks that must be computed,
// one of a kind and each a task of its own; then the rows that share them. Matchers at the same
// place of a new grammar would otherwise compute the same mask on every thread at once, and a run
// of several long ones would be the last to end. Rows are independent, so threads share nothing but
// what the compiled grammars publish. An error leaves the rows of other matchers filled, and the
// first one by position is raised with the number of its matcher, whatever the timing. Applying
// the masks to logits is another step (bindings/bitmask_kernel.h).
#include "matcher/batch.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "support/error.h"
#include "support/prefetch.h"

namespace xgrammar {

namespace {

/// The same for all calls, so that a thread gets the matchers that it had in the last one.
constexpr int64_t kMatchersPerTask = 8;
/// What a thread must do in a call to be worth calling: a known mask is copied in 0.2 us, a token
/// accepted in 30 ns, a byte of a string in 2.
constexpr int64_t kMinRowsOfThread = 16;
constexpr int64_t kMinTokensOfThread = 64;
constexpr int64_t kMinBytesOfThread = 1024;

/// Asks for the memory of the matcher that comes soon: it has left the core's cache since the last
/// call.
void PrefetchAfter(std::span<GrammarMatcher* const> matchers, int64_t i) {
  const auto ahead = static_cast<size_t>(i) + 2;
  if (ahead >= matchers.size()) return;
  Prefetch(matchers[ahead]);
  Prefetch(reinterpret_cast<const char*>(matchers[ahead]) + 64);
}

/// The error with the smallest number among those of all threads.
class FirstError {
 public:
  /// Keeps the exception that is being handled.
  void KeepCurrent(int64_t number) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (error_ != nullptr && number_ < number) return;
    number_ = number;
    error_ = std::current_exception();
  }
  void RaiseIfAny() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  int64_t number_ = 0;
  std::exception_ptr error_;
};

/// Calls `step(i)` for each of [begin, end); an error leaves the others done.
template <typename Step>
void ForEach(int64_t begin, int64_t end, FirstError* errors, const Step& step) {
  for (int64_t i = begin; i < end; ++i) {
    try {
      step(i);
    } catch (...) {
      errors->KeepCurrent(i);
    }
  }
}

/// Calls `step(i)` for each of [0, count) in runs of neighbours on as many threads as the work is
/// worth. A null `pool` is the calling thread alone.
template <typename Step>
void ForEachInRuns(int64_t count, ThreadPool* pool, int64_t max_threads, FirstError* errors,
                   const Step& step) {
  if (pool == nullptr || pool->num_threads() == 1 || max_threads <= 1) {
    return ForEach(0, count, errors, step);
  }
  pool->ParallelFor((count + kMatchersPerTask - 1) / kMatchersPerTask,
                    [&](int64_t run) {
                      const int64_t end = std::min(count, (run + 1) * kMatchersPerTask);
                      ForEach(run * kMatchersPerTask, end, errors, step);
                    },
                    ThreadPool::Wake::kIfWorthIt, max_threads);
}

/// The rows of one call.
class BatchRows {
 public:
  BatchRows(std::span<GrammarMatcher* const> matchers, int32_t* bitmask, int64_t num_rows,
            int64_t row_stride, std::span<const int64_t> indices)
      : matchers_(matchers), bitmask_(bitmask), row_stride_(row_stride), indices_(indices) {
    if (!indices.empty() && static_cast<int64_t>(indices.size()) != size()) {
      throw Error(ErrorKind::kUsage, "There are " + std::to_string(size()) + " matchers but " +
                                         std::to_string(indices.size()) + " indices");
    }
    for (int64_t i = indices.empty() ? std::min(num_rows, size()) : 0; i < size(); ++i) {
      if (row_of(i) >= 0 && row_of(i) < num_rows) continue;
      throw Error(ErrorKind::kUsage, "Row " + std::to_string(row_of(i)) + " of matcher " +
                                         std::to_string(i) + " is outside the bitmask of " +
                                         std::to_string(num_rows) + " rows");
    }
  }

  int64_t size() const { return static_cast<int64_t>(matchers_.size()); }
  const void* MissingMask(int64_t i) const {
    return matchers_[static_cast<size_t>(i)]->MissingMask();
  }
  void Fill(int64_t i) const {
    GrammarMatcher* matcher = matchers_[static_cast<size_t>(i)];
    const auto num_words =
        (static_cast<size_t>(matcher->compiled()->tokenizer_info()->vocab_size()) + 31) / 32;
    try {
      matcher->FillNextTokenBitmask({bitmask_ + row_of(i) * row_stride_, num_words});
    } catch (const Error& error) {
      throw Error(error.kind(), "Matcher " + std::to_string(i) + ": " + error.message());
    }
  }

 private:
  int64_t row_of(int64_t i) const {
    return indices_.empty() ? i : indices_[static_cast<size_t>(i)];
  }

  const std::span<GrammarMatcher* const> matchers_;
  int32_t* const bitmask_;
  const int64_t row_stride_;
  const std::span<const int64_t> indices_;
};

/// A row whose mask is not known yet.
struct MissingRow {
  const void* mask = nullptr;
  int64_t number = 0;
  friend auto operator<=>(const MissingRow&, const MissingRow&) = default;
};

/// Computes each mask once, then copies it to the other rows that have it.
void FillMissing(const BatchRows& rows, std::vector<MissingRow> missing, ThreadPool* pool,
                 FirstError* errors) {
  std::sort(missing.begin(), missing.end());
  std::vector<int64_t> firsts;
  std::vector<int64_t> others;
  for (size_t k = 0; k < missing.size(); ++k) {
    const bool is_first = k == 0 || missing[k].mask != missing[k - 1].mask;
    (is_first ? firsts : others).push_back(missing[k].number);
  }
  const auto fill = [&](int64_t number) {
    try {
      rows.Fill(number);
    } catch (...) {
      errors->KeepCurrent(number);
    }
  };
  pool->ParallelFor(
      static_cast<int64_t>(firsts.size()), [&](int64_t k) { fill(firsts[static_cast<size_t>(k)]); },
      ThreadPool::Wake::kAtOnce);
  const auto num_others = static_cast<int64_t>(others.size());
  ForEachInRuns(num_others, pool, num_others / kMinRowsOfThread, errors,
                [&](int64_t k) { fill(others[static_cast<size_t>(k)]); });
}

}  // namespace

void BatchFillNextTokenBitmask(std::span<GrammarMatcher* const> matchers, int32_t* bitmask,
                               int64_t num_rows, int64_t row_stride,
                               std::span<const int64_t> indices, ThreadPool* pool) {
  const BatchRows rows(matchers, bitmask, num_rows, row_stride, indices);
  FirstError errors;
  std::mutex mutex;
  std::vector<MissingRow> missing;  // Guarded by mutex.
  const bool shares_work = pool->num_threads() > 1;
  // Below two threads' worth of copies there may still be masks to compute, which are told apart.
  const int64_t max_threads = std::max<int64_t>(2, rows.size() / kMinRowsOfThread);
  ForEachInRuns(rows.size(), pool, max_threads, &errors, [&](int64_t i) {
    PrefetchAfter(matchers, i);
    const void* mask = shares_work ? rows.MissingMask(i) : nullptr;
    if (mask == nullptr) return rows.Fill(i);
    const std::lock_guard<std::mutex> lock(mutex);
    missing.push_back({mask, i});
  });
  if (!missing.empty()) FillMissing(rows, std::move(missing), pool, &errors);
  errors.RaiseIfAny();
}

void BatchAcceptToken(std::span<GrammarMatcher* const> matchers, std::span<const int64_t> tokens,
                      std::span<uint8_t> accepted, ThreadPool* pool) {
  const auto count = static_cast<int64_t>(matchers.size());
  FirstError errors;
  ForEachInRuns(count, pool, count / kMinTokensOfThread, &errors, [&](int64_t number) {
    const auto i = static_cast<size_t>(number);
    PrefetchAfter(matchers, number);
    accepted[i] = matchers[i]->AcceptToken(tokens[i]) ? 1 : 0;
  });
  errors.RaiseIfAny();
}

void BatchAcceptString(std::span<GrammarMatcher* const> matchers,
                       std::span<const std::string_view> strings, std::span<uint8_t> accepted,
                       ThreadPool* pool) {
  int64_t num_bytes = 0;
  for (std::string_view text : strings) num_bytes += static_cast<int64_t>(text.size());
  FirstError errors;
  ForEachInRuns(static_cast<int64_t>(matchers.size()), pool, num_bytes / kMinBytesOfThread, &errors,
                [&](int64_t number) {
                  const auto i = static_cast<size_t>(number);
                  accepted[i] = matchers[i]->AcceptString(strings[i]) ? 1 : 0;
                });
  errors.RaiseIfAny();
}

}  // namespace xgrammar
