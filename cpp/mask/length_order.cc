// LengthOrder: a counting sort by the characters of each token.
//
// They are known beforehand (tokenizer/token_lengths.h), except of the few tokens that are no UTF-8
// or may hold an escape, which are read.
#include "mask/length_order.h"

#include <memory>
#include <string_view>

#include "automata/escape_phase.h"
#include "tokenizer/byte_kind.h"

namespace xgrammar {

namespace {

uint32_t CharactersBegun(std::string_view bytes, bool escapes) {
  uint32_t count = 0;
  uint32_t phase = 0;
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    if (phase == 0 && (byte & 0xC0) != 0x80) ++count;
    if (escapes) phase = EscapePhaseAfter(phase, byte);
  }
  return count;
}

}  // namespace

LengthOrder::LengthOrder(const TokenizerInfo& tokenizer, KindMasks* kind_masks, bool escapes)
    : escapes_(escapes) {
  const TokenLengths& lengths = tokenizer.lengths();
  const std::span<const int32_t> all = tokenizer.trie().all_tokens();
  std::vector<uint32_t> begun(static_cast<size_t>(tokenizer.vocab_size()), 0);
  const auto read = [&](int32_t token) {
    const auto id = static_cast<size_t>(token);
    begun[id] = CharactersBegun(tokenizer.decoded_vocab()[id], escapes);
  };
  std::shared_ptr<const KindMasks::Tokens> plain;
  if (escapes) {
    plain = kind_masks->Get(static_cast<uint16_t>(~(KindBit('\\') | kIllFormedBelow)));
  }
  for (int32_t token : all) {
    begun[static_cast<size_t>(token)] = lengths.of(token);
    if (lengths.of(token) == 0 || (escapes && plain == nullptr)) read(token);
  }
  if (plain != nullptr) {
    for (int32_t token : plain->rest.all_tokens()) read(token);
  }
  for (int32_t token : all) {
    const size_t length = begun[static_cast<size_t>(token)];
    if (ends_.size() <= length) ends_.resize(length + 1, 0);
    ++ends_[length];
  }
  for (size_t k = 1; k < ends_.size(); ++k) ends_[k] += ends_[k - 1];
  tokens_.resize(all.size());
  std::vector<size_t> place = ends_;
  for (int32_t token : all) tokens_[--place[begun[static_cast<size_t>(token)]]] = token;
}

}  // namespace xgrammar
