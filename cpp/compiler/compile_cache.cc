// CompileCache: look-up, single flight, eviction.
//
// Entries are a list in order of use with an index into it, so each operation is O(1) plus the
// length of the key. What is dropped is destroyed after the lock is released. A waiting request
// wakes now and then to look at its own budget.
#include "compiler/compile_cache.h"

#include <chrono>
#include <exception>
#include <utility>

#include "support/error.h"
#include "support/work_meter.h"

namespace xgrammar {

namespace {

// How long a waiting request sleeps before it looks at its own budget.
constexpr std::chrono::milliseconds kWaitSlice(10);

// List node, index slot and control blocks of one entry, about.
constexpr int64_t kEntryOverheadBytes = 192;

int64_t OwnBytes(const std::string& key) {
  return static_cast<int64_t>(key.size()) + kEntryOverheadBytes;
}

/// Waits for another request's result within the budget of this one.
CompiledGrammarPtr WaitFor(const std::shared_future<CompiledGrammarPtr>& result) {
  while (result.wait_for(kWaitSlice) != std::future_status::ready) {
    CheckWork("waiting for an equal request");
  }
  return result.get();
}

}  // namespace

CompiledGrammarPtr CompileCache::GetOrCompile(const std::string& key,
                                              const std::function<CompiledGrammarPtr()>& compile) {
  if (!enabled_) return compile();
  for (;;) {
    FlightPtr flight;
    bool is_ours = false;
    EntryList dropped;
    {
      const std::lock_guard<ForkSafeMutex> lock(mutex_);
      if (CompiledGrammarPtr found = FindLocked(key, &dropped)) return found;
      FlightPtr& slot = in_flight_[key];
      if (slot == nullptr || slot->process != ForkGate::ProcessNumber()) {
        slot = std::make_shared<Flight>();
        is_ours = true;
      }
      flight = slot;
      ++(is_ours ? counts_.misses : counts_.joined);
    }
    if (is_ours) return Compile(key, flight, compile);
    if (CompiledGrammarPtr compiled = WaitFor(flight->result)) return compiled;
    // Given up by its caller: that is no answer to this request.
  }
}

CompiledGrammarPtr CompileCache::FindLocked(std::string_view key, EntryList* dropped) {
  const auto found = index_.find(key);
  if (found == index_.end()) return nullptr;
  ++counts_.hits;
  entries_.splice(entries_.begin(), entries_, found->second);
  CompiledGrammarPtr compiled = entries_.front().compiled;
  EvictLocked(dropped);
  return compiled;
}

CompiledGrammarPtr CompileCache::Compile(const std::string& key, const FlightPtr& flight,
                                         const std::function<CompiledGrammarPtr()>& compile) {
  CompiledGrammarPtr compiled;
  EntryList dropped;
  try {
    compiled = compile();
    Insert(key, compiled, &dropped);
  } catch (const Error& error) {
    Land(key, flight);
    if (error.kind() == ErrorKind::kBudget) {
      flight->promise.set_value(nullptr);
    } else {
      flight->promise.set_exception(std::current_exception());
    }
    throw;
  } catch (...) {
    // Memory, or the caller's interrupt.
    Land(key, flight);
    flight->promise.set_value(nullptr);
    throw;
  }
  Land(key, flight);
  flight->promise.set_value(compiled);
  return compiled;
}

void CompileCache::Land(const std::string& key, const FlightPtr& flight) {
  const std::lock_guard<ForkSafeMutex> lock(mutex_);
  const auto found = in_flight_.find(key);
  if (found != in_flight_.end() && found->second == flight) in_flight_.erase(found);
}

void CompileCache::Insert(const std::string& key, const CompiledGrammarPtr& compiled,
                          EntryList* dropped) {
  const std::lock_guard<ForkSafeMutex> lock(mutex_);
  if (index_.find(key) != index_.end()) return;
  entries_.push_front({key, compiled});
  index_.emplace(entries_.front().key, entries_.begin());
  bytes_->fetch_add(OwnBytes(key), std::memory_order_relaxed);
  compiled->CountTowards(bytes_);
  EvictLocked(dropped);
}

int64_t CompileCache::EvictLocked(EntryList* dropped) {
  for (;;) {
    const int64_t bytes = bytes_->load(std::memory_order_relaxed);
    if (limit_bytes_ < 0 || bytes <= limit_bytes_ || entries_.empty()) return bytes;
    const auto last = std::prev(entries_.end());
    index_.erase(last->key);
    last->compiled->CountTowards(nullptr);
    bytes_->fetch_sub(OwnBytes(last->key), std::memory_order_relaxed);
    ++counts_.evictions;
    dropped->splice(dropped->begin(), entries_, last);
  }
}

void CompileCache::Clear() {
  EntryList dropped;  // Freed after the lock is.
  const std::lock_guard<ForkSafeMutex> lock(mutex_);
  index_.clear();
  dropped.swap(entries_);
  for (const Entry& entry : dropped) {
    entry.compiled->CountTowards(nullptr);
    bytes_->fetch_sub(OwnBytes(entry.key), std::memory_order_relaxed);
  }
}

int64_t CompileCache::SizeBytes() { return statistics().bytes; }

CompileCache::Statistics CompileCache::statistics() {
  EntryList dropped;
  const std::lock_guard<ForkSafeMutex> lock(mutex_);
  const int64_t bytes = EvictLocked(&dropped);
  Statistics out = counts_;
  out.entries = static_cast<int64_t>(entries_.size());
  out.bytes = bytes;
  return out;
}

}  // namespace xgrammar
