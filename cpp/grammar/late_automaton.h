// LateAutomaton: an automaton of a grammar that is made when somebody first asks for it.
//
// Most objects of a schema are never met in one text, and the automaton of their free keys (any
// name but the declared ones) is as large as all names together. What must be known of a grammar
// before a parse starts is little: whether the automaton accepts the empty text, and how large it
// is. Lowering may need no automaton at all, if its rows can be made one by one. No lock is held
// while it is made: two threads may both make it, and one of them is thrown away, so that a fork
// finds nothing half done.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "automata/code_point_automaton.h"
#include "automata/rows_on_demand.h"

namespace xgrammar {

/// Safe to share between threads.
class LateAutomaton {
 public:
  struct Source {
    /// Gives the same automaton each time and raises no errors of the source.
    std::function<CodePointDfaPtr()> make;
    /// The automaton between two literals, without making it: null where that cannot be. May be
    /// empty.
    std::function<std::unique_ptr<const RowsOnDemand>(std::string_view prefix,
                                                      std::string_view suffix)>
        make_rows;
    /// Sources with equal names make equal automata. May be empty: then nothing is known.
    std::string name;
  };

  /// Preconditions: the automaton accepts other texts than the empty one, and `size` is at least
  /// the number of its states and edges.
  LateAutomaton(Source source, bool accepts_empty, int64_t size)
      : source_(std::move(source)), accepts_empty_(accepts_empty), size_(size) {}
  ~LateAutomaton() { delete made_.load(std::memory_order_acquire); }
  LateAutomaton(const LateAutomaton&) = delete;
  LateAutomaton& operator=(const LateAutomaton&) = delete;

  /// Valid as long as this object.
  const CodePointDfaPtr& Get() const {
    const CodePointDfaPtr* made = made_.load(std::memory_order_acquire);
    if (made != nullptr) return *made;
    auto fresh = std::make_unique<const CodePointDfaPtr>(source_.make());
    if (made_.compare_exchange_strong(made, fresh.get(), std::memory_order_acq_rel))
      made = fresh.release();
    return *made;
  }
  std::unique_ptr<const RowsOnDemand> MakeRows(std::string_view prefix,
                                               std::string_view suffix) const {
    return source_.make_rows ? source_.make_rows(prefix, suffix) : nullptr;
  }
  /// Whether its rows can be made for some literals.
  bool has_rows() const { return static_cast<bool>(source_.make_rows); }
  const std::string& name() const { return source_.name; }
  bool accepts_empty() const { return accepts_empty_; }
  /// States and edges, or somewhat more.
  int64_t size() const { return size_; }

 private:
  const Source source_;
  const bool accepts_empty_;
  const int64_t size_;
  mutable std::atomic<const CodePointDfaPtr*> made_{nullptr};
};

using LateAutomatonPtr = std::shared_ptr<const LateAutomaton>;

}  // namespace xgrammar
