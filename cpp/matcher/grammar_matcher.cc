// GrammarMatcher: accepting, masks, history. Jump-forward is in jump_forward.cc, draft trees in
// draft_tree.cc.
//
// A step is a parser set and how it was reached; accepting appends one, rolling back drops some, so
// a refused token leaves no trace. Masks come from the generation's table, with the stop tokens of
// this matcher set or cleared in the row. Nothing is parsed twice.
#include "matcher/grammar_matcher.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "support/error.h"

namespace xgrammar {

namespace {

void SetBit(std::span<uint32_t> row, int32_t token) {
  row[static_cast<size_t>(token) >> 5] |= 1u << (token & 31);
}
void ClearBit(std::span<uint32_t> row, int32_t token) {
  row[static_cast<size_t>(token) >> 5] &= ~(1u << (token & 31));
}

/// Whether bits [0, vocab_size) are all set.
bool AllAllowed(std::span<const uint32_t> row, int32_t vocab_size) {
  const size_t whole = static_cast<size_t>(vocab_size) / 32;
  for (size_t i = 0; i < whole; ++i) {
    if (row[i] != 0xFFFFFFFFu) return false;
  }
  const uint32_t rest = static_cast<uint32_t>(vocab_size) & 31u;
  const uint32_t mask = (1u << rest) - 1;
  return rest == 0 || (row[whole] & mask) == mask;
}

std::vector<int32_t> StopTokens(const TokenizerInfo& tokenizer, const MatcherOptions& options) {
  if (!options.override_stop_tokens) return tokenizer.stop_token_ids();
  if (options.override_stop_tokens->empty()) {
    throw Error(ErrorKind::kUsage,
                "override_stop_tokens is empty; pass None to keep the tokenizer's stop tokens");
  }
  std::vector<int32_t> ids;
  for (int64_t id : *options.override_stop_tokens) {
    if (id < 0 || id >= tokenizer.vocab_size()) {
      throw Error(ErrorKind::kUsage, "Stop token " + std::to_string(id) +
                                         " is outside the vocabulary [0, " +
                                         std::to_string(tokenizer.vocab_size()) + ")");
    }
    ids.push_back(static_cast<int32_t>(id));
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

}  // namespace

GrammarMatcher::GrammarMatcher(CompiledGrammarPtr compiled, const MatcherOptions& options)
    : compiled_(std::move(compiled)),
      stop_token_ids_(StopTokens(*compiled_->tokenizer_info(), options)),
      terminate_without_stop_token_(options.terminate_without_stop_token),
      keeps_record_(compiled_->has_notes()) {
  Join(compiled_->generation());
}

bool GrammarMatcher::IsOwnStopToken(int32_t token) const {
  return std::binary_search(stop_token_ids_.begin(), stop_token_ids_.end(), token);
}

SetId GrammarMatcher::AfterOrdinary(SetId set, int32_t token) const {
  const auto& vocab = compiled_->tokenizer_info()->decoded_vocab();
  if (static_cast<size_t>(token) >= vocab.size() || vocab[static_cast<size_t>(token)].empty())
    return kDeadSet;
  return generation_->parser.NextText(set, vocab[static_cast<size_t>(token)]);
}

SetId GrammarMatcher::AfterMarker(SetId set, int32_t token) const {
  Parser& parser = generation_->parser;
  const auto& vocab = compiled_->tokenizer_info()->decoded_vocab();
  if (!parser.has_marker_literals() || static_cast<size_t>(token) >= vocab.size() ||
      vocab[static_cast<size_t>(token)].empty()) {
    return kDeadSet;
  }
  for (char c : vocab[static_cast<size_t>(token)]) {
    set = parser.NextByLiteral(set, static_cast<uint8_t>(c));
    if (set == kDeadSet) break;
  }
  return set;
}

GrammarMatcher::Step GrammarMatcher::StepByStop(int32_t token) const {
  if (current_.failed) return {current_.set, true, true, token};
  if (current_set().accepting && !terminate_without_stop_token_)
    return {current_.set, true, false, token};
  Parser& parser = generation_->parser;
  if (generation_->local_masks->text_tokens().Contains(token)) {
    const bool named_only = !terminate_without_stop_token_;
    const SetId by_token = parser.NextByToken(current_.set, token, named_only);
    const bool completes = by_token != kDeadSet && parser.set(by_token).accepting;
    if (completes) return {by_token, true, false, token};
    if (by_token != kDeadSet && terminate_without_stop_token_) {
      return {parser.AtTokenEnd(by_token, true), false, false, token};
    }
  }
  // Its text may be what remains of the output: then the token completes and ends it.
  const TokenizerInfo& tokenizer = *compiled_->tokenizer_info();
  const bool is_marker = tokenizer.IsStopToken(token) || tokenizer.IsSpecialToken(token);
  const SetId by_text =
      is_marker ? AfterMarker(current_.set, token) : AfterOrdinary(current_.set, token);
  if (by_text != kDeadSet && parser.set(by_text).accepting) return {by_text, true, false, token};
  return {};
}

GrammarMatcher::Step GrammarMatcher::StepBy(int32_t token) const {
  if (IsOwnStopToken(token)) return StepByStop(token);
  Step next;
  if (current_.failed) return next;
  Parser& parser = generation_->parser;
  const TokenizerInfo& tokenizer = *compiled_->tokenizer_info();
  const bool is_marker = tokenizer.IsSpecialToken(token) || tokenizer.IsStopToken(token);
  const SetId by_text =
      is_marker ? AfterMarker(current_.set, token) : AfterOrdinary(current_.set, token);
  SetId by_token = kDeadSet;
  if (!parser.set(current_.set).token_items.empty() &&
      generation_->local_masks->text_tokens().Contains(token)) {
    by_token = parser.NextByToken(current_.set, token, false);
  }
  next.set = parser.AtTokenEnd(parser.Unite(by_text, by_token), true);
  next.token = token;
  return next;
}

std::string_view GrammarMatcher::TextOf(int32_t token) const {
  const auto& vocab = compiled_->tokenizer_info()->decoded_vocab();
  const auto index = static_cast<size_t>(token);
  return index < vocab.size() ? std::string_view(vocab[index]) : std::string_view();
}

// Out of line: most steps are tokens of grammars without notes.
void GrammarMatcher::KeepText(const Step& next, std::string_view text, int32_t token) {
  record_.push_back({history_.size() + 1, text_.size(), token});
  // A stop token that ends a complete match is no part of the text.
  const bool only_ends = next.stopped && next.set == current_.set;
  if (!only_ends) text_.append(text);
}

bool GrammarMatcher::Advance(const Step& next, std::string_view text, int32_t token) {
  if (next.set == kDeadSet) return false;
  if (keeps_record_ || token < 0) [[unlikely]]
    KeepText(next, text, token);
  history_.push_back(current_);
  current_ = next;
  return true;
}

void GrammarMatcher::Join(std::shared_ptr<Generation> generation) {
  generation_ = std::move(generation);
  history_.clear();
  current_ = Step{generation_->parser.start()};
  move_at_bytes_ = compiled_->limits().max_state_bytes;
}

// The sets of the text so far are made again, which takes no longer than making them did, and only
// after as much as half of the budget has been filled.
void GrammarMatcher::Move() {
  if (current_.stopped || current_.failed) return;
  std::vector<Step> steps = history_;
  steps.push_back(current_);
  std::shared_ptr<Generation> old_generation = generation_;
  history_.clear();
  const auto go_back = [&] {
    generation_ = std::move(old_generation);
    current_ = steps.back();
    steps.pop_back();
    history_ = std::move(steps);
  };
  bool has_moved = false;
  try {
    Join(compiled_->generation());
    has_moved = TakeAgain(steps);
  } catch (...) {  // Out of memory: the matcher is what it was.
    go_back();
    throw;
  }
  const int64_t budget = compiled_->limits().max_state_bytes;
  if (has_moved) {
    move_at_bytes_ = std::max(budget, generation_->parser.MemorySizeBytes() + budget / 2);
  } else {
    go_back();
    move_at_bytes_ = std::numeric_limits<int64_t>::max();
  }
}

bool GrammarMatcher::TakeAgain(std::span<const Step> steps) {
  size_t record = 0;
  try {
    for (const Step& step : steps.subspan(1)) {
      const bool is_string = step.token < 0;
      while (is_string && record_[record].token >= 0) ++record;
      const Step next = is_string ? StepByString(RecordedText(record++)) : StepBy(step.token);
      if (next.set == kDeadSet) return false;
      history_.push_back(current_);
      current_ = next;
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kLimit) throw;
    return false;
  }
  return true;
}

void GrammarMatcher::Fail(const std::string& reason) {
  current_.failed = true;
  limit_error_ = reason;
}

bool GrammarMatcher::AcceptToken(int64_t token_id) {
  if (token_id < 0 || token_id >= compiled_->tokenizer_info()->vocab_size() || current_.stopped)
    return false;
  const auto token = static_cast<int32_t>(token_id);
  MoveIfFull();
  try {
    return Advance(StepBy(token), TextOf(token), token);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kLimit) throw;
    Fail(error.what());
    return false;
  }
}

GrammarMatcher::Step GrammarMatcher::StepByString(std::string_view bytes) const {
  Step next = current_;
  next.token = -1;
  for (char c : bytes) {
    next.set = generation_->parser.Next(next.set, static_cast<uint8_t>(c));
    if (next.set == kDeadSet) return next;
  }
  if (!bytes.empty()) next.set = generation_->parser.AtTokenEnd(next.set, false);
  return next;
}

bool GrammarMatcher::AcceptString(std::string_view bytes) {
  if (current_.stopped || (current_.failed && !bytes.empty())) return false;
  MoveIfFull();
  try {
    return Advance(StepByString(bytes), bytes, -1);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kLimit) throw;
    Fail(error.what());
    return false;
  }
}

size_t GrammarMatcher::MatchPrefix(std::string_view bytes) const {
  SetId set = current_.set;
  for (size_t i = 0; i < bytes.size(); ++i) {
    set = generation_->parser.Next(set, static_cast<uint8_t>(bytes[i]));
    if (set == kDeadSet) return i;
  }
  return bytes.size();
}

void GrammarMatcher::SetStopBits(std::span<uint32_t> row) const {
  for (int32_t token : stop_token_ids_) {
    if (StepByStop(token).set != kDeadSet) {
      SetBit(row, token);
    } else {
      ClearBit(row, token);
    }
  }
}

bool GrammarMatcher::FillRow(std::span<uint32_t> row) {
  const int32_t vocab_size = compiled_->tokenizer_info()->vocab_size();
  if (!current_.failed) {
    try {
      generation_->masks.Fill(current_.set, row);
      if (generation_->parser.has_marker_literals()) {
        for (const MarkerTokens::Match& match :
             generation_->local_masks->markers().Find(&generation_->parser, current_.set)) {
          SetBit(row, match.token);
        }
      }
      SetStopBits(row);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kLimit) throw;
      Fail(error.what());
    }
  }
  if (current_.failed) {
    std::fill(row.begin(), row.end(), 0u);
    for (int32_t token : stop_token_ids_) SetBit(row, token);
  }
  if (!AllAllowed(row, vocab_size)) return true;
  std::fill(row.begin(), row.end(), 0xFFFFFFFFu);
  return false;
}

bool GrammarMatcher::FillNextTokenBitmask(std::span<int32_t> row) {
  const auto num_words = (static_cast<size_t>(compiled_->tokenizer_info()->vocab_size()) + 31) / 32;
  if (row.size() != num_words) {
    throw Error(ErrorKind::kUsage, "The bitmask row has " + std::to_string(row.size()) +
                                       " words; the vocabulary needs " + std::to_string(num_words));
  }
  if (current_.stopped) {
    throw Error(
        ErrorKind::kUsage,
        "The matcher has terminated: a stop token was accepted. Call reset() or rollback()");
  }
  MoveIfFull();
  return FillRow({reinterpret_cast<uint32_t*>(row.data()), row.size()});
}

const void* GrammarMatcher::MissingMask() const {
  if (current_.stopped || current_.failed) return nullptr;
  return generation_->masks.Missing(current_.set);
}

bool GrammarMatcher::FillOnlyCopies() const {
  if (current_.stopped || current_.failed) return true;
  const Parser& parser = generation_->parser;
  return !parser.has_distinct() && !parser.has_marker_literals() &&
         generation_->masks.Missing(current_.set) == nullptr;
}

std::vector<uint8_t> GrammarMatcher::NextBytes() const {
  std::vector<uint8_t> bytes;
  const ByteSet live = generation_->parser.LiveBytes(current_.set);
  for (size_t b = 0; b < 256; ++b) {
    if (live.Contains(static_cast<uint8_t>(b))) bytes.push_back(static_cast<uint8_t>(b));
  }
  return bytes;
}

void GrammarMatcher::Rollback(int64_t num_steps_back) {
  if (num_steps_back < 0) {
    throw Error(ErrorKind::kValue,
                "The number of steps to roll back is negative: " + std::to_string(num_steps_back));
  }
  if (num_steps_back > num_steps()) {
    throw Error(ErrorKind::kUsage, "Cannot roll back " + std::to_string(num_steps_back) +
                                       " steps: only " + std::to_string(num_steps()) +
                                       " were taken");
  }
  if (num_steps_back == 0) return;
  const size_t kept = history_.size() - static_cast<size_t>(num_steps_back);
  current_ = history_[kept];
  history_.resize(kept);
  while (!record_.empty() && record_.back().step > kept) {
    text_.resize(record_.back().begin);
    record_.pop_back();
  }
  if (own_chart_.chart != nullptr) own_chart_.chart->Truncate(kept);
  if (!current_.failed) limit_error_.clear();
}

void GrammarMatcher::Reset() {
  limit_error_.clear();
  text_.clear();
  record_.clear();
  own_chart_.chart = nullptr;
  Join(compiled_->generation());
}

Chart* GrammarMatcher::CurrentChart() {
  std::unique_ptr<Chart>& chart = own_chart_.chart;
  if (chart == nullptr) chart = std::make_unique<Chart>(compiled_->grammar(), compiled_->limits());
  for (size_t step = chart->num_steps(); step < record_.size(); ++step)
    chart->Feed(RecordedText(step), record_[step].token);
  return chart.get();
}

std::vector<Capture> GrammarMatcher::Captures(bool longest_only) {
  if (!keeps_record_) return {};
  try {
    return CurrentChart()->Captures(longest_only);
  } catch (const Error&) {
    own_chart_.chart = nullptr;  // It may have been left half fed.
    throw;
  }
}

std::optional<double> GrammarMatcher::TemperatureAfter(std::span<const int64_t> tokens) {
  if (!keeps_record_ || current_.stopped) return std::nullopt;
  try {
    Chart* chart = CurrentChart();
    for (int64_t token : tokens) {
      chart->Feed(TextOf(static_cast<int32_t>(token)), static_cast<int32_t>(token));
    }
    const std::optional<double> result = chart->Temperature();
    chart->Truncate(record_.size());
    return result;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kLimit) throw;
    own_chart_.chart = nullptr;  // It may have been left half fed.
    return std::nullopt;
  }
}

bool GrammarMatcher::IsCompleted() const { return current_set().accepting; }

bool GrammarMatcher::IsTerminated() const {
  return current_.stopped || (terminate_without_stop_token_ && IsCompleted());
}

std::string GrammarMatcher::DebugString() const {
  std::string out =
      generation_->parser.DebugString(current_.set) + "; steps " + std::to_string(num_steps());
  if (current_.stopped) out += "; ended by a stop token";
  if (current_.failed) out += "; failed: " + limit_error_;
  return out;
}

}  // namespace xgrammar
