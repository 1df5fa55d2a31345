// CompileCache: compiled grammars by source, least recently requested out first, never above its
// byte limit after a call.
//
// Single flight: of equal concurrent requests one compiles and the others wait for its result (or
// its error). A request that is given up (time, interrupt, memory) fails alone: one of those who
// wait compiles in its place. No lock is held while compiling. Keys are whole sources with all
// options, compared in full, so unequal requests never share an entry.
//
// Entries grow while they are used. They report their growth to a total (ByteAccount), so the size
// is known without visiting them, and evicting one is O(1). A flight of the parent process is
// nobody's in a forked child.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "compiler/compiled_grammar.h"
#include "support/byte_account.h"
#include "support/fork_safety.h"

namespace xgrammar {

class CompileCache {
 public:
  /// Counts since the cache was made, and what it holds now.
  struct Statistics {
    int64_t hits = 0;       ///< Requests answered from the cache.
    int64_t joined = 0;     ///< Requests answered by the compilation of an equal one.
    int64_t misses = 0;     ///< Requests that compiled.
    int64_t evictions = 0;  ///< Entries dropped for the limit.
    int64_t entries = 0;
    int64_t bytes = 0;
  };

  /// `limit_bytes` -1: no limit.
  CompileCache(bool enabled, int64_t limit_bytes) : enabled_(enabled), limit_bytes_(limit_bytes) {}
  ~CompileCache() { Clear(); }
  CompileCache(const CompileCache&) = delete;
  CompileCache& operator=(const CompileCache&) = delete;

  CompiledGrammarPtr GetOrCompile(const std::string& key,
                                  const std::function<CompiledGrammarPtr()>& compile);
  void Clear();
  /// Bytes held now: compiled grammars, keys and a fixed sum for each entry. Entries that have
  /// grown past the limit are evicted first.
  int64_t SizeBytes();
  Statistics statistics();
  int64_t limit_bytes() const { return limit_bytes_; }

 private:
  struct Entry {
    std::string key;
    CompiledGrammarPtr compiled;
  };
  using EntryList = std::list<Entry>;
  /// A compilation that others may wait for. The result is null if it was given up.
  struct Flight {
    std::promise<CompiledGrammarPtr> promise;
    std::shared_future<CompiledGrammarPtr> result = promise.get_future().share();
    uint64_t process = ForkGate::ProcessNumber();
  };
  using FlightPtr = std::shared_ptr<Flight>;

  CompiledGrammarPtr FindLocked(std::string_view key, EntryList* dropped);
  CompiledGrammarPtr Compile(const std::string& key, const FlightPtr& flight,
                             const std::function<CompiledGrammarPtr()>& compile);
  void Land(const std::string& key, const FlightPtr& flight);
  void Insert(const std::string& key, const CompiledGrammarPtr& compiled, EntryList* dropped);
  /// Moves what must go to `dropped`, to be freed when the lock is. Returns the bytes that were
  /// held then: other threads may make entries grow at any moment, which the next call sees.
  int64_t EvictLocked(EntryList* dropped);

  const bool enabled_;
  const int64_t limit_bytes_;
  const std::shared_ptr<ByteTotal> bytes_ = std::make_shared<ByteTotal>(0);
  ForkSafeMutex mutex_;
  EntryList entries_;  // Guarded by mutex_, as is everything below; most recently used first.
  std::unordered_map<std::string_view, EntryList::iterator> index_;  // Keys live in the entries.
  std::unordered_map<std::string, FlightPtr> in_flight_;
  Statistics counts_;
};

}  // namespace xgrammar
