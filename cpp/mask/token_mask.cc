// TokenMask: copying out.
#include "mask/token_mask.h"

#include <algorithm>
#include <utility>

namespace xgrammar {

TokenMask::TokenMask(std::shared_ptr<const LocalMask> base, std::vector<int32_t> ids, std::vector<uint32_t> words)
    : base_(std::move(base)), ids_(std::move(ids)), words_(std::move(words)) {}

void TokenMask::WriteTo(std::span<uint32_t> row) const {
  const std::span<const uint32_t> dense = base_ ? base_->words() : std::span<const uint32_t>(words_);
  if (dense.empty()) {
    std::fill(row.begin(), row.end(), 0u);
  } else {
    std::copy(dense.begin(), dense.end(), row.begin());
  }
  for (int32_t id : ids_) row[static_cast<size_t>(id) >> 5] |= 1u << (id & 31);
}

bool TokenMask::Contains(int32_t token) const {
  const std::span<const uint32_t> dense = base_ ? base_->words() : std::span<const uint32_t>(words_);
  if (!dense.empty() && ((dense[static_cast<size_t>(token) >> 5] >> (token & 31)) & 1u) != 0) return true;
  return std::find(ids_.begin(), ids_.end(), token) != ids_.end();
}

int64_t TokenMask::MemorySizeBytes() const {
  return static_cast<int64_t>(sizeof(*this) + ids_.capacity() * sizeof(int32_t) +
                              words_.capacity() * sizeof(uint32_t));
}

}  // namespace xgrammar
