// Folding: a regular expression of the grammar -> one deterministic byte automaton, shared between
// grammars.
//
// DfaCache maps the structure of an expression (rule names left out) to its automaton, so that the
// JSON string or white space of every schema is the same object, and what is learned about it per
// token (mask/) is shared, too.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/grammar_facts.h"
#include "automata/byte_dfa.h"
#include "grammar/grammar.h"
#include "support/fork_safety.h"

namespace xgrammar {

/// Thread-safe. Holds at most `max_bytes` of automata and keys; when full it starts over (entries
/// in use live on).
class DfaCache {
 public:
  explicit DfaCache(int64_t max_bytes = 64 << 20) : max_bytes_(max_bytes) {}

  /// The automaton of that key, or null with `found` false. A null automaton with `found` true:
  /// known to be too large.
  ByteDfaPtr Find(const std::string& key, bool* found) const;
  /// Stores an automaton unless another thread was first; returns the one that is stored. `named`:
  /// what the key names by address, kept alive with the entry.
  ByteDfaPtr Insert(std::string key, ByteDfaPtr dfa, std::vector<CodePointDfaPtr> named = {});
  int64_t SizeBytes() const;

 private:
  mutable ForkSafeMutex mutex_;
  struct Entry {
    ByteDfaPtr dfa;
    std::vector<CodePointDfaPtr> named;
  };
  std::unordered_map<std::string, Entry> entries_;  // Guarded by mutex_, as is size_bytes_.
  int64_t size_bytes_ = 0;
  const int64_t max_bytes_;
};

/// The automaton of a foldable expression, or null if it needs more than `max_states` states.
/// Precondition: the expression is foldable (RegularFacts), except that its own count may be large.
ByteDfaPtr FoldToDfa(const Grammar& grammar, const GrammarFacts& facts, ExprId expr,
                     uint32_t max_states, DfaCache* cache);

/// The same for an expression of which only RegularFacts::WholeSize is known, with the copies of
/// its repetitions made: by way of characters, which large classes are one of, and null past
/// `max_characters` states of such an automaton.
ByteDfaPtr FoldWhole(const Grammar& grammar, const GrammarFacts& facts, ExprId expr,
                     int64_t max_characters, uint32_t max_states, DfaCache* cache);

/// Spells the structure of a foldable expression with references replaced by what they stand for:
/// equal spellings are equal languages. Large automata are spelled by address and added to `named`.
void AppendStructure(const Grammar& grammar, const GrammarFacts& facts, ExprId expr,
                     std::string* out, std::vector<CodePointDfaPtr>* named);
/// Adds the paths of a foldable expression between two states.
void WriteNfa(const Grammar& grammar, const GrammarFacts& facts, ExprId expr, int32_t from,
              int32_t to, ByteNfa* nfa);

}  // namespace xgrammar
