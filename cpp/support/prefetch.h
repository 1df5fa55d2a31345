// Prefetch: asks for memory that a loop comes to a few rounds from now.
//
// For loops over objects in an order that the processor cannot foresee. Only a hint, so any address
// will do; with a compiler that has no word for it, it does nothing.
#pragma once

namespace xgrammar {

inline void Prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#endif
}

}  // namespace xgrammar
