// Batches: one mask row per matcher, or one step in each, on several threads.
//
// For engines that serve many requests in one step. Each matcher is used by one thread for the time
// of the call. Rolling back has no batch form here, since it is too short to pay for threads.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "matcher/grammar_matcher.h"
#include "support/thread_pool.h"

namespace xgrammar {

/// Fills row `indices[i]` (or i when `indices` is empty) for matcher i. Rows are `row_stride` words
/// apart. Precondition: the matchers are distinct. Raises kUsage that names the position for an
/// index outside [0, num_rows) or a terminated matcher; the other rows are filled all the same.
void BatchFillNextTokenBitmask(std::span<GrammarMatcher* const> matchers, int32_t* bitmask,
                               int64_t num_rows, int64_t row_stride,
                               std::span<const int64_t> indices, ThreadPool* pool);

/// Accepts one token in each matcher and writes whether it was allowed (0 or 1) to `accepted`.
/// Precondition: the matchers are distinct; all spans have the same size. A null `pool` is the
/// calling thread alone.
void BatchAcceptToken(std::span<GrammarMatcher* const> matchers, std::span<const int64_t> tokens,
                      std::span<uint8_t> accepted, ThreadPool* pool);

/// The same with one string for each matcher.
void BatchAcceptString(std::span<GrammarMatcher* const> matchers,
                       std::span<const std::string_view> strings, std::span<uint8_t> accepted,
                       ThreadPool* pool);

}  // namespace xgrammar
