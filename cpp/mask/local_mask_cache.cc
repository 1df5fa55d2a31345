// LocalMaskCache: look-up, and which copy bounds a token can tell apart.
#include "mask/local_mask_cache.h"

#include <algorithm>
#include <utility>

#include "mask/local_mask_builder.h"

namespace xgrammar {

size_t LocalMaskCache::KeyHash::operator()(const Key& key) const {
  uint64_t h = reinterpret_cast<uintptr_t>(key.dfa.get());
  for (uint64_t part : {uint64_t{key.state}, uint64_t{key.counted}, uint64_t{key.copies.room},
                        uint64_t{key.copies.owed}}) {
    h = (h ^ part) * 0x9E3779B97F4A7C15ull;
    h ^= h >> 32;
  }
  return static_cast<size_t>(h);
}

LocalMaskCache::LocalMaskCache(TokenizerInfoPtr tokenizer, int64_t max_bytes)
    : tokenizer_(std::move(tokenizer)),
      markers_(*tokenizer_),
      dfa_cache_(std::make_shared<DfaCache>()),
      max_bytes_(max_bytes) {}

LocalMaskCache::~LocalMaskCache() = default;

std::shared_ptr<const LocalMask> LocalMaskCache::Get(const ByteDfaPtr& dfa, uint32_t state) {
  return GetByKey({dfa, state, false, {}});
}

LocalMaskCache::CountedMask LocalMaskCache::GetCounted(const ByteDfaPtr& dfa, uint32_t state,
                                                       const LocalMask::CopyBounds& copies) {
  std::shared_ptr<const LocalMask> free_mask = GetByKey({dfa, state, true, {}});
  const uint32_t far = free_mask->max_copies() + 1;
  const bool room_is_far = copies.room >= far;
  if (room_is_far && copies.owed == 0) return {std::move(free_mask), true};
  if (room_is_far && copies.owed >= far) return {std::move(free_mask), false};
  const LocalMask::CopyBounds near{std::min(copies.room, far), std::min(copies.owed, far)};
  return {GetByKey({dfa, state, true, near}), true};
}

std::shared_ptr<const LocalMask> LocalMaskCache::GetByKey(const Key& key) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    auto it = masks_.find(key);
    if (it != masks_.end()) return it->second;
  }
  LocalMaskBuilder builder(*tokenizer_);
  std::shared_ptr<const LocalMask> mask = builder.Build(*key.dfa, key.state, key.counted, key.copies);
  const int64_t bytes = mask->MemorySizeBytes() + static_cast<int64_t>(sizeof(Key)) + 64;
  std::lock_guard<std::mutex> lock(mutex_);
  if (size_bytes_ + bytes > max_bytes_) {
    masks_.clear();
    size_bytes_ = 0;
  }
  auto [it, inserted] = masks_.try_emplace(key, std::move(mask));
  if (inserted) size_bytes_ += bytes;
  return it->second;
}

int64_t LocalMaskCache::SizeBytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return size_bytes_ + dfa_cache_->SizeBytes();
}

void LocalMaskCache::Clear() {
  std::lock_guard<std::mutex> lock(mutex_);
  masks_.clear();
  size_bytes_ = 0;
}

}  // namespace xgrammar
