// GrammarMatcher: the state of one generation. A position in the grammar (the id of an interned parser set), the list of
// steps taken, and whether a stop token ended it. Owned by one thread at a time; forking copies a list of ids.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/compiled_grammar.h"

namespace xgrammar {

struct MatcherOptions {
  std::optional<std::vector<int64_t>> override_stop_tokens;
  bool terminate_without_stop_token = false;
};

class GrammarMatcher {
 public:
  /// Raises kUsage for an empty list of stop tokens or an id outside the vocabulary.
  GrammarMatcher(CompiledGrammarPtr compiled, const MatcherOptions& options);

  /// False, with the state unchanged, for any id that the mask does not allow (out of range included).
  bool AcceptToken(int64_t token_id);
  /// All or nothing; one step, even for "". May end inside a character.
  bool AcceptString(std::string_view bytes);
  /// How many leading bytes of `bytes` the grammar can take from here; the state is unchanged.
  size_t MatchPrefix(std::string_view bytes) const;

  /// Writes ceil(vocab_size/32) words. Returns whether the mask must be applied (some token is not allowed).
  /// Raises kUsage after a stop token was accepted.
  bool FillNextTokenBitmask(std::span<int32_t> row);

  std::string FindJumpForwardString() const;
  std::vector<int32_t> FindJumpForwardTokens() const;
  /// Bytes that may come next, as 256 bits; for error reports of the command line.
  std::vector<uint8_t> NextBytes() const;

  /// Undoes steps. Raises kUsage with both numbers if there are fewer, kValue for a negative number.
  void Rollback(int64_t num_steps);
  void Reset();
  GrammarMatcher Fork() const { return *this; }

  bool IsTerminated() const;
  bool IsCompleted() const;
  int64_t num_steps() const { return static_cast<int64_t>(history_.size()); }
  /// Why the matcher is in its failed state, or empty.
  const std::string& limit_error() const { return limit_error_; }
  const std::vector<int32_t>& stop_token_ids() const { return stop_token_ids_; }
  const CompiledGrammarPtr& compiled() const { return compiled_; }
  std::string DebugString() const;

  /// Masks along a tree of draft tokens; see traverse_draft_tree.cc. `bitmask` has one row per node, `row_stride` words
  /// apart. Returns false if `time_threshold` (seconds, > 0) was exceeded. Raises kUsage for a malformed tree.
  bool TraverseDraftTree(std::span<const int64_t> next_token, std::span<const int64_t> next_sibling,
                         std::span<const int64_t> draft_tokens, int32_t* bitmask, int64_t row_stride,
                         double time_threshold);

 private:
  struct Step {
    uint32_t set = 0;
    bool stopped = false;
  };

  CompiledGrammarPtr compiled_;
  std::shared_ptr<Parser> parser_;
  std::vector<Step> history_;  ///< The state before each step, oldest first.
  Step current_;
  std::vector<int32_t> stop_token_ids_;
  bool stop_tokens_overridden_ = false;
  bool terminate_without_stop_token_ = false;
  std::string limit_error_;
};

/// Fills row `indices[i]` (or i) for matcher i on `num_threads` threads. Raises kUsage naming the position that failed.
void BatchFillNextTokenBitmask(std::span<GrammarMatcher* const> matchers, int32_t* bitmask, int64_t num_rows,
                               int64_t row_stride, std::span<const int64_t> indices, int32_t num_threads);

}  // namespace xgrammar
