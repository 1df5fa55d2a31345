// Applying a token bitmask to one row of logits in CPU memory.
#pragma once

#include <cstdint>

namespace xgrammar::bindings {

/// Sets to `masked` every element whose bit is 0, for ids below `width`; others are not touched.
/// `Element` is an unsigned integer of the size of the logits' type and `masked` the bits of its
/// minus infinity. `stride` is in elements.
template <typename Element>
void ApplyBitmaskToRow(Element* logits, int64_t stride, const int32_t* bitmask, int64_t width,
                       Element masked);

}  // namespace xgrammar::bindings
