// Applying a token bitmask to one row of logits in CPU memory: the last step of a generation, after
// the matcher.
//
// The work is a select per element, done a word of the mask at a time; AVX2 and AVX-512 forms are
// chosen at run time (design note 0016). Works on the bits of elements, so all types of one size
// share a kernel. Rows on other devices are the business of the Python backends.
#pragma once

#include <cstdint>

namespace xgrammar::bindings {

/// One row of logits and of its bitmask. Strides are in elements and in words; they may be
/// negative.
template <typename Element>
struct BitmaskRow {
  Element* logits;
  int64_t logits_stride;
  const int32_t* bitmask;
  int64_t bitmask_stride;
};

/// Instructions for contiguous rows, from those that every processor has to the widest.
enum class VectorSet { kPortable, kAvx2, kAvx512 };

/// The widest that this processor and its operating system support.
VectorSet BestVectorSet();

/// Sets to `masked` every element whose bit is 0, for ids below `width`; others keep their value.
/// `Element` is an unsigned integer of the size of the logits' type and `masked` the bits of its
/// minus infinity. Linear in `width`. `vectors` must be supported; all give the same result.
template <typename Element>
void ApplyBitmaskToRow(const BitmaskRow<Element>& row, int64_t width, Element masked,
                       VectorSet vectors);

}  // namespace xgrammar::bindings
