// TokenMask: the finished mask of a parser set over ordinary tokens (neither special nor stop), in
// compact form: local masks that are shared, and a few ids on top; or, when there is much of its
// own, words. Immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mask/local_mask.h"

namespace xgrammar {

class TokenMask {
 public:
  /// A local mask as seen with so many copies left.
  struct Part {
    std::shared_ptr<const LocalMask> local;
    uint32_t room = CopyBounds::kManyCopies;
    friend bool operator==(const Part&, const Part&) = default;
  };

  /// `words` is empty or has ceil(vocab_size/32) words. The mask is the union of all three.
  TokenMask(std::vector<Part> parts, std::vector<int32_t> ids, std::vector<uint32_t> words);

  /// Overwrites the row. Precondition: it has ceil(vocab_size/32) words. Cost: one copy of the row,
  /// plus the ids.
  void WriteTo(std::span<uint32_t> row) const;
  /// Bytes held, shared parts left out.
  int64_t MemorySizeBytes() const;

 private:
  std::vector<Part> parts_;  // Dense ones first.
  std::vector<int32_t> ids_;
  std::vector<uint32_t> words_;
};

}  // namespace xgrammar
