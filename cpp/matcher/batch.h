// Batch filling: one mask row per matcher, on several threads.
//
// For engines that serve many requests in one step. Each matcher is used by one thread for the time
// of the call; accepting and rolling back have no batch form here, since they are too short to pay
// for threads.
#pragma once

#include <cstdint>
#include <span>

#include "matcher/grammar_matcher.h"
#include "support/thread_pool.h"

namespace xgrammar {

/// Fills row `indices[i]` (or i when `indices` is empty) for matcher i. Rows are `row_stride` words
/// apart. Precondition: the matchers are distinct. Raises kUsage that names the position for an
/// index outside [0, num_rows) or a terminated matcher; the other rows are filled all the same.
void BatchFillNextTokenBitmask(std::span<GrammarMatcher* const> matchers, int32_t* bitmask,
                               int64_t num_rows, int64_t row_stride,
                               std::span<const int64_t> indices, ThreadPool* pool);

}  // namespace xgrammar
