// Limits: every bound that keeps hostile input from taking more than its share, in one struct.
//
// Each field but max_compile_ms counts work or size, so that a slow machine accepts what a fast one
// does. Exceeding a field while compiling raises a kLimit or kBudget error that names it; exceeding
// one while matching puts that matcher into its failed state. Caches are bounded too, but a full
// cache evicts and never fails.
#pragma once

#include <cstdint>

namespace xgrammar {

struct Limits {
  /// Bytes of one source text (schema, EBNF, regular expression).
  int64_t max_source_bytes = 16 << 20;
  /// Nesting of JSON values, groups and brackets in a source text. At least 1,000 must work.
  int64_t max_nesting = 2000;
  /// Rules of one grammar.
  int64_t max_rules = 1000000;
  /// One bound of a repetition; a larger one is an error, everything below is exact.
  int64_t max_repeat = 2147483647;
  /// Expression nodes of one grammar, and states of one automaton product.
  int64_t max_grammar_size = 8000000;
  /// States of one determinised code point automaton (patterns, their intersections and
  /// complements).
  int64_t max_dfa_states = 100000;
  /// Sub-schemas made while conjunctions and alternatives of one JSON Schema are expanded.
  int64_t max_schema_expansion = 100000;
  /// Milliseconds that one compilation may take by the wall clock. The one limit that depends on
  /// the machine; off by default.
  int64_t max_compile_ms = int64_t{1} << 62;
  /// Counted work of one compilation, up to 100 ns of one core for each unit: some two seconds. The
  /// same on every machine.
  int64_t max_compile_work = 30000000;
  /// Bytes of lazily built parser states per compiled grammar before a new generation is started.
  int64_t max_state_bytes = 256 << 20;
  /// Items in one parser set; steps of one search for another value of a distinct item.
  int64_t max_items = 20000;
  /// Bytes of finished masks kept per compiled grammar.
  int64_t max_mask_bytes = 64 << 20;
};

}  // namespace xgrammar
