// AutomatonStore: a map under a lock, and an account of its bytes.
//
// An automaton is made outside the lock; of two equal ones that are made at once, the first is
// kept.
#include "frontend/json_schema/automaton_memo.h"

namespace xgrammar {

namespace {

int64_t SizeOf(const std::string& key, const CodePointDfa& automaton) {
  constexpr size_t kEntryBytes = 128;
  return static_cast<int64_t>(kEntryBytes + key.size() +
                              automaton.states().size() * sizeof(automaton.states()[0])) +
         automaton.num_edges() * static_cast<int64_t>(sizeof(CodePointDfa::Edge));
}

}  // namespace

CodePointDfaPtr AutomatonStore::Find(const std::string& key) const {
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  const auto found = automata_.find(key);
  return found != automata_.end() ? found->second : nullptr;
}

void AutomatonStore::Keep(const std::string& key, const CodePointDfaPtr& automaton) {
  const int64_t bytes = SizeOf(key, *automaton);
  if (bytes > max_bytes_) return;
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  if (size_bytes_ + bytes > max_bytes_) {
    automata_.clear();
    size_bytes_ = 0;
  }
  if (automata_.try_emplace(key, automaton).second) size_bytes_ += bytes;
}

int64_t AutomatonStore::SizeBytes() const {
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  return size_bytes_;
}

void AutomatonStore::Clear() {
  std::lock_guard<ForkSafeMutex> lock(mutex_);
  automata_.clear();
  size_bytes_ = 0;
}

}  // namespace xgrammar
