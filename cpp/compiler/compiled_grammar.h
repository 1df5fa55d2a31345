// CompiledGrammar: a grammar bound to a tokenizer, with the lazily built parser states and masks
// that all its matchers share. Immutable to its users and safe to share between threads; what grows
// inside is published append-only.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/generation.h"
#include "frontend/json_schema/json_schema.h"
#include "grammar/grammar.h"
#include "mask/local_mask_cache.h"
#include "support/fork_safety.h"
#include "support/limits.h"
#include "tokenizer/tokenizer_info.h"

namespace xgrammar {

class CompiledGrammar {
 public:
  /// Normalises and checks the grammar; nothing is built for a rule until a parse reaches it. Cost:
  /// linear in the grammar, independent of the vocabulary. Raises kUnsatisfiable, kLimit.
  static std::shared_ptr<const CompiledGrammar> Make(
      GrammarPtr grammar, TokenizerInfoPtr tokenizer_info,
      std::shared_ptr<LocalMaskCache> local_masks, const Limits& limits,
      std::vector<JsonSchemaReportRecord> report = {});

  const GrammarPtr& grammar() const { return grammar_; }
  const TokenizerInfoPtr& tokenizer_info() const { return tokenizer_info_; }
  const std::vector<JsonSchemaReportRecord>& report() const { return report_; }
  /// Whether some rule asks for a capture or a temperature.
  bool has_notes() const { return has_notes_; }
  /// Grammar, states and masks held now, without what is shared with other grammars. O(1).
  int64_t MemorySizeBytes() const;
  /// Counts these bytes, as they are and as they grow, towards `total` from now on, and no longer
  /// towards another one; null: towards none.
  void CountTowards(std::shared_ptr<ByteTotal> total) const;
  /// Figures for people: rules, automaton states built, parser sets, masks.
  struct Statistics {
    int64_t num_rules = 0;
    int64_t num_automaton_states = 0;
    int64_t num_sets = 0;
    int64_t num_edges = 0;
    int64_t num_masks = 0;
  };
  Statistics statistics() const;

  std::string SerializeJson() const;
  /// Raises kInvalidJson, kDeserializeVersion, kDeserializeFormat.
  static std::shared_ptr<const CompiledGrammar> DeserializeJson(std::string_view text,
                                                                TokenizerInfoPtr tokenizer_info,
                                                                const Limits& limits);

  /// The states and masks that a new matcher starts on.
  std::shared_ptr<Generation> generation() const;
  const Limits& limits() const { return limits_; }

 private:
  CompiledGrammar() = default;

  GrammarPtr grammar_;
  TokenizerInfoPtr tokenizer_info_;
  std::shared_ptr<LocalMaskCache> local_masks_;
  Limits limits_;
  std::vector<JsonSchemaReportRecord> report_;
  bool has_notes_ = false;
  mutable ForkSafeMutex mutex_;
  mutable ByteAccount fixed_bytes_;                 // All but the generation.
  mutable std::shared_ptr<ByteTotal> total_;        // Guarded by mutex_.
  mutable std::shared_ptr<Generation> generation_;  // Guarded by mutex_; replaced when it is full.
};

using CompiledGrammarPtr = std::shared_ptr<const CompiledGrammar>;

}  // namespace xgrammar
