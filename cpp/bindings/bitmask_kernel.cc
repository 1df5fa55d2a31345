// Applying a token bitmask to logits.
//
// Words that allow all or none of their 32 tokens, which is nearly all of them in practice, are one
// test and one block of stores; the others are a branch-free select over 32 lanes that compilers
// turn into vector instructions.
#include "bindings/bitmask_kernel.h"

#include <algorithm>

namespace xgrammar::bindings {

namespace {

constexpr int64_t kWordBits = 32;

template <typename Element>
void ApplyWord(Element* logits, uint32_t word, Element masked) {
  for (uint32_t bit = 0; bit < kWordBits; ++bit) {
    // All ones where the bit is set: keeps the logit, clears the masked value.
    const Element keep = static_cast<Element>(0 - static_cast<Element>(word >> bit & 1u));
    logits[bit] =
        static_cast<Element>((logits[bit] & keep) | (masked & static_cast<Element>(~keep)));
  }
}

template <typename Element>
void ApplyBits(Element* logits, int64_t stride, uint32_t word, int64_t count, Element masked) {
  for (int64_t bit = 0; bit < count; ++bit) {
    if ((word >> bit & 1u) == 0) logits[bit * stride] = masked;
  }
}

}  // namespace

template <typename Element>
void ApplyBitmaskToRow(Element* logits, int64_t stride, const int32_t* bitmask, int64_t width,
                       Element masked) {
  const int64_t num_full_words = width / kWordBits;
  for (int64_t w = 0; w < num_full_words; ++w) {
    const uint32_t word = static_cast<uint32_t>(bitmask[w]);
    if (word == ~uint32_t{0}) continue;
    Element* block = logits + w * kWordBits * stride;
    if (stride != 1) {
      ApplyBits(block, stride, word, kWordBits, masked);
    } else if (word == 0) {
      std::fill_n(block, kWordBits, masked);
    } else {
      ApplyWord(block, word, masked);
    }
  }
  const int64_t rest = width % kWordBits;
  if (rest == 0) return;
  ApplyBits(logits + num_full_words * kWordBits * stride, stride,
            static_cast<uint32_t>(bitmask[num_full_words]), rest, masked);
}

template void ApplyBitmaskToRow<uint16_t>(uint16_t*, int64_t, const int32_t*, int64_t, uint16_t);
template void ApplyBitmaskToRow<uint32_t>(uint32_t*, int64_t, const int32_t*, int64_t, uint32_t);
template void ApplyBitmaskToRow<uint64_t>(uint64_t*, int64_t, const int32_t*, int64_t, uint64_t);

}  // namespace xgrammar::bindings
