// EdgeMap: the memo of parser transitions, (set, byte) -> set, read without a lock.
//
// Open addressing over packed 64-bit entries. One thread at a time inserts (under the parser's
// growth lock); an entry is published with release, so whoever reads a target also sees the set
// behind it. Growing publishes a larger table; older ones are kept until the map dies, because a
// reader may still be in them (they add up to less than the newest).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace xgrammar {

class EdgeMap {
 public:
  static constexpr uint32_t kUnknown = 0xFFFFFFFF;
  /// Ids must stay below this: an entry packs source (28 bits), byte (8) and target (28).
  static constexpr uint32_t kMaxSetId = (1u << 28) - 1;

  EdgeMap();
  ~EdgeMap();
  EdgeMap(const EdgeMap&) = delete;
  EdgeMap& operator=(const EdgeMap&) = delete;

  uint32_t Find(uint32_t set, uint8_t byte) const {
    const uint64_t key = (uint64_t{set} << 8) | byte;
    const Table* table = table_.load(std::memory_order_acquire);
    for (uint64_t i = Hash(key) & table->mask;; i = (i + 1) & table->mask) {
      const uint64_t entry = table->slots[i].load(std::memory_order_acquire);
      if (entry == kEmptySlot) return kUnknown;
      if ((entry >> 28) == key) return static_cast<uint32_t>(entry & kMaxSetId);
    }
  }
  void Insert(uint32_t set, uint8_t byte, uint32_t target);

  int64_t size() const { return static_cast<int64_t>(count_.load(std::memory_order_relaxed)); }
  /// Owner's thread only.
  int64_t MemorySizeBytes() const { return memory_size_bytes_; }

 private:
  struct Table {
    explicit Table(uint64_t capacity);
    uint64_t mask;
    std::unique_ptr<std::atomic<uint64_t>[]> slots;
  };
  static constexpr uint64_t kEmptySlot = ~uint64_t{0};

  static uint64_t Hash(uint64_t key) {
    key *= 0x9E3779B97F4A7C15ull;
    return key ^ (key >> 29);
  }
  static void Put(Table* table, uint64_t entry);
  void Publish(std::unique_ptr<Table> table);

  std::atomic<Table*> table_;
  std::vector<std::unique_ptr<Table>> tables_;
  std::atomic<uint64_t> count_{0};
  int64_t memory_size_bytes_ = 0;
};

}  // namespace xgrammar
