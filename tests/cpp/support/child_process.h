// What tests that fork share: whether this build may fork with threads running, and how a child
// ended.
//
// XGRAMMAR_CAN_FORK is undefined where there is no fork(), and under the thread sanitizer, whose
// runtime does not survive a fork while other threads run. A child should set an alarm, so that one
// that hangs fails its test instead of stopping it.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define XGRAMMAR_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define XGRAMMAR_THREAD_SANITIZER 1
#endif
#endif

#if !defined(_WIN32) && !defined(XGRAMMAR_THREAD_SANITIZER)
#define XGRAMMAR_CAN_FORK 1

#include <sys/wait.h>
#include <unistd.h>

namespace xgrammar {

/// Waits for a child; true if it exited with status 0.
inline bool EndsWell(pid_t child) {
  int status = -1;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace xgrammar
#endif
