// TokenMask: copying out.
//
// Writes every word of the row, parts first and then single ids, so a caller need not clear it.
// Stop and special tokens are added by the matcher.
#include "mask/token_mask.h"

#include <algorithm>
#include <utility>

namespace xgrammar {

TokenMask::TokenMask(std::vector<Part> parts, std::vector<int32_t> ids, std::vector<uint32_t> words)
    : parts_(std::move(parts)), ids_(std::move(ids)), words_(std::move(words)) {
  std::stable_partition(parts_.begin(), parts_.end(),
                        [](const Part& part) { return part.local->is_dense(); });
}

void TokenMask::WriteTo(std::span<uint32_t> row) const {
  bool is_clear = words_.empty();
  if (!is_clear) std::copy(words_.begin(), words_.end(), row.begin());
  // A dense part overwrites a clear row; anything else needs it to be zero first.
  const bool overwritten = is_clear && !parts_.empty() && parts_[0].local->is_dense();
  if (is_clear && !overwritten) std::fill(row.begin(), row.end(), 0u);
  for (const Part& part : parts_) {
    part.local->AddTo(row, is_clear, part.room);
    is_clear = false;
  }
  for (int32_t id : ids_) row[static_cast<size_t>(id) >> 5] |= 1u << (id & 31);
}

int64_t TokenMask::MemorySizeBytes() const {
  return static_cast<int64_t>(sizeof(*this) + ids_.capacity() * sizeof(int32_t) +
                              words_.capacity() * sizeof(uint32_t) +
                              parts_.capacity() * sizeof(Part));
}

}  // namespace xgrammar
