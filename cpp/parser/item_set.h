// SeenItems: a set of items that is emptied in O(1), for worklists. Owned by one thread.
//
// Open addressing; each slot remembers the round in which it was filled, so that a new round makes
// all slots free. Used by the closure, which runs once for every new set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "parser/item.h"

namespace xgrammar {

class SeenItems {
 public:
  void Clear() {
    ++epoch_;
    count_ = 0;
  }
  /// Returns false if the item was there.
  bool Add(const Item& item) {
    if ((count_ + 1) * 2 > slots_.size()) Grow();
    return Put(item);
  }
  size_t size() const { return count_; }
  int64_t MemorySizeBytes() const { return static_cast<int64_t>(slots_.capacity() * sizeof(Slot)); }

 private:
  struct Slot {
    Item item;
    uint32_t epoch = 0;
  };

  bool Put(const Item& item) {
    const uint64_t mask = slots_.size() - 1;
    for (uint64_t i = HashItem(item) & mask;; i = (i + 1) & mask) {
      if (slots_[i].epoch != epoch_) {
        slots_[i] = {item, epoch_};
        ++count_;
        return true;
      }
      if (slots_[i].item == item) return false;
    }
  }
  void Grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    count_ = 0;
    for (const Slot& s : old) {
      if (s.epoch == epoch_) Put(s.item);
    }
  }

  std::vector<Slot> slots_;
  uint32_t epoch_ = 1;
  size_t count_ = 0;
};

}  // namespace xgrammar
