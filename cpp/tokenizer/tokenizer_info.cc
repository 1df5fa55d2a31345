// TokenizerInfo: which ids are ordinary text, which end the output, which never match text.
//
// A stop token ends the output; a special token has no text of its own that a grammar could match:
// ids without bytes, padding behind the tokenizer's ids, and ids named by the caller. Everything
// else is ordinary and goes into the prefix tree.
#include "tokenizer/tokenizer_info.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "support/error.h"
#include "tokenizer/vocab.h"

namespace xgrammar {

namespace {

// The texts that mean "stop" when the caller names no stop tokens. The set is part of the public
// contract: recognising more would change what a grammar may contain.
constexpr std::array<std::string_view, 8> kStopTokenTexts = {
    "</s>",
    "<eos>",
    "<|eos|>",
    "<|eot_id|>",
    "<|end_of_text|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "<\xEF\xBD\x9C"
    "end\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>"};

bool IsStopText(std::string_view text) {
  return std::find(kStopTokenTexts.begin(), kStopTokenTexts.end(), text) != kStopTokenTexts.end();
}

void SortUnique(std::vector<int32_t>* ids) {
  std::sort(ids->begin(), ids->end());
  ids->erase(std::unique(ids->begin(), ids->end()), ids->end());
}

// Two 64-bit lanes of multiply-and-fold with different constants (the mixing step of SplitMix64,
// Steele et al. 2014). Words are read byte by byte, so the result does not depend on byte order.
class Fingerprinter {
 public:
  void Add(uint64_t value) {
    low_ = Mix(low_ ^ value);
    high_ = Mix(high_ + value * 0x9E3779B97F4A7C15ull + 0x632BE59BD9B4E019ull);
  }
  void Add(std::string_view bytes) {
    Add(bytes.size());
    uint64_t word = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      word = word << 8 | static_cast<unsigned char>(bytes[i]);
      if (i % 8 == 7) {
        Add(word);
        word = 0;
      }
    }
    if (bytes.size() % 8 != 0) Add(word);
  }
  std::string Hex() const {
    char text[33];
    std::snprintf(text, sizeof(text), "%016llx%016llx", static_cast<unsigned long long>(high_),
                  static_cast<unsigned long long>(low_));
    return text;
  }

 private:
  static uint64_t Mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
  }
  uint64_t low_ = 0x243F6A8885A308D3ull;  // Fraction of pi: an arbitrary non-zero start.
  uint64_t high_ = 0x13198A2E03707344ull;
};

}  // namespace

std::shared_ptr<const TokenizerInfo> TokenizerInfo::Make(
    const std::vector<std::string>& encoded_vocab, const TokenizerOptions& options) {
  const std::vector<std::string_view> views(encoded_vocab.begin(), encoded_vocab.end());
  return MakeFromViews(views, options);
}

std::shared_ptr<const TokenizerInfo> TokenizerInfo::MakeFromViews(
    std::span<const std::string_view> encoded_vocab, const TokenizerOptions& options) {
  const int64_t num_tokens = static_cast<int64_t>(encoded_vocab.size());
  const int64_t vocab_size = options.vocab_size.value_or(num_tokens);
  if (vocab_size < num_tokens) {
    throw Error(ErrorKind::kUsage,
                "vocab_size must be at least the number of tokens: vocab_size is " +
                    std::to_string(vocab_size) + ", the vocabulary has " +
                    std::to_string(num_tokens) + " tokens");
  }
  if (vocab_size > kMaxVocabSize) ThrowFixedLimitError("vocab_size", vocab_size, kMaxVocabSize);

  std::shared_ptr<TokenizerInfo> info(new TokenizerInfo());
  info->vocab_type_ = options.vocab_type;
  info->vocab_size_ = static_cast<int32_t>(vocab_size);
  info->add_prefix_space_ = options.add_prefix_space;
  const VocabType decode_as = options.decoded ? VocabType::kRaw : options.vocab_type;
  info->decoded_vocab_.reserve(encoded_vocab.size());
  for (size_t id = 0; id < encoded_vocab.size(); ++id) {
    info->decoded_vocab_.push_back(DecodeToken(encoded_vocab[id], decode_as));
    if (info->decoded_vocab_.back().size() > TokenTrie::kMaxTokenBytes) {
      ThrowFixedLimitError("the bytes of token " + std::to_string(id),
                           static_cast<int64_t>(info->decoded_vocab_.back().size()),
                           TokenTrie::kMaxTokenBytes);
    }
  }
  info->SetStopTokens(encoded_vocab, options);
  info->SetSpecialTokens(options.special_token_ids);
  return info;
}

void TokenizerInfo::SetStopTokens(std::span<const std::string_view> encoded_vocab,
                                  const TokenizerOptions& options) {
  if (options.stop_token_ids) {
    for (int64_t id : *options.stop_token_ids) {
      if (id >= 0 && id < vocab_size_) {
        stop_token_ids_.push_back(static_cast<int32_t>(id));
      } else {
        dropped_stop_token_ids_.push_back(id);
      }
    }
  } else {
    for (size_t id = 0; id < encoded_vocab.size(); ++id) {
      if (IsStopText(decoded_vocab_[id]) || IsStopText(encoded_vocab[id])) {
        stop_token_ids_.push_back(static_cast<int32_t>(id));
      }
    }
  }
  SortUnique(&stop_token_ids_);
}

void TokenizerInfo::SetSpecialTokens(const std::vector<int64_t>& named) {
  for (int64_t id : named) {
    if (id < 0 || id >= vocab_size_) {
      throw Error(ErrorKind::kValue, "special_token_ids holds " + std::to_string(id) +
                                         ", which is outside the vocabulary of " +
                                         std::to_string(vocab_size_) + " ids");
    }
    special_token_ids_.push_back(static_cast<int32_t>(id));
  }
  for (size_t id = 0; id < decoded_vocab_.size(); ++id) {
    if (decoded_vocab_[id].empty()) special_token_ids_.push_back(static_cast<int32_t>(id));
  }
  for (int32_t id = static_cast<int32_t>(decoded_vocab_.size()); id < vocab_size_; ++id) {
    special_token_ids_.push_back(id);
  }
  SortUnique(&special_token_ids_);
  std::erase_if(special_token_ids_, [this](int32_t id) { return IsStopToken(id); });
}

bool TokenizerInfo::IsStopToken(int32_t id) const {
  return std::binary_search(stop_token_ids_.begin(), stop_token_ids_.end(), id);
}

bool TokenizerInfo::IsSpecialToken(int32_t id) const {
  return std::binary_search(special_token_ids_.begin(), special_token_ids_.end(), id);
}

const TokenTrie& TokenizerInfo::trie() const {
  trie_once_.Call([this] {
    std::vector<std::pair<std::string_view, int32_t>> ordinary;
    ordinary.reserve(decoded_vocab_.size());
    auto special = special_token_ids_.begin();
    auto stop = stop_token_ids_.begin();
    for (int32_t id = 0; id < static_cast<int32_t>(decoded_vocab_.size()); ++id) {
      if (special != special_token_ids_.end() && *special == id) {
        ++special;
      } else if (stop != stop_token_ids_.end() && *stop == id) {
        ++stop;
      } else {
        ordinary.emplace_back(decoded_vocab_[static_cast<size_t>(id)], id);
      }
    }
    trie_ = TokenTrie(std::move(ordinary));
    lengths_ = TokenLengths(trie_, vocab_size_);
    words_ = WordIndex(trie_, 0, trie_.num_nodes(), vocab_size_);
    trie_.ForEachRoot({uint64_t{1} << ' ', 0, 0, 0}, [this](uint32_t space) {
      words_after_space_ = WordIndex(trie_, space + 1, trie_.node(space).subtree_end, vocab_size_);
    });
    ordinary_tokens_.assign((static_cast<size_t>(vocab_size_) + 31) / 32, 0);
    for (int32_t id : trie_.all_tokens())
      ordinary_tokens_[static_cast<size_t>(id) >> 5] |= 1u << (id & 31);
  });
  return trie_;
}

const TokenLengths& TokenizerInfo::lengths() const {
  trie();
  return lengths_;
}

const WordIndex& TokenizerInfo::words() const {
  trie();
  return words_;
}

const WordIndex& TokenizerInfo::words_after_space() const {
  trie();
  return words_after_space_;
}

const std::vector<uint32_t>& TokenizerInfo::ordinary_tokens() const {
  trie();
  return ordinary_tokens_;
}

const std::string& TokenizerInfo::fingerprint() const {
  fingerprint_once_.Call([this] {
    Fingerprinter hash;
    hash.Add(static_cast<uint64_t>(vocab_type_));
    hash.Add(static_cast<uint64_t>(vocab_size_));
    hash.Add(add_prefix_space_ ? 1 : 0);
    for (const std::vector<int32_t>* ids : {&stop_token_ids_, &special_token_ids_}) {
      hash.Add(ids->size());
      for (int32_t id : *ids) hash.Add(static_cast<uint64_t>(id));
    }
    hash.Add(decoded_vocab_.size());
    for (const std::string& token : decoded_vocab_) hash.Add(std::string_view(token));
    fingerprint_ = hash.Hex();
  });
  return fingerprint_;
}

int64_t TokenizerInfo::MemorySizeBytes() const {
  size_t size = sizeof(*this) + decoded_vocab_.capacity() * sizeof(std::string) +
                (stop_token_ids_.capacity() + special_token_ids_.capacity()) * sizeof(int32_t);
  const size_t inline_capacity = std::string().capacity();
  for (const std::string& token : decoded_vocab_) {
    if (token.capacity() > inline_capacity) size += token.capacity() + 1;
  }
  return static_cast<int64_t>(size) + trie().MemorySizeBytes() + lengths_.MemorySizeBytes() +
         words_.MemorySizeBytes() + words_after_space_.MemorySizeBytes() +
         static_cast<int64_t>(ordinary_tokens_.size() * sizeof(uint32_t));
}

}  // namespace xgrammar
