// EdgeMap: insertion and growth.
//
// Linear probing in a table that is at most partly full; growth copies into a table of twice the
// size before it is published, so readers see one table or the other. Reading is in the header, for
// speed.
#include "parser/edge_map.h"

#include <utility>

namespace xgrammar {

namespace {
constexpr uint64_t kFirstCapacity = 256;
}  // namespace

EdgeMap::Table::Table(uint64_t capacity)
    : mask(capacity - 1), slots(std::make_unique<std::atomic<uint64_t>[]>(capacity)) {
  for (uint64_t i = 0; i < capacity; ++i) slots[i].store(kEmptySlot, std::memory_order_relaxed);
}

EdgeMap::EdgeMap() { Publish(std::make_unique<Table>(kFirstCapacity)); }

EdgeMap::~EdgeMap() = default;

void EdgeMap::Publish(std::unique_ptr<Table> table) {
  memory_size_bytes_ += static_cast<int64_t>((table->mask + 1) * sizeof(uint64_t));
  table_.store(table.get(), std::memory_order_release);
  tables_.push_back(std::move(table));
}

void EdgeMap::Put(Table* table, uint64_t entry) {
  uint64_t i = Hash(entry >> 28) & table->mask;
  while (table->slots[i].load(std::memory_order_relaxed) != kEmptySlot) i = (i + 1) & table->mask;
  table->slots[i].store(entry, std::memory_order_release);
}

void EdgeMap::Insert(uint32_t set, uint8_t byte, uint32_t target) {
  Table* table = tables_.back().get();
  const uint64_t count = count_.load(std::memory_order_relaxed);
  if ((count + 1) * 2 > table->mask + 1) {
    auto larger = std::make_unique<Table>((table->mask + 1) * 2);
    for (uint64_t i = 0; i <= table->mask; ++i) {
      const uint64_t entry = table->slots[i].load(std::memory_order_relaxed);
      if (entry != kEmptySlot) Put(larger.get(), entry);
    }
    table = larger.get();
    Publish(std::move(larger));
  }
  Put(table, (((uint64_t{set} << 8) | byte) << 28) | target);
  count_.store(count + 1, std::memory_order_relaxed);
}

}  // namespace xgrammar
