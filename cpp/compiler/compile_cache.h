// CompileCache: compiled grammars by source, least recently used out first, never above its byte
// limit after a call.
//
// Single flight: of equal concurrent requests one compiles and the others wait for its result (or
// its error). No lock is held while compiling. Keys are whole sources with all options, so unequal
// requests never share an entry.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <mutex>
#include <string>
#include <unordered_map>

#include "compiler/compiled_grammar.h"

namespace xgrammar {

class CompileCache {
 public:
  /// `limit_bytes` -1: no limit.
  CompileCache(bool enabled, int64_t limit_bytes) : enabled_(enabled), limit_bytes_(limit_bytes) {}

  CompiledGrammarPtr GetOrCompile(const std::string& key,
                                  const std::function<CompiledGrammarPtr()>& compile);
  void Clear();
  /// Bytes held now. Entries grow as they are used, so they are measured, and evicted if need be,
  /// at every call.
  int64_t SizeBytes();
  int64_t limit_bytes() const { return limit_bytes_; }

 private:
  struct Entry {
    std::string key;
    CompiledGrammarPtr compiled;
  };
  using EntryList = std::list<Entry>;

  int64_t MeasureLocked() const;
  void EvictLocked();

  const bool enabled_;
  const int64_t limit_bytes_;
  std::mutex mutex_;
  EntryList entries_;  // Guarded by mutex_, as is everything below; most recently used first.
  std::unordered_map<std::string, EntryList::iterator> index_;
  std::unordered_map<std::string, std::shared_future<CompiledGrammarPtr>> in_flight_;
};

}  // namespace xgrammar
