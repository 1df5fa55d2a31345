// LocalMaskCache: the local masks of one tokenizer, shared by all grammars compiled for it, and the
// automata they belong to.
//
// A mask depends only on what can be reached from its state, so it is stored under a spelling of
// that part of the automaton: the string body of every schema is one entry, whatever automaton it
// stands in. A second index by automaton and state saves the spelling on later look-ups. States
// that go on with few bytes are in that index alone: their masks cost less than the spelling.
//
// Thread-safe: a missing mask is computed outside the lock; when two threads compute the same one,
// the first is kept. Bounded: past its byte budget the cache starts over, while masks in use live
// on in their users.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "lowering/fold_to_dfa.h"
#include "mask/kind_masks.h"
#include "mask/length_order.h"
#include "mask/local_mask.h"
#include "mask/marker_tokens.h"
#include "mask/spanning_tokens.h"
#include "support/fork_safety.h"
#include "support/idle_pool.h"
#include "tokenizer/tokenizer_info.h"

namespace xgrammar {

class LocalMaskBuilder;  // mask/local_mask_builder.h
class MaskBuilder;       // mask/mask_builder.h

class LocalMaskCache {
 public:
  static constexpr int64_t kDefaultMaxBytes = int64_t{256} << 20;

  explicit LocalMaskCache(TokenizerInfoPtr tokenizer, int64_t max_bytes = kDefaultMaxBytes,
                          const PartSizes& part_sizes = {});
  ~LocalMaskCache();

  /// The mask of a state; `counted`: the automaton is one copy of a repetition. `builder`, of the
  /// same tokenizer, makes it if it is missing.
  std::shared_ptr<const LocalMask> Get(const ByteDfaPtr& dfa, uint32_t state, bool counted,
                                       LocalMaskBuilder* builder);
  /// The mask of a state for the tokens below a node (LocalMaskBuilder::BuildBelow).
  std::shared_ptr<const LocalMask> GetBelow(const ByteDfaPtr& dfa, uint32_t state, uint32_t node,
                                            LocalMaskBuilder* builder);
  const PartSizes& part_sizes() const { return part_sizes_; }

  /// The masks of kinds that builders of this tokenizer share.
  KindMasks* kind_masks() { return &kind_masks_; }
  /// Builders with the memory of earlier masks.
  IdlePool<MaskBuilder>& idle_builders() { return idle_builders_; }

  const MarkerTokens& markers() const { return markers_; }
  /// All ids with text, special and stop tokens included.
  struct TextTokens {
    std::vector<uint32_t> words;
    bool Contains(int32_t id) const {
      const size_t word = static_cast<size_t>(id) >> 5;
      return id >= 0 && word < words.size() && ((words[word] >> (id & 31)) & 1u) != 0;
    }
  };
  const TextTokens& text_tokens() const { return text_tokens_; }
  const std::shared_ptr<DfaCache>& dfa_cache() const { return dfa_cache_; }
  /// Made when first asked for. Thread-safe.
  const SpanningTokens& spanning_tokens();
  /// The same.
  const LengthOrder& length_order(bool escapes);
  int64_t SizeBytes() const;
  void Clear();

 private:
  struct Key {
    ByteDfaPtr dfa;  // Keeps the automaton alive, so that its address stays its identity.
    uint32_t state;
    bool counted;
    uint32_t below = kWholeTree;  ///< The node that the tokens begin with.
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  using MaskPtr = std::shared_ptr<const LocalMask>;
  static constexpr uint32_t kWholeTree = 0xFFFFFFFF;
  struct BeforeLoop {
    MaskPtr loop;
    uint8_t byte;
    friend bool operator==(const BeforeLoop&, const BeforeLoop&) = default;
  };
  struct BeforeLoopHash {
    size_t operator()(const BeforeLoop& key) const {
      return std::hash<MaskPtr>()(key.loop) * 257 + key.byte;
    }
  };

  static constexpr int64_t kEntryBytes = static_cast<int64_t>(sizeof(Key)) + 128;

  /// Null if it is not known.
  MaskPtr FindByState(const Key& key);
  MaskPtr FindBySpelling(const Key& key, const std::string& spelling);
  /// The mask, or an equal one that another thread was faster with.
  MaskPtr Keep(const Key& key, std::string spelling, MaskPtr mask);
  /// `base`: the state whose mask the new one is a difference from, or ByteDfa::kDead.
  MaskPtr Compute(const Key& key, uint32_t base, LocalMaskBuilder* builder);
  /// The mask of a state before a loop: it goes on with one byte alone, to a state that has the
  /// loop as its base (a key, before its quote). Null for other states.
  MaskPtr ComputeBeforeLoop(const Key& key, LocalMaskBuilder* builder);
  /// Counts `bytes` more, after dropping all entries if they would be too much.
  void MakeRoomLocked(int64_t bytes);
  void ClearLocked();

  const TokenizerInfoPtr tokenizer_;
  const MarkerTokens markers_;
  const TextTokens text_tokens_;
  const std::shared_ptr<DfaCache> dfa_cache_;
  const int64_t max_bytes_;
  const PartSizes part_sizes_;
  KindMasks kind_masks_;
  IdlePool<MaskBuilder> idle_builders_;
  mutable ForkSafeMutex mutex_;
  // All guarded by mutex_.
  std::unordered_map<Key, MaskPtr, KeyHash> by_state_;
  std::unordered_map<std::string, MaskPtr> by_spelling_;
  /// The masks of states that go on with one byte alone to a loop, by the byte and the loop's mask.
  std::unordered_map<BeforeLoop, MaskPtr, BeforeLoopHash> before_loops_;
  int64_t size_bytes_ = 0;
  std::unique_ptr<const SpanningTokens> spanning_tokens_;
  std::array<std::unique_ptr<const LengthOrder>, 2> length_orders_;  ///< Without and with escapes.
};

}  // namespace xgrammar
