// RowsOnDemand: a row and its first bytes are one block of the arena.
//
// The lock is held while a row is written, so that two threads do not write the same one; readers
// see either no row or the whole of it.
#include "automata/rows_on_demand.h"

#include <array>
#include <mutex>
#include <span>

namespace xgrammar {

const uint32_t* RowsOnDemand::MakeRow(uint32_t state, std::atomic<const uint32_t*>* place) const {
  const std::lock_guard<ForkSafeMutex> lock(mutex_);
  const uint32_t* row = place->load(std::memory_order_relaxed);
  if (row != nullptr) return row;
  ByteSet first;
  std::array<uint32_t, kWordsOfFirstBytes + 256> words;
  WriteRow(state, words.data() + kWordsOfFirstBytes, &first);
  std::memcpy(words.data(), first.words.data(), sizeof(first.words));
  const size_t num_words = kWordsOfFirstBytes + classes().count;
  row = arena_.Copy(std::span<const uint32_t>(words.data(), num_words)).data() + kWordsOfFirstBytes;
  place->store(row, std::memory_order_release);
  return row;
}

}  // namespace xgrammar
