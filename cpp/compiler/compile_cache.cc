// CompileCache: look-up, single flight, eviction.
#include "compiler/compile_cache.h"

#include <exception>
#include <utility>

namespace xgrammar {

CompiledGrammarPtr CompileCache::GetOrCompile(const std::string& key,
                                              const std::function<CompiledGrammarPtr()>& compile) {
  if (!enabled_) return compile();
  std::promise<CompiledGrammarPtr> promise;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    auto found = index_.find(key);
    if (found != index_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      CompiledGrammarPtr compiled = entries_.front().compiled;
      EvictLocked();
      return compiled;
    }
    auto flying = in_flight_.find(key);
    if (flying != in_flight_.end()) {
      std::shared_future<CompiledGrammarPtr> result = flying->second;
      lock.unlock();
      return result.get();
    }
    in_flight_.emplace(key, promise.get_future().share());
  }
  CompiledGrammarPtr compiled;
  try {
    compiled = compile();
  } catch (...) {
    std::lock_guard<std::mutex> lock(mutex_);
    in_flight_.erase(key);
    promise.set_exception(std::current_exception());
    throw;
  }
  std::lock_guard<std::mutex> lock(mutex_);
  in_flight_.erase(key);
  promise.set_value(compiled);
  if (index_.find(key) == index_.end()) {
    entries_.push_front({key, compiled});
    index_[key] = entries_.begin();
  }
  EvictLocked();
  return compiled;
}

int64_t CompileCache::MeasureLocked() const {
  int64_t bytes = 0;
  for (const Entry& entry : entries_) {
    bytes += entry.compiled->MemorySizeBytes() + 2 * static_cast<int64_t>(entry.key.size()) + 128;
  }
  return bytes;
}

void CompileCache::EvictLocked() {
  if (limit_bytes_ < 0) return;
  int64_t bytes = MeasureLocked();
  while (!entries_.empty() && bytes > limit_bytes_) {
    const Entry& last = entries_.back();
    bytes -= last.compiled->MemorySizeBytes() + 2 * static_cast<int64_t>(last.key.size()) + 128;
    index_.erase(last.key);
    entries_.pop_back();
  }
}

void CompileCache::Clear() {
  EntryList dropped;  // Freed after the lock is.
  std::lock_guard<std::mutex> lock(mutex_);
  index_.clear();
  dropped.swap(entries_);
}

int64_t CompileCache::SizeBytes() {
  std::lock_guard<std::mutex> lock(mutex_);
  EvictLocked();
  return MeasureLocked();
}

}  // namespace xgrammar
