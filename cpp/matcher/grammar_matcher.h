// GrammarMatcher: the state of one generation. A position in the grammar (the id of an interned
// parser set), the list of steps taken, and whether a stop token ended it. Owned by one thread at a
// time; forking copies a list of ids.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/compiled_grammar.h"
#include "matcher/chart.h"

namespace xgrammar {

struct MatcherOptions {
  std::optional<std::vector<int64_t>> override_stop_tokens;
  bool terminate_without_stop_token = false;
};

struct DraftTree;  // Defined where it is walked, in draft_tree.cc.

class GrammarMatcher {
 public:
  /// Raises kUsage for an empty list of stop tokens or an id outside the vocabulary.
  GrammarMatcher(CompiledGrammarPtr compiled, const MatcherOptions& options);

  /// False, with the state unchanged, for any id that the mask does not allow (out of range
  /// included).
  bool AcceptToken(int64_t token_id);
  /// All or nothing; one step, even for "". May end inside a character.
  bool AcceptString(std::string_view bytes);
  /// How many leading bytes of `bytes` the grammar can take from here; the state is unchanged.
  size_t MatchPrefix(std::string_view bytes) const;

  /// Writes ceil(vocab_size/32) words. Returns whether the mask must be applied (some token is not
  /// allowed). Raises kUsage after a stop token was accepted.
  bool FillNextTokenBitmask(std::span<int32_t> row);
  /// Names the mask that the next fill must compute; null if it only copies, or raises.
  const void* MissingMask() const;
  /// Whether the next fill is known to take about as long as copying a row.
  bool FillOnlyCopies() const;

  std::string FindJumpForwardString() const;
  std::vector<int32_t> FindJumpForwardTokens() const;
  /// Bytes that may come next, sorted; for error reports of the command line.
  std::vector<uint8_t> NextBytes() const;

  /// Undoes steps. Raises kUsage with both numbers if there are fewer, kValue for a negative
  /// number.
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

  /// The named parts of the accepted text so far; see Chart. Raises kLimit.
  std::vector<Capture> Captures(bool longest_only);
  /// What the grammar asks for here; nullopt if nothing, after a stop token, or if the record would
  /// pass Limits::max_state_bytes.
  std::optional<double> Temperature() { return TemperatureAfter({}); }
  /// The same after tokens that the grammar allows from here.
  std::optional<double> TemperatureAfter(std::span<const int64_t> tokens);

  /// Masks along a tree of draft tokens; see draft_tree.cc. `bitmask` has one row per
  /// node, `row_stride` words apart. Returns false if `time_threshold` (seconds, > 0) was exceeded.
  /// Raises kUsage for a malformed tree.
  bool TraverseDraftTree(std::span<const int64_t> next_token, std::span<const int64_t> next_sibling,
                         std::span<const int64_t> draft_tokens, int32_t* bitmask,
                         int64_t row_stride, double time_threshold);

 private:
  /// Where the generation stands. `failed`: a limit was reached here, and only stop tokens are
  /// allowed on.
  struct Step {
    SetId set = kDeadSet;
    bool stopped = false;
    bool failed = false;
    int32_t token = -1;  ///< The token that led here; -1 for a string, or if nothing did.
  };

  const EarleySet& current_set() const { return generation_->parser.set(current_.set); }
  bool IsOwnStopToken(int32_t token) const;
  /// The set after the text of an ordinary token, kDeadSet if it does not fit. Raises kLimit.
  SetId AfterOrdinary(SetId set, int32_t token) const;
  /// Where a stop token leads from here: the end (the current set again), the set after its text or
  /// its token-level element where that completes the input, or kDeadSet. A matcher that ends
  /// without stop tokens takes one as an ordinary id wherever a token-level element does.
  Step StepByStop(int32_t token) const;
  SetId AfterMarker(SetId set, int32_t token) const;
  Step StepBy(int32_t token) const;
  bool Advance(const Step& next, std::string_view text, int32_t token);
  void KeepText(const Step& next, std::string_view text, int32_t token);
  /// Where a string leads from here. Raises kLimit.
  Step StepByString(std::string_view bytes) const;
  /// Goes on in a new generation if this one is full: sets made for masks, or for texts that other
  /// matchers took, stay behind. Called between steps.
  void MoveIfFull() {
    if (generation_->parser.MemorySizeBytes() > move_at_bytes_) Move();
  }
  void Move();
  /// Takes the steps again from the start of `generation_`. False if a limit is in the way.
  bool TakeAgain(std::span<const Step> steps);
  void Join(std::shared_ptr<Generation> generation);
  std::string_view TextOf(int32_t token) const;
  /// The chart of the accepted text.
  Chart* CurrentChart();
  void SetStopBits(std::span<uint32_t> row) const;
  bool FillRow(std::span<uint32_t> row);
  /// The walk of TraverseDraftTree; leaves `current_` and `limit_error_` anywhere.
  bool WalkDraftTree(const DraftTree& tree, double time_threshold);
  void Fail(const std::string& reason);

  CompiledGrammarPtr compiled_;
  std::shared_ptr<Generation> generation_;
  std::vector<Step> history_;  ///< The state before each step, oldest first.
  Step current_;
  int64_t move_at_bytes_ = 0;  ///< Of the generation's parser.
  std::vector<int32_t> stop_token_ids_;
  bool terminate_without_stop_token_ = false;
  std::string limit_error_;

  /// Steps whose text is kept: all for grammars with notes, else the strings; tokens can be looked
  /// up. By step (the first one is 1): where its text begins, and its token or -1.
  struct Record {
    size_t step = 0;
    size_t begin = 0;
    int32_t token = -1;
  };
  std::string_view RecordedText(size_t record) const {
    const bool is_last = record + 1 == record_.size();
    const size_t end = is_last ? text_.size() : record_[record + 1].begin;
    return std::string_view(text_).substr(record_[record].begin, end - record_[record].begin);
  }
  bool keeps_record_ = false;  ///< Of all steps.
  std::string text_;
  std::vector<Record> record_;
  /// Follows the record when it is asked for; a fork makes its own.
  struct OwnChart {
    std::unique_ptr<Chart> chart;
    OwnChart() = default;
    OwnChart(const OwnChart&) {}
    OwnChart& operator=(const OwnChart&) {
      chart = nullptr;
      return *this;
    }
    OwnChart(OwnChart&&) = default;
    OwnChart& operator=(OwnChart&&) = default;
    ~OwnChart() = default;
  };
  OwnChart own_chart_;
};

}  // namespace xgrammar
