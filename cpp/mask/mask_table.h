// MaskTable: the masks of one parser's sets, computed at first use and memoised under a byte
// budget.
//
// Thread-safe. No lock is held while a mask is computed; when two threads compute the same one, the
// first to publish wins. Past the budget masks are computed and not kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "mask/local_mask_cache.h"
#include "mask/text_runs.h"
#include "mask/token_mask.h"
#include "parser/parser.h"
#include "support/byte_account.h"
#include "support/fork_safety.h"
#include "tokenizer/tokenizer_info.h"

namespace xgrammar {

class MaskTable {
 public:
  /// `parser` and `account` (or null), which is told of all growth, must outlive the table.
  MaskTable(Parser* parser, TokenizerInfoPtr tokenizer, std::shared_ptr<LocalMaskCache> local_masks,
            int64_t max_bytes, ByteAccount* account = nullptr);

  /// Writes which ordinary tokens may follow the set, and which tokens its token-level items take;
  /// other special and stop tokens get 0. Raises kLimit.
  void Fill(SetId set, std::span<uint32_t> row);

  /// Names the mask that Fill would have to compute for the set, whichever sets share it; null if
  /// it is known.
  const void* Missing(SetId set) const {
    const EarleySet& normal = parser_.set(parser_.set(set).mask_set);
    return normal.mask.load(std::memory_order_acquire) == nullptr ? &normal : nullptr;
  }

  int64_t num_masks() const { return num_masks_.load(std::memory_order_relaxed); }
  int64_t num_runs() const { return runs_.size(); }
  int64_t MemorySizeBytes() const { return size_bytes_.load(std::memory_order_relaxed); }

 private:
  void FillNormal(const EarleySet& normal, SetId id, std::span<uint32_t> row);
  /// Takes out the tokens that an equal item forbids.
  void RefuseEqual(SetId set, std::span<uint32_t> row);

  Parser& parser_;
  const TokenizerInfoPtr tokenizer_;
  const std::shared_ptr<LocalMaskCache> local_masks_;
  const int64_t max_bytes_;
  TextRuns runs_;
  ByteAccount* const account_;
  std::atomic<int64_t> size_bytes_{0};
  std::atomic<int64_t> num_masks_{0};
  ForkSafeMutex mutex_;
  // Guarded by mutex_.
  std::vector<std::unique_ptr<const TokenMask>> masks_;
  std::unordered_map<SetId, std::vector<int32_t>> refused_;
};

}  // namespace xgrammar
