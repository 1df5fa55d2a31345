// TokenMask: the finished mask of a parser set over ordinary tokens (neither special nor stop), in compact form: a
// shared local mask, a few ids on top, or words of its own. Immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mask/local_mask.h"

namespace xgrammar {

class TokenMask {
 public:
  TokenMask(std::shared_ptr<const LocalMask> base, std::vector<int32_t> ids, std::vector<uint32_t> words);

  /// Overwrites the row. Precondition: it has ceil(vocab_size/32) words.
  void WriteTo(std::span<uint32_t> row) const;
  bool Contains(int32_t token) const;
  /// Bytes held, the shared base left out.
  int64_t MemorySizeBytes() const;

 private:
  std::shared_ptr<const LocalMask> base_;  // Dense, or null.
  std::vector<int32_t> ids_;
  std::vector<uint32_t> words_;  // Dense words of its own, or empty.
};

}  // namespace xgrammar
