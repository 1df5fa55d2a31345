// LengthOrder: the tokens of a vocabulary in the order of the characters that they begin.
//
// Stage: mask. Near the end of a limit on characters, a state takes the tokens that it takes
// without the limit, as far as they are short enough. Immutable.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mask/kind_masks.h"
#include "tokenizer/tokenizer_info.h"

namespace xgrammar {

class LengthOrder {
 public:
  /// `escapes`: an escape (automata/escape_phase.h) is one character; a token begins outside of
  /// one. Characters are begun by bytes other than 80..BF. Cost: one pass over the vocabulary.
  LengthOrder(const TokenizerInfo& tokenizer, KindMasks* kind_masks, bool escapes);

  bool escapes() const { return escapes_; }
  /// Tokens that begin up to so many characters.
  std::span<const int32_t> Fitting(uint32_t room) const {
    return std::span(tokens_).first(NumFitting(room));
  }
  /// All other tokens.
  std::span<const int32_t> Beyond(uint32_t room) const {
    return std::span(tokens_).subspan(NumFitting(room));
  }
  int64_t MemorySizeBytes() const {
    return static_cast<int64_t>(tokens_.size() * sizeof(int32_t) + ends_.size() * sizeof(size_t));
  }

 private:
  size_t NumFitting(uint32_t room) const {
    return room < ends_.size() ? ends_[room] : tokens_.size();
  }

  const bool escapes_;
  std::vector<int32_t> tokens_;
  std::vector<size_t> ends_;  ///< By characters: where the tokens that begin so many end.
};

}  // namespace xgrammar
