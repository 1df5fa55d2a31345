// FreeRun: the automata behind free text in which patterns start something else and some strings
// must not occur.
//
// The machine is that of Aho and Corasick (1975) over code points. A run starts with empty memory.
// An excluded string at its end kills it, before anything else. Otherwise the longest pattern at
// its end ends it; while the pending text is a proper prefix of a longer pattern that starts no
// later, the run may also go on, but only to complete such a pattern. A run without a pattern may
// end wherever it is not bound that way. What follows a pattern is the business of the caller.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "automata/code_point_automaton.h"

namespace xgrammar {

struct FreeRunOptions {
  std::vector<std::string> patterns;  ///< Non-empty, well-formed UTF-8; may repeat.
  std::vector<std::string> excludes;  ///< Likewise.
};

/// Built once for a set of patterns and excluded strings; then any number of automata. Immutable;
/// safe to share.
class FreeRun {
 public:
  /// Linear in the total length. Raises kLimit past `max_states` prefixes, of the field of Limits
  /// with this name; kValue for an empty or ill-formed string.
  FreeRun(const FreeRunOptions& options, int64_t max_states,
          const char* limit_name = "max_grammar_size");
  ~FreeRun();
  FreeRun(FreeRun&&) noexcept;
  FreeRun& operator=(FreeRun&&) noexcept;

  /// Texts after which the run may end without a pattern.
  CodePointDfa End() const;
  /// Texts that are a run ending exactly with the completion of one of these patterns (by index in
  /// the options). Patterns that are followed by the same content belong into one automaton.
  CodePointDfa To(std::span<const int32_t> patterns) const;
  /// Whether To({pattern}) is End() followed by the pattern: no excluded string and no other
  /// pattern can touch it. Many such patterns can share one End() instead of a machine each.
  bool IsSeparable(int32_t pattern) const;

 private:
  class Machine;
  std::unique_ptr<const Machine> machine_;
};

/// Any text that contains none of the strings. Bounds and errors as for FreeRun, of
/// `max_dfa_states`.
CodePointDfa ExcludingText(const std::vector<std::string>& excludes, int64_t max_states);

}  // namespace xgrammar
