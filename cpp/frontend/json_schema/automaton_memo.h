// AutomatonMemo: automata that the conversions of one request have in common; AutomatonStore: those
// that requests of one compiler have in common.
//
// A list of tools is one conversion for each tool, with the same style and excluded texts, and the
// next request comes with the same again. What depends on these alone (the texts without excluded
// ones, free strings of a style), or on numeric bounds alone, is made by the first conversion.
// Whatever an automaton depends on must be part of its key, except for the limits.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "automata/code_point_automaton.h"
#include "grammar/late_automaton.h"
#include "support/fork_safety.h"

namespace xgrammar {

/// Belongs to one set of limits. Thread-safe. Bounded: when it is full it starts over, while
/// automata in use live on in their users.
class AutomatonStore {
 public:
  static constexpr int64_t kDefaultMaxBytes = int64_t{4} << 20;

  explicit AutomatonStore(int64_t max_bytes = kDefaultMaxBytes) : max_bytes_(max_bytes) {}

  /// Null if it is not known.
  CodePointDfaPtr Find(const std::string& key) const;
  void Keep(const std::string& key, const CodePointDfaPtr& automaton);
  int64_t SizeBytes() const;
  void Clear();

 private:
  const int64_t max_bytes_;
  mutable ForkSafeMutex mutex_;
  // Guarded by mutex_.
  std::unordered_map<std::string, CodePointDfaPtr> automata_;
  int64_t size_bytes_ = 0;
};

/// Belongs to one request and thread.
class AutomatonMemo {
 public:
  /// `store` may be null.
  explicit AutomatonMemo(std::shared_ptr<AutomatonStore> store = nullptr)
      : store_(std::move(store)) {}

  /// What `make` returned, a CodePointDfa, for the first request with this key.
  template <typename Make>
  CodePointDfaPtr Get(const std::string& key, const Make& make) {
    const auto found = automata_.find(key);
    if (found != automata_.end()) return found->second;
    CodePointDfaPtr automaton = store_ != nullptr ? store_->Find(key) : nullptr;
    if (automaton == nullptr) {
      automaton = std::make_shared<const CodePointDfa>(make());
      if (store_ != nullptr) store_->Keep(key, automaton);
    }
    automata_.emplace(key, automaton);
    return automaton;
  }

  /// The same for what `make` returned, a LateAutomatonPtr, within the request.
  template <typename Make>
  LateAutomatonPtr GetLate(const std::string& key, const Make& make) {
    LateAutomatonPtr& known = late_automata_[key];
    if (!known) known = make();
    return known;
  }

  /// What `make` returns, a CodePointDfa, when somebody asks for it; the store keeps it. `make`
  /// owns what it needs, and it and the other arguments are as LateAutomaton wants them.
  template <typename Make>
  LateAutomatonPtr GetLate(const std::string& key, const Make& make, bool accepts_empty,
                           int64_t size) {
    return GetLate(key, [&] {
      LateAutomaton::Source source;
      source.make = [key, make, store = store_] {
        CodePointDfaPtr automaton = store != nullptr ? store->Find(key) : nullptr;
        if (automaton != nullptr) return automaton;
        automaton = std::make_shared<const CodePointDfa>(make());
        if (store != nullptr) store->Keep(key, automaton);
        return automaton;
      };
      source.name = key;
      return std::make_shared<const LateAutomaton>(std::move(source), accepts_empty, size);
    });
  }

 private:
  const std::shared_ptr<AutomatonStore> store_;
  std::unordered_map<std::string, CodePointDfaPtr> automata_;
  std::unordered_map<std::string, LateAutomatonPtr> late_automata_;
};

}  // namespace xgrammar
