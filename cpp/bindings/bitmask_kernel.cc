// Applying a token bitmask to logits.
//
// Stage: bindings. A row is taken word by word. Words that allow all of their 32 tokens are
// skipped, in groups where all do; words that allow none are a block of stores; the others are a
// branch-free select over 32 lanes. In practice nearly all words are of the first two kinds, so
// memory sets the pace: logits are read only for mixed words.
//
// The select exists as a portable loop that compilers turn into the vector instructions of the
// baseline (SSE2, NEON), for AVX2, and as masked stores of AVX-512, chosen by the processor at run
// time; the extension is built for the baseline alone. Rows with a stride take a loop over single
// elements. No threads: a serving engine that masks on the CPU has its cores busy with other rows.
#include "bindings/bitmask_kernel.h"

#include <algorithm>
#include <array>

#if defined(__x86_64__) && defined(__GNUC__)
#define XG_X86_KERNELS 1
#include <immintrin.h>
#endif

namespace xgrammar::bindings {

namespace {

constexpr int64_t kWordBits = 32;
constexpr uint32_t kAllowAll = ~uint32_t{0};

// The lanes of one vector test different bits of the same chunk of the word: as many bits as an
// element has, at most a word.
template <typename Element>
constexpr auto LaneBits() {
  constexpr size_t kLanes = std::min<size_t>(sizeof(Element) * 8, kWordBits);
  std::array<Element, kLanes> bits{};
  for (size_t lane = 0; lane < kLanes; ++lane)
    bits[lane] = static_cast<Element>(Element{1} << lane);
  return bits;
}

template <typename Element>
struct Portable {
  static void ApplyMixedWord(Element* logits, uint32_t word, Element masked) {
    static constexpr auto kBits = LaneBits<Element>();
    for (size_t first = 0; first < kWordBits; first += kBits.size()) {
      const Element chunk = static_cast<Element>(word >> first);
      for (size_t lane = 0; lane < kBits.size(); ++lane) {
        // Arithmetic instead of a choice: not every compiler turns that into vector instructions.
        const Element keep = static_cast<Element>(
            -static_cast<Element>(static_cast<Element>(chunk & kBits[lane]) == kBits[lane]));
        logits[first + lane] =
            static_cast<Element>(masked ^ ((masked ^ logits[first + lane]) & keep));
      }
    }
  }

  static void ApplyWords(Element* logits, const int32_t* bitmask, int64_t num_words,
                         Element masked) {
    for (int64_t w = 0; w < num_words; ++w, logits += kWordBits) {
      const uint32_t word = static_cast<uint32_t>(bitmask[w]);
      if (word == kAllowAll) continue;
      if (word == 0) {
        std::fill_n(logits, kWordBits, masked);
      } else {
        ApplyMixedWord(logits, word, masked);
      }
    }
  }
};

#ifdef XG_X86_KERNELS

#define XG_AVX2 __attribute__((target("avx2")))
#define XG_AVX512 __attribute__((target("avx512f,avx512bw")))

// One vector of 32 bytes: `bits` tests lane i against bit i of the chunk.
XG_AVX2 inline __m256i Splat(uint16_t value) {
  return _mm256_set1_epi16(static_cast<short>(value));
}
XG_AVX2 inline __m256i Splat(uint32_t value) { return _mm256_set1_epi32(static_cast<int>(value)); }
XG_AVX2 inline __m256i Splat(uint64_t value) {
  return _mm256_set1_epi64x(static_cast<long long>(value));
}

template <typename Element>
XG_AVX2 inline __m256i EqualLanes(__m256i a, __m256i b) {
  if constexpr (sizeof(Element) == 2) return _mm256_cmpeq_epi16(a, b);
  if constexpr (sizeof(Element) == 4) return _mm256_cmpeq_epi32(a, b);
  if constexpr (sizeof(Element) == 8) return _mm256_cmpeq_epi64(a, b);
}

template <typename Element>
XG_AVX2 inline void ApplyWordAvx2(Element* logits, uint32_t word, __m256i fill, __m256i bits) {
  constexpr int64_t kLanes = 32 / sizeof(Element);
  for (int64_t first = 0; first < kWordBits; first += kLanes) {
    auto* lanes = reinterpret_cast<__m256i*>(logits + first);
    if (word == 0) {
      _mm256_storeu_si256(lanes, fill);
      continue;
    }
    const __m256i chunk = Splat(static_cast<Element>(word >> first));
    const __m256i keep = EqualLanes<Element>(_mm256_and_si256(chunk, bits), bits);
    const __m256i old = _mm256_loadu_si256(lanes);
    _mm256_storeu_si256(lanes, _mm256_blendv_epi8(fill, old, keep));
  }
}

// Returns the number of words that are done, all but less than eight; those that allow everything
// are skipped eight at a time.
template <typename Element>
XG_AVX2 int64_t ApplyWordsAvx2(Element* logits, const int32_t* bitmask, int64_t num_words,
                               Element masked) {
  constexpr int64_t kGroup = 8;
  static constexpr auto kBits = LaneBits<Element>();
  const __m256i fill = Splat(masked);
  const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kBits.data()));
  int64_t first = 0;
  for (; first + kGroup <= num_words; first += kGroup) {
    const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bitmask + first));
    const __m256i full = _mm256_cmpeq_epi32(words, Splat(kAllowAll));
    if (_mm256_movemask_epi8(full) == -1) continue;
    for (int64_t w = first; w < first + kGroup; ++w) {
      const uint32_t word = static_cast<uint32_t>(bitmask[w]);
      if (word != kAllowAll) ApplyWordAvx2(logits + w * kWordBits, word, fill, bits);
    }
  }
  return first;
}

// Stores the lanes of 64 bytes whose bit in `blocked` is set; nothing is read.
XG_AVX512 inline void StoreBlocked(uint16_t* logits, uint32_t blocked, __m512i fill) {
  _mm512_mask_storeu_epi16(logits, blocked, fill);
}
XG_AVX512 inline void StoreBlocked(uint32_t* logits, uint32_t blocked, __m512i fill) {
  _mm512_mask_storeu_epi32(logits, static_cast<__mmask16>(blocked), fill);
}
XG_AVX512 inline void StoreBlocked(uint64_t* logits, uint32_t blocked, __m512i fill) {
  _mm512_mask_storeu_epi64(logits, static_cast<__mmask8>(blocked), fill);
}

// As ApplyWordsAvx2, sixteen words at a time.
template <typename Element>
XG_AVX512 int64_t ApplyWordsAvx512(Element* logits, const int32_t* bitmask, int64_t num_words,
                                   Element masked) {
  constexpr int64_t kGroup = 16;
  constexpr int64_t kLanes = 64 / sizeof(Element);
  std::array<Element, kLanes> lanes;
  lanes.fill(masked);
  const __m512i fill = _mm512_loadu_si512(lanes.data());
  const __m512i full = _mm512_set1_epi32(-1);
  int64_t first = 0;
  for (; first + kGroup <= num_words; first += kGroup) {
    const __m512i words = _mm512_loadu_si512(bitmask + first);
    if (_mm512_cmpneq_epi32_mask(words, full) == 0) continue;
    for (int64_t w = first; w < first + kGroup; ++w) {
      const uint32_t blocked = ~static_cast<uint32_t>(bitmask[w]);
      if (blocked == 0) continue;
      for (int64_t lane = 0; lane < kWordBits; lane += kLanes) {
        StoreBlocked(logits + w * kWordBits + lane, blocked >> lane, fill);
      }
    }
  }
  return first;
}

#endif  // XG_X86_KERNELS

template <typename Element>
void ApplyWords(Element* logits, const int32_t* bitmask, int64_t num_words, Element masked,
                VectorSet vectors) {
  int64_t num_done = 0;
#ifdef XG_X86_KERNELS
  if (vectors == VectorSet::kAvx512) {
    num_done = ApplyWordsAvx512(logits, bitmask, num_words, masked);
  } else if (vectors == VectorSet::kAvx2) {
    num_done = ApplyWordsAvx2(logits, bitmask, num_words, masked);
  }
#else
  (void)vectors;
#endif
  Portable<Element>::ApplyWords(logits + num_done * kWordBits, bitmask + num_done,
                                num_words - num_done, masked);
}

template <typename Element>
void ApplyBits(Element* logits, int64_t stride, uint32_t word, int64_t count, Element masked) {
  for (int64_t bit = 0; bit < count; ++bit) {
    if ((word >> bit & 1u) == 0) logits[bit * stride] = masked;
  }
}

}  // namespace

VectorSet BestVectorSet() {
#ifdef XG_X86_KERNELS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) {
    return VectorSet::kAvx512;
  }
  if (__builtin_cpu_supports("avx2")) return VectorSet::kAvx2;
#endif
  return VectorSet::kPortable;
}

template <typename Element>
void ApplyBitmaskToRow(const BitmaskRow<Element>& row, int64_t width, Element masked,
                       VectorSet vectors) {
  int64_t num_done = 0;
  if (row.logits_stride == 1 && row.bitmask_stride == 1) {
    num_done = width / kWordBits * kWordBits;
    ApplyWords(row.logits, row.bitmask, width / kWordBits, masked, vectors);
  }
  for (; num_done < width; num_done += kWordBits) {
    const int32_t word = row.bitmask[num_done / kWordBits * row.bitmask_stride];
    ApplyBits(row.logits + num_done * row.logits_stride, row.logits_stride,
              static_cast<uint32_t>(word), std::min(kWordBits, width - num_done), masked);
  }
}

template void ApplyBitmaskToRow<uint16_t>(const BitmaskRow<uint16_t>&, int64_t, uint16_t,
                                          VectorSet);
template void ApplyBitmaskToRow<uint32_t>(const BitmaskRow<uint32_t>&, int64_t, uint32_t,
                                          VectorSet);
template void ApplyBitmaskToRow<uint64_t>(const BitmaskRow<uint64_t>&, int64_t, uint64_t,
                                          VectorSet);

}  // namespace xgrammar::bindings
