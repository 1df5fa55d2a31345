// TokenizerInfo: a model's vocabulary as bytes, its stop tokens and its special tokens. Immutable, safe to share.
//
// Decoding of the three vocabulary types is in vocab.cc, the JSON forms in metadata.cc, the prefix tree that masks walk
// in token_trie.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/token_trie.h"

namespace xgrammar {

enum class VocabType : int32_t { kRaw = 0, kByteFallback = 1, kByteLevel = 2 };

/// Arguments of TokenizerInfo::Make beyond the vocabulary.
struct TokenizerOptions {
  VocabType vocab_type = VocabType::kRaw;
  std::optional<int64_t> vocab_size;                  ///< Default: the number of tokens.
  std::optional<std::vector<int64_t>> stop_token_ids;  ///< Default: detected by text.
  bool add_prefix_space = false;
  /// Ids that are never matched by text, besides ids without text, padding and stop tokens.
  std::vector<int64_t> special_token_ids;
};

class TokenizerInfo {
 public:
  /// `encoded_vocab[i]` is the spelling of token i; `is_text[i]` whether it came as text (str) rather than bytes, which
  /// matters to kByteLevel and kByteFallback decoding. Raises kUsage for a vocab_size below the number of tokens,
  /// kLimit for one above 2^27.
  static std::shared_ptr<const TokenizerInfo> Make(const std::vector<std::string>& encoded_vocab,
                                                   const TokenizerOptions& options);

  VocabType vocab_type() const { return vocab_type_; }
  int32_t vocab_size() const { return vocab_size_; }
  bool add_prefix_space() const { return add_prefix_space_; }
  /// Token bytes by id; shorter than vocab_size() when the vocabulary is padded.
  const std::vector<std::string>& decoded_vocab() const { return decoded_vocab_; }
  /// Sorted.
  const std::vector<int32_t>& stop_token_ids() const { return stop_token_ids_; }
  /// Sorted: ids without text, padding ids and named special tokens, stop tokens left out.
  const std::vector<int32_t>& special_token_ids() const { return special_token_ids_; }
  /// Ids given as stop tokens that are outside [0, vocab_size): dropped, for the caller to warn about.
  const std::vector<int64_t>& dropped_stop_token_ids() const { return dropped_stop_token_ids_; }
  bool IsStopToken(int32_t id) const;
  bool IsSpecialToken(int32_t id) const;

  /// The ordinary tokens (neither special nor stop) in a prefix tree. Built at the first call, thread-safe.
  const TokenTrie& trie() const;

  /// Hash of sizes, kinds and all token bytes; equal vocabularies have equal fingerprints on every machine.
  const std::string& fingerprint() const;

  std::string DumpMetadata() const;
  static std::shared_ptr<const TokenizerInfo> FromVocabAndMetadata(const std::vector<std::string>& encoded_vocab,
                                                                   std::string_view metadata);
  std::string SerializeJson() const;
  static std::shared_ptr<const TokenizerInfo> DeserializeJson(std::string_view text);
  int64_t MemorySizeBytes() const;

 private:
  TokenizerInfo() = default;

  VocabType vocab_type_ = VocabType::kRaw;
  int32_t vocab_size_ = 0;
  bool add_prefix_space_ = false;
  std::vector<std::string> decoded_vocab_;
  std::vector<int32_t> stop_token_ids_;
  std::vector<int32_t> special_token_ids_;
  std::vector<int64_t> dropped_stop_token_ids_;
};

using TokenizerInfoPtr = std::shared_ptr<const TokenizerInfo>;

}  // namespace xgrammar
