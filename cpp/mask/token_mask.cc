// TokenMask: copying out.
#include "mask/token_mask.h"

#include <algorithm>
#include <utility>

namespace xgrammar {

namespace {

void SetBits(std::span<const int32_t> ids, std::span<uint32_t> row) {
  for (int32_t id : ids) row[static_cast<size_t>(id) >> 5] |= 1u << (id & 31);
}

}  // namespace

TokenMask::TokenMask(std::vector<std::shared_ptr<const LocalMask>> parts, std::vector<int32_t> ids,
                     std::vector<uint32_t> words)
    : parts_(std::move(parts)), ids_(std::move(ids)), words_(std::move(words)) {
  std::stable_partition(parts_.begin(), parts_.end(), [](const auto& part) { return part->is_dense(); });
}

void TokenMask::WriteTo(std::span<uint32_t> row) const {
  bool written = !words_.empty();
  if (written) std::copy(words_.begin(), words_.end(), row.begin());
  for (const auto& part : parts_) {
    if (!part->is_dense()) break;
    const std::span<const uint32_t> words = part->words();
    if (written) {
      for (size_t i = 0; i < row.size(); ++i) row[i] |= words[i];
    } else {
      std::copy(words.begin(), words.end(), row.begin());
      written = true;
    }
  }
  if (!written) std::fill(row.begin(), row.end(), 0u);
  for (const auto& part : parts_) SetBits(part->ids(), row);
  SetBits(ids_, row);
}

int64_t TokenMask::MemorySizeBytes() const {
  return static_cast<int64_t>(sizeof(*this) + ids_.capacity() * sizeof(int32_t) +
                              words_.capacity() * sizeof(uint32_t) +
                              parts_.capacity() * sizeof(std::shared_ptr<const LocalMask>));
}

}  // namespace xgrammar
