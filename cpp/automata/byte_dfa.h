// ByteDfa: an immutable deterministic automaton over bytes, the machine that the token trie is
// walked with.
//
// Bytes that no state tells apart share a column (byte classes). Invariants: state 0 is the start,
// every state is reachable and can reach an accepting state; a missing edge is kDead. Safe to
// share. The rows of some large automata are made when they are first read (rows_on_demand.h),
// which nobody can tell by anything but the time; some numbers of their states may be those of
// none.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "automata/byte_nfa.h"
#include "automata/byte_set.h"
#include "automata/byte_table.h"
#include "automata/code_point_automaton.h"
#include "automata/rows_on_demand.h"

namespace xgrammar {

class ByteDfa {
 public:
  static constexpr uint32_t kDead = 0xFFFFFFFF;

  uint32_t num_states() const { return num_states_; }
  uint32_t Next(uint32_t state, uint8_t byte) const { return Row(state)[classes_.of[byte]]; }
  bool IsAccept(uint32_t state) const { return (flags_[state] & kAcceptFlag) != 0; }
  /// No edge leaves the state.
  bool IsFinal(uint32_t state) const { return (flags_[state] & kFinalFlag) != 0; }
  ByteSet first_bytes(uint32_t state) const {
    return on_demand_ == nullptr ? first_bytes_[state] : RowsOnDemand::FirstBytesOf(Row(state));
  }
  /// No member of the language is a proper prefix of another, and the empty string is no member.
  bool is_prefix_free() const { return prefix_free_; }
  bool is_empty() const { return num_states_ == 1 && !IsAccept(0) && IsFinal(0); }
  bool Accepts(std::string_view bytes) const;
  /// The bytes at which a new run begins of bytes that lead to one target from every state; 0 is
  /// the first. What holds of all bytes needs to be asked of these only.
  std::span<const uint8_t> byte_runs() const { return byte_runs_; }
  int64_t MemorySizeBytes() const;

 private:
  friend class ByteDfaBuilder;
  static constexpr uint8_t kAcceptFlag = RowsOnDemand::kAccept;
  static constexpr uint8_t kFinalFlag = RowsOnDemand::kFinal;

  ByteDfa() = default;

  const uint32_t* Row(uint32_t state) const {
    const uint32_t* row = rows_[state].load(std::memory_order_acquire);
    if (row == nullptr) [[unlikely]]
      row = on_demand_->MakeRow(state, &rows_[state]);
    return row;
  }

  uint32_t num_states_ = 0;
  bool prefix_free_ = false;
  ByteClasses classes_;
  std::vector<uint8_t> byte_runs_;
  std::vector<uint8_t> flags_;
  /// By state: its targets by byte class, or null as long as nobody asked for them.
  std::unique_ptr<std::atomic<const uint32_t*>[]> rows_;
  // Either all rows, or what rows are made from.
  std::vector<uint32_t> table_;
  std::vector<ByteSet> first_bytes_;
  std::unique_ptr<const RowsOnDemand> on_demand_;
};

using ByteDfaPtr = std::shared_ptr<const ByteDfa>;

/// Subset construction (Rabin and Scott 1959) followed by minimisation (equivalent_rows.h) of small
/// results. Returns nullopt when more than `max_states` states would be needed. Precondition:
/// `start` and `accept` are states of the NFA.
std::optional<ByteDfa> DeterminizeBytes(const ByteNfa& nfa, int32_t start, int32_t accept,
                                        uint32_t max_states);

/// A code point automaton between two literals; small results are minimal, of large ones the rows
/// are made on demand. Returns nullopt when more than `max_states` states would be needed, for the
/// empty language, and where the result would not be deterministic (SpelledRows::Make).
std::optional<ByteDfa> SpellInBytes(std::string_view prefix, CodePointDfaPtr automaton,
                                    std::string_view suffix, uint32_t max_states);

/// The automaton of such rows, which is not minimal. Returns nullopt when it may need more than
/// `max_states` states.
std::optional<ByteDfa> DfaOnDemand(std::unique_ptr<const RowsOnDemand> rows, uint32_t max_states);

}  // namespace xgrammar
