// CompiledGrammar: binding a grammar to a tokenizer, and renewing the generation.
//
// A generation is the parser with its masks. When it has grown past its memory budget, new matchers
// get a fresh one, and those that run on the old one own it until they end. Front ends are behind
// this file: it takes a finished grammar.
#include "compiler/compiled_grammar.h"

#include <utility>

#include "compiler/empty_limits.h"

namespace xgrammar {

std::shared_ptr<const CompiledGrammar> CompiledGrammar::Make(
    GrammarPtr grammar, TokenizerInfoPtr tokenizer_info,
    std::shared_ptr<LocalMaskCache> local_masks, const Limits& limits,
    std::vector<JsonSchemaReportRecord> report) {
  auto compiled = std::shared_ptr<CompiledGrammar>(new CompiledGrammar());
  compiled->grammar_ = DropEmptyLimits(std::move(grammar), local_masks->dfa_cache().get(),
                                       &local_masks->markers().trie(), limits);
  for (RuleId rule = 0; rule < compiled->grammar_->num_rules(); ++rule) {
    compiled->has_notes_ |= compiled->grammar_->rule(rule).notes != nullptr;
  }
  compiled->tokenizer_info_ = std::move(tokenizer_info);
  compiled->local_masks_ = std::move(local_masks);
  compiled->limits_ = limits;
  compiled->report_ = std::move(report);
  compiled->fixed_bytes_.Add(static_cast<int64_t>(sizeof(CompiledGrammar) + sizeof(Generation)) +
                             compiled->grammar_->MemorySizeBytes());
  compiled->generation_ = std::make_shared<Generation>(
      compiled->grammar_, compiled->tokenizer_info_, compiled->local_masks_, limits);
  return compiled;
}

std::shared_ptr<Generation> CompiledGrammar::generation() const {
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  if (generation_->IsFull(limits_)) {
    auto fresh = std::make_shared<Generation>(grammar_, tokenizer_info_, local_masks_, limits_);
    // Matchers that run on the full one own it from now on.
    generation_->account.Join(nullptr);
    fresh->account.Join(total_);
    generation_ = std::move(fresh);
  }
  return generation_;
}

int64_t CompiledGrammar::MemorySizeBytes() const {
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  return fixed_bytes_.bytes() + generation_->account.bytes();
}

void CompiledGrammar::CountTowards(std::shared_ptr<ByteTotal> total) const {
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  total_ = std::move(total);
  fixed_bytes_.Join(total_);
  generation_->account.Join(total_);
}

CompiledGrammar::Statistics CompiledGrammar::statistics() const {
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  Statistics out;
  out.num_rules = grammar_->num_rules();
  out.num_automaton_states = generation_->parser.num_automaton_states();
  out.num_sets = generation_->parser.num_sets();
  out.num_edges = generation_->parser.num_edges();
  out.num_masks = generation_->masks.num_masks();
  return out;
}

}  // namespace xgrammar
