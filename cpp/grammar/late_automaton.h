// LateAutomaton: an automaton of a grammar that is made when somebody first asks for it.
//
// Most objects of a schema are never met in one text, and the automaton of their free keys (any
// name but the declared ones) is as large as all names together. What must be known of a grammar
// before a parse starts is little: whether the automaton accepts the empty text, and how large it
// is. No lock is held while it is made: two threads may both make it, and one of them is thrown
// away, so that a fork finds nothing half done.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "automata/code_point_automaton.h"

namespace xgrammar {

/// Safe to share between threads.
class LateAutomaton {
 public:
  /// `make` gives the same automaton each time and raises no errors of the source. Preconditions:
  /// it accepts other texts than the empty one, and `size` is at least the number of its states and
  /// edges.
  LateAutomaton(std::function<CodePointDfaPtr()> make, bool accepts_empty, int64_t size)
      : make_(std::move(make)), accepts_empty_(accepts_empty), size_(size) {}
  ~LateAutomaton() { delete made_.load(std::memory_order_acquire); }
  LateAutomaton(const LateAutomaton&) = delete;
  LateAutomaton& operator=(const LateAutomaton&) = delete;

  /// Valid as long as this object.
  const CodePointDfaPtr& Get() const {
    const CodePointDfaPtr* made = made_.load(std::memory_order_acquire);
    if (made != nullptr) return *made;
    auto fresh = std::make_unique<const CodePointDfaPtr>(make_());
    if (made_.compare_exchange_strong(made, fresh.get(), std::memory_order_acq_rel))
      made = fresh.release();
    return *made;
  }
  bool accepts_empty() const { return accepts_empty_; }
  /// States and edges, or somewhat more.
  int64_t size() const { return size_; }

 private:
  const std::function<CodePointDfaPtr()> make_;
  const bool accepts_empty_;
  const int64_t size_;
  mutable std::atomic<const CodePointDfaPtr*> made_{nullptr};
};

using LateAutomatonPtr = std::shared_ptr<const LateAutomaton>;

}  // namespace xgrammar
