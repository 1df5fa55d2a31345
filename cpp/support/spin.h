// SpinPause: what a loop does between two looks at memory that another core will change soon.
//
// The instruction that processors have for it leaves the core to the other thread on it and saves
// power. It is no hint to the operating system: whoever spins must stop by a limit of its own.
#pragma once

#if defined(_MSC_VER)
#include <intrin.h>
#else
#include <thread>
#endif

namespace xgrammar {

inline void SpinPause() {
#if defined(_MSC_VER) && defined(_M_X64)
  _mm_pause();
#elif defined(_MSC_VER)
  __yield();
#elif defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#else
  std::this_thread::yield();
#endif
}

}  // namespace xgrammar
