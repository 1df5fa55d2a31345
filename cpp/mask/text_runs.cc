// TextRuns: look-up, and when a state counts as shared.
//
// One short section under the lock for each text that ends within a token. Past the bound nothing
// more is kept, and states are read with their callers, as before they were shared.
#include "mask/text_runs.h"

#include <utility>

namespace xgrammar {

TextRuns::Answer TextRuns::Find(const Key& key, ContinuationId continuation, uint32_t build) {
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  if (met_with_.size() <= key.state) met_with_.resize(size_t{key.state} + 1, Met());
  Met& met = met_with_[key.state];
  if (met.continuation == kNone) met = {continuation, build};
  if (met.continuation == continuation || (met.continuation != kSeveral && met.build == build)) {
    return {};
  }
  met.continuation = kSeveral;
  const auto known = runs_.find(key);
  if (known != runs_.end()) return {true, known->second.run};
  return {size_bytes_ < max_bytes_, nullptr};
}

int64_t TextRuns::Keep(const Key& key, std::shared_ptr<const TextRun> run,
                       std::shared_ptr<const LocalMask> owner) {
  constexpr int64_t kEntryBytes = sizeof(Key) + sizeof(Entry) + 48;
  const int64_t bytes = run->MemorySizeBytes() + kEntryBytes;
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  if (size_bytes_ + bytes > max_bytes_) return 0;
  if (!runs_.try_emplace(key, Entry{std::move(run), std::move(owner)}).second) return 0;
  size_bytes_ += bytes;
  return bytes;
}

}  // namespace xgrammar
