// TokenMask: the finished mask of a parser set over ordinary tokens (neither special nor stop), in compact form: local
// masks that are shared, and a few ids on top; or, when there is much of its own, words. Immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mask/local_mask.h"

namespace xgrammar {

class TokenMask {
 public:
  /// `words` is empty or has ceil(vocab_size/32) words. The mask is the union of all three.
  TokenMask(std::vector<std::shared_ptr<const LocalMask>> parts, std::vector<int32_t> ids,
            std::vector<uint32_t> words);

  /// Overwrites the row. Precondition: it has ceil(vocab_size/32) words. Cost: one copy of the row, plus the ids.
  void WriteTo(std::span<uint32_t> row) const;
  /// Bytes held, shared parts left out.
  int64_t MemorySizeBytes() const;

 private:
  std::vector<std::shared_ptr<const LocalMask>> parts_;  // Dense ones first.
  std::vector<int32_t> ids_;
  std::vector<uint32_t> words_;
};

}  // namespace xgrammar
