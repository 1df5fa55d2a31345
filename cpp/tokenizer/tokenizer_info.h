// TokenizerInfo: a model's vocabulary as bytes, its stop tokens and its special tokens. Immutable,
// safe to share.
//
// Decoding of the three vocabulary types is in vocab.cc, the JSON forms that are written in
// metadata.cc (they are read above this stage, where a JSON reader is at hand), the prefix tree
// that masks walk in token_trie.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/fork_safety.h"
#include "tokenizer/token_lengths.h"
#include "tokenizer/token_trie.h"
#include "tokenizer/word_index.h"

namespace xgrammar {

enum class VocabType : int32_t { kRaw = 0, kByteFallback = 1, kByteLevel = 2 };

/// Version of all serialized forms of this library; another one is refused when read.
inline constexpr std::string_view kSerializationVersion = "xg0.3-1";

/// Largest vocabulary size, padding included.
inline constexpr int64_t kMaxVocabSize = int64_t{1} << 27;

/// Arguments of TokenizerInfo::Make beyond the vocabulary.
struct TokenizerOptions {
  VocabType vocab_type = VocabType::kRaw;
  std::optional<int64_t> vocab_size;                   ///< Default: the number of tokens.
  std::optional<std::vector<int64_t>> stop_token_ids;  ///< Default: detected by text.
  bool add_prefix_space = false;
  /// Ids that are never matched by text, besides ids without text, padding and stop tokens.
  std::vector<int64_t> special_token_ids;
  /// The vocabulary holds the bytes of the tokens, not their spellings (a stored vocabulary is read
  /// back): vocab_type is kept for its name only.
  bool decoded = false;
};

class TokenizerInfo {
 public:
  /// `encoded_vocab[i]` is the spelling of token i, as UTF-8 text or as bytes: decoding does not
  /// tell them apart. Raises kUsage for a vocab_size below the number of tokens, kLimit for one
  /// above kMaxVocabSize, kValue for a special token outside the vocabulary.
  static std::shared_ptr<const TokenizerInfo> Make(const std::vector<std::string>& encoded_vocab,
                                                   const TokenizerOptions& options);
  /// The same from spellings that are owned elsewhere; only read during the call.
  static std::shared_ptr<const TokenizerInfo> MakeFromViews(
      std::span<const std::string_view> encoded_vocab, const TokenizerOptions& options);
  TokenizerInfo(const TokenizerInfo&) = delete;
  TokenizerInfo& operator=(const TokenizerInfo&) = delete;

  VocabType vocab_type() const { return vocab_type_; }
  int32_t vocab_size() const { return vocab_size_; }
  bool add_prefix_space() const { return add_prefix_space_; }
  /// Token bytes by id; shorter than vocab_size() when the vocabulary is padded.
  const std::vector<std::string>& decoded_vocab() const { return decoded_vocab_; }
  /// Sorted.
  const std::vector<int32_t>& stop_token_ids() const { return stop_token_ids_; }
  /// Sorted: ids without text, padding ids and named special tokens, stop tokens left out.
  const std::vector<int32_t>& special_token_ids() const { return special_token_ids_; }
  /// Ids given as stop tokens that are outside [0, vocab_size): dropped, for the caller to warn.
  const std::vector<int64_t>& dropped_stop_token_ids() const { return dropped_stop_token_ids_; }
  bool IsStopToken(int32_t id) const;
  bool IsSpecialToken(int32_t id) const;

  /// The ordinary tokens (neither special nor stop) in a prefix tree. Built at the first call,
  /// thread-safe.
  const TokenTrie& trie() const;
  /// Of the ordinary tokens; made with the tree.
  const TokenLengths& lengths() const;
  /// What there is of words in the tree, and below its node for a space; made with the tree.
  const WordIndex& words() const;
  const WordIndex& words_after_space() const;
  /// The bits of all ordinary tokens, 32 in a word; made with the tree.
  const std::vector<uint32_t>& ordinary_tokens() const;

  /// Hash of sizes, kinds, stop and special ids and all token bytes, as 32 hexadecimal digits;
  /// equal vocabularies have equal fingerprints on every machine. Computed at the first call,
  /// thread-safe.
  const std::string& fingerprint() const;

  /// Compact JSON with the keys vocab_type, vocab_size, add_prefix_space, stop_token_ids.
  std::string DumpMetadata() const;
  /// The metadata, the version, the special ids and the decoded tokens as one JSON object in ASCII.
  /// A byte of a token is the character of that number, so that any bytes survive.
  std::string SerializeJson() const;
  int64_t MemorySizeBytes() const;

 private:
  TokenizerInfo() = default;
  void SetStopTokens(std::span<const std::string_view> encoded_vocab,
                     const TokenizerOptions& options);
  void SetSpecialTokens(const std::vector<int64_t>& named);

  VocabType vocab_type_ = VocabType::kRaw;
  int32_t vocab_size_ = 0;
  bool add_prefix_space_ = false;
  std::vector<std::string> decoded_vocab_;
  std::vector<int32_t> stop_token_ids_;
  std::vector<int32_t> special_token_ids_;
  std::vector<int64_t> dropped_stop_token_ids_;
  mutable ForkSafeOnce trie_once_;
  mutable TokenTrie trie_;
  mutable TokenLengths lengths_;
  mutable WordIndex words_;
  mutable WordIndex words_after_space_;
  mutable std::vector<uint32_t> ordinary_tokens_;
  mutable ForkSafeOnce fingerprint_once_;
  mutable std::string fingerprint_;
};

using TokenizerInfoPtr = std::shared_ptr<const TokenizerInfo>;

}  // namespace xgrammar
