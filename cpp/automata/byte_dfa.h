// ByteDfa: an immutable deterministic automaton over bytes, the machine that the token trie is
// walked with.
//
// Bytes that no state tells apart share a column (byte classes). Invariants: state 0 is the start,
// every state is reachable and can reach an accepting state; a missing edge is kDead. Safe to
// share.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "automata/byte_nfa.h"

namespace xgrammar {

/// Set of byte values, 256 bits.
struct ByteSet {
  std::array<uint64_t, 4> words{};

  void Add(uint8_t byte) { words[byte >> 6] |= uint64_t{1} << (byte & 63); }
  void AddRange(uint8_t lo, uint8_t hi) {
    for (int b = lo; b <= hi; ++b) Add(static_cast<uint8_t>(b));
  }
  bool Contains(uint8_t byte) const { return ((words[byte >> 6] >> (byte & 63)) & 1) != 0; }
  void Merge(const ByteSet& other) {
    for (size_t i = 0; i < words.size(); ++i) words[i] |= other.words[i];
  }
  bool empty() const { return (words[0] | words[1] | words[2] | words[3]) == 0; }
  int size() const;
  /// The smallest member; precondition: not empty.
  uint8_t First() const;
};

class ByteDfa {
 public:
  static constexpr uint32_t kDead = 0xFFFFFFFF;

  uint32_t num_states() const { return num_states_; }
  uint32_t Next(uint32_t state, uint8_t byte) const {
    return table_[state * num_classes_ + class_of_[byte]];
  }
  bool IsAccept(uint32_t state) const { return (flags_[state] & kAcceptFlag) != 0; }
  /// No edge leaves the state.
  bool IsFinal(uint32_t state) const { return (flags_[state] & kFinalFlag) != 0; }
  const ByteSet& first_bytes(uint32_t state) const { return first_bytes_[state]; }
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
  static constexpr uint8_t kAcceptFlag = 1;
  static constexpr uint8_t kFinalFlag = 2;

  ByteDfa() = default;

  uint32_t num_states_ = 0;
  uint32_t num_classes_ = 1;
  bool prefix_free_ = false;
  std::array<uint8_t, 256> class_of_{};
  std::vector<uint8_t> byte_runs_;
  std::vector<uint32_t> table_;
  std::vector<uint8_t> flags_;
  std::vector<ByteSet> first_bytes_;
};

using ByteDfaPtr = std::shared_ptr<const ByteDfa>;

/// Subset construction (Rabin and Scott 1959) followed by minimisation (equivalent_rows.h) of small
/// results. Returns nullopt when more than `max_states` states would be needed. Precondition:
/// `start` and `accept` are states of the NFA.
std::optional<ByteDfa> DeterminizeBytes(const ByteNfa& nfa, int32_t start, int32_t accept,
                                        uint32_t max_states);

}  // namespace xgrammar
