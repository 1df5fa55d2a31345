// IdTable: an open-addressing index from value hashes to ids. The values live elsewhere; the caller
// compares them. This is the memory of every interner. Owned by one thread at a time.
//
// Nothing can be taken out, so probing needs no marks for deleted entries.
#pragma once

#include <cstdint>
#include <vector>

namespace xgrammar {

class IdTable {
 public:
  static constexpr uint32_t kNotFound = 0xFFFFFFFF;

  /// The id for which `equals(id)` holds among those stored under the hash.
  template <typename Equals>
  uint32_t Find(uint64_t hash, Equals equals) const {
    if (slots_.empty()) return kNotFound;
    const uint64_t mask = slots_.size() - 1;
    for (uint64_t i = hash & mask; slots_[i].id != kNotFound; i = (i + 1) & mask) {
      if (slots_[i].hash == hash && equals(slots_[i].id)) return slots_[i].id;
    }
    return kNotFound;
  }

  /// Precondition: no equal value is stored.
  void Insert(uint64_t hash, uint32_t id) {
    if ((count_ + 1) * 2 > slots_.size()) Grow();
    Put(hash, id);
    ++count_;
  }

  int64_t MemorySizeBytes() const { return static_cast<int64_t>(slots_.size() * sizeof(Slot)); }

 private:
  struct Slot {
    uint64_t hash = 0;
    uint32_t id = kNotFound;
  };

  void Put(uint64_t hash, uint32_t id) {
    const uint64_t mask = slots_.size() - 1;
    uint64_t i = hash & mask;
    while (slots_[i].id != kNotFound) i = (i + 1) & mask;
    slots_[i] = {hash, id};
  }
  void Grow() {
    std::vector<Slot> old(slots_.empty() ? 32 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& s : old) {
      if (s.id != kNotFound) Put(s.hash, s.id);
    }
  }

  std::vector<Slot> slots_;
  uint64_t count_ = 0;
};

}  // namespace xgrammar
