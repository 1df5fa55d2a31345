// CompiledGrammar: binding a grammar to a tokenizer, and renewing the generation.
#include "compiler/compiled_grammar.h"

#include <utility>

namespace xgrammar {

std::shared_ptr<const CompiledGrammar> CompiledGrammar::Make(
    GrammarPtr grammar, TokenizerInfoPtr tokenizer_info,
    std::shared_ptr<LocalMaskCache> local_masks, const Limits& limits,
    std::vector<JsonSchemaReportRecord> report) {
  auto compiled = std::shared_ptr<CompiledGrammar>(new CompiledGrammar());
  compiled->grammar_ = std::move(grammar);
  for (RuleId rule = 0; rule < compiled->grammar_->num_rules(); ++rule) {
    compiled->has_notes_ |= compiled->grammar_->rule(rule).notes != nullptr;
  }
  compiled->tokenizer_info_ = std::move(tokenizer_info);
  compiled->local_masks_ = std::move(local_masks);
  compiled->limits_ = limits;
  compiled->report_ = std::move(report);
  compiled->generation_ = std::make_shared<Generation>(
      compiled->grammar_, compiled->tokenizer_info_, compiled->local_masks_, limits);
  return compiled;
}

std::shared_ptr<Generation> CompiledGrammar::generation() const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (generation_->IsFull(limits_)) {
    generation_ = std::make_shared<Generation>(grammar_, tokenizer_info_, local_masks_, limits_);
  }
  return generation_;
}

int64_t CompiledGrammar::MemorySizeBytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(sizeof(*this)) + grammar_->MemorySizeBytes() +
         generation_->parser.MemorySizeBytes() + generation_->masks.MemorySizeBytes();
}

CompiledGrammar::Statistics CompiledGrammar::statistics() const {
  std::lock_guard<std::mutex> lock(mutex_);
  Statistics out;
  out.num_rules = grammar_->num_rules();
  out.num_automaton_states = generation_->parser.num_automaton_states();
  out.num_sets = generation_->parser.num_sets();
  out.num_edges = generation_->parser.num_edges();
  out.num_masks = generation_->masks.num_masks();
  return out;
}

}  // namespace xgrammar
