// LocalMaskCache: the local masks of one tokenizer, shared by all grammars compiled for it, and the automata they
// belong to.
//
// Thread-safe: a missing mask is computed outside the lock; when two threads compute the same one, the first is kept.
// Bounded: past its byte budget the cache starts over, while masks in use live on in their users.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "lowering/fold_to_dfa.h"
#include "mask/local_mask.h"
#include "mask/marker_tokens.h"
#include "tokenizer/tokenizer_info.h"

namespace xgrammar {

class LocalMaskCache {
 public:
  static constexpr int64_t kDefaultMaxBytes = int64_t{256} << 20;

  explicit LocalMaskCache(TokenizerInfoPtr tokenizer, int64_t max_bytes = kDefaultMaxBytes);
  ~LocalMaskCache();

  /// The mask of a state of a plain automaton.
  std::shared_ptr<const LocalMask> Get(const ByteDfaPtr& dfa, uint32_t state);

  struct CountedMask {
    std::shared_ptr<const LocalMask> mask;
    bool may_exit = true;  ///< False: too many copies are owed for any token to leave; ignore tails and soft exits.
  };
  /// The mask of a state of one copy inside a repetition.
  CountedMask GetCounted(const ByteDfaPtr& dfa, uint32_t state, const LocalMask::CopyBounds& copies);

  const MarkerTokens& markers() const { return markers_; }
  const std::shared_ptr<DfaCache>& dfa_cache() const { return dfa_cache_; }
  int64_t SizeBytes() const;
  void Clear();

 private:
  struct Key {
    ByteDfaPtr dfa;  // Keeps the automaton alive, so that its address stays its identity.
    uint32_t state;
    bool counted;
    LocalMask::CopyBounds copies;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };

  std::shared_ptr<const LocalMask> GetByKey(const Key& key);

  const TokenizerInfoPtr tokenizer_;
  const MarkerTokens markers_;
  const std::shared_ptr<DfaCache> dfa_cache_;
  const int64_t max_bytes_;
  mutable std::mutex mutex_;
  std::unordered_map<Key, std::shared_ptr<const LocalMask>, KeyHash> masks_;  // Guarded by mutex_.
  int64_t size_bytes_ = 0;                                                     // Guarded by mutex_.
};

}  // namespace xgrammar
