// RowsOnDemand: the rows of a large deterministic automaton over bytes, made when they are first
// asked for.
//
// A key that must not be one of a thousand names is an automaton of ten thousand states, of which a
// request visits a few hundred. What is known at once is what other parts of the library must know
// beforehand: a bound of the states, where the automaton may end, and which bytes no state tells
// apart.
//
// Safe to share: a row is made once under a lock, published, and read without one.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <vector>

#include "automata/byte_set.h"
#include "automata/byte_table.h"
#include "support/arena.h"
#include "support/fork_safety.h"

namespace xgrammar {

class RowsOnDemand {
 public:
  /// Bits of StateFlags.
  static constexpr uint8_t kAccept = 1;
  static constexpr uint8_t kFinal = 2;  ///< No edge leaves the state.

  RowsOnDemand() = default;
  RowsOnDemand(const RowsOnDemand&) = delete;
  RowsOnDemand& operator=(const RowsOnDemand&) = delete;
  virtual ~RowsOnDemand() = default;

  /// More than every number of a state.
  virtual uint32_t num_states() const = 0;
  virtual const ByteClasses& classes() const = 0;
  /// Of each state.
  virtual std::vector<uint8_t> StateFlags() const = 0;
  /// With all rows.
  virtual int64_t MaxMemorySizeBytes() const = 0;

  /// The target of each byte class, ByteDfa::kDead for none; once for all threads: stored in
  /// `place` and owned by this. FirstBytesOf reads what stands before it.
  const uint32_t* MakeRow(uint32_t state, std::atomic<const uint32_t*>* place) const;
  static ByteSet FirstBytesOf(const uint32_t* row) {
    ByteSet bytes;
    std::memcpy(bytes.words.data(), row - kWordsOfFirstBytes, sizeof(bytes.words));
    return bytes;
  }

 protected:
  static constexpr size_t kWordsOfFirstBytes = sizeof(ByteSet) / sizeof(uint32_t);

  /// Fills the row and the empty set of its bytes. By one thread at a time.
  virtual void WriteRow(uint32_t state, uint32_t* row, ByteSet* first) const = 0;

 private:
  mutable ForkSafeMutex mutex_;
  mutable Arena arena_;  ///< Holds the rows. Guarded by mutex_.
};

}  // namespace xgrammar
