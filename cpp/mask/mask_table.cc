// MaskTable: publish once, read without a lock.
//
// Each set has a slot for a pointer that is set once. A mask that does not fit the budget is
// written to the row and forgotten, so the result never depends on the budget.
#include "mask/mask_table.h"

#include <utility>

#include "mask/distinct_filter.h"
#include "mask/mask_builder.h"

namespace xgrammar {

namespace {
// Runs save time where masks are made; the masks themselves save all of it.
constexpr int64_t kShareOfRuns = 8;
}  // namespace

MaskTable::MaskTable(Parser* parser, TokenizerInfoPtr tokenizer,
                     std::shared_ptr<LocalMaskCache> local_masks, int64_t max_bytes,
                     ByteAccount* account)
    : parser_(*parser),
      tokenizer_(std::move(tokenizer)),
      local_masks_(std::move(local_masks)),
      max_bytes_(max_bytes),
      runs_(max_bytes / kShareOfRuns),
      account_(account) {}

void MaskTable::Fill(SetId set, std::span<uint32_t> row) {
  const SetId normal = parser_.set(set).mask_set;
  FillNormal(parser_.set(normal), normal, row);
  if (parser_.has_distinct()) RefuseEqual(set, row);
}

void MaskTable::RefuseEqual(SetId set, std::span<uint32_t> row) {
  const auto take_out = [&](const std::vector<int32_t>& tokens) {
    for (int32_t token : tokens) row[static_cast<size_t>(token) >> 5] &= ~(1u << (token & 31));
  };
  {
    std::lock_guard<ForkSafeMutex> lock(mutex_);
    const auto known = refused_.find(set);
    if (known != refused_.end()) return take_out(known->second);
  }
  std::vector<int32_t> refused =
      DistinctFilter(&parser_, *tokenizer_, local_masks_->spanning_tokens())
          .RefusedTokens(set, row);
  take_out(refused);
  constexpr int64_t kEntryBytes = 64;
  const int64_t bytes = kEntryBytes + static_cast<int64_t>(refused.size() * sizeof(int32_t));
  if (size_bytes_.load(std::memory_order_relaxed) + bytes > max_bytes_) return;
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  if (!refused_.try_emplace(set, std::move(refused)).second) return;
  size_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (account_ != nullptr) account_->Add(bytes);
}

void MaskTable::FillNormal(const EarleySet& normal, SetId id, std::span<uint32_t> row) {
  const TokenMask* known = normal.mask.load(std::memory_order_acquire);
  if (known != nullptr) {
    known->WriteTo(row);
    return;
  }
  std::unique_ptr<MaskBuilder> builder = local_masks_->idle_builders().Take();
  if (builder == nullptr) builder = std::make_unique<MaskBuilder>(*tokenizer_, local_masks_.get());
  std::unique_ptr<const TokenMask> mask = builder->Build(&parser_, id, &runs_);
  const int64_t bytes_of_runs = builder->bytes_of_runs();
  // One that raises, or that has met with very long tokens or lists, is not kept.
  constexpr int64_t kMaxIdleBytes = 256 << 10;
  if (builder->ScratchBytes() <= kMaxIdleBytes) {
    local_masks_->idle_builders().Give(std::move(builder));
  }
  mask->WriteTo(row);
  if (bytes_of_runs != 0) {
    size_bytes_.fetch_add(bytes_of_runs, std::memory_order_relaxed);
    if (account_ != nullptr) account_->Add(bytes_of_runs);
  }
  const int64_t bytes = mask->MemorySizeBytes() + 16;
  if (size_bytes_.load(std::memory_order_relaxed) + bytes > max_bytes_) return;
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  const TokenMask* expected = nullptr;
  if (!normal.mask.compare_exchange_strong(expected, mask.get(), std::memory_order_release)) return;
  masks_.push_back(std::move(mask));
  size_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (account_ != nullptr) account_->Add(bytes);
  num_masks_.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace xgrammar
