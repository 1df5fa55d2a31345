// TextRuns: what is read after a text of a rule, whoever called the rule.
//
// Stage: mask. Where a text of a rule ends (an operator, a keyword) and a token goes on, the rest
// is read from a state of the rule's automaton. Most of what follows is inside the rule and does
// not depend on who called it: which tokens end inside, and after which nodes the rule may have
// ended, where the caller goes on. That is a *run*. It is the local mask (note 0005) of a state
// that calls other rules, for one part of a tree. A grammar of expressions comes to the same
// operand from every operator and every statement, with another caller each time.
//
// A run is worth keeping once a state was met with two callers: before, the reading makes the very
// sets that the text goes on to. Kept for the time of one parser, within a bound. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "automata/byte_set.h"
#include "mask/local_mask.h"
#include "mask/token_mask.h"
#include "parser/item.h"
#include "support/fork_safety.h"
#include "tokenizer/token_trie.h"

namespace xgrammar {

struct TextRun {
  /// Siblings at which the rule may have ended, and which of their bytes a caller would read.
  struct Exit {
    const TailGroup* group = nullptr;  ///< Whose tree it is, which may not be made yet; or null.
    const TokenTrie* trie = nullptr;
    const LocalMask* owner = nullptr;  ///< Of the tree; null: the tree of whole tokens.
    uint32_t begin = 0;
    uint32_t end = 0;
    ByteSet bytes;
  };
  std::vector<int32_t> ids;             ///< Tokens that end inside.
  std::vector<TokenMask::Part> locals;  ///< The same, where they are many.
  std::vector<Exit> exits;
  /// Bytes that go on where the rule may have ended, of which no exits are kept. If a caller reads
  /// one of them, the run is of no use.
  ByteSet soft_exits;
  std::vector<std::shared_ptr<const LocalMask>> kept;  ///< Own the trees of exits.

  int64_t MemorySizeBytes() const {
    return static_cast<int64_t>(sizeof(TextRun) + ids.size() * sizeof(int32_t) +
                                locals.size() * sizeof(TokenMask::Part) +
                                exits.size() * sizeof(Exit) + kept.size() * sizeof(kept[0]));
  }
};

class TextRuns {
 public:
  explicit TextRuns(int64_t max_bytes) : max_bytes_(max_bytes) {}

  /// What is read below a node, from a state of the parser.
  struct Key {
    uint32_t state = 0;
    uint32_t node = 0;
    const TokenTrie* trie = nullptr;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Answer {
    bool is_shared = false;              ///< The state was met with other continuations as well.
    std::shared_ptr<const TextRun> run;  ///< If it is known.
  };
  /// `build`: numbers the mask being made; several callers within one do not count.
  Answer Find(const Key& key, ContinuationId continuation, uint32_t build);
  /// `owner`: of the tree, or null for one that outlives the runs. Returns the bytes it adds.
  int64_t Keep(const Key& key, std::shared_ptr<const TextRun> run,
               std::shared_ptr<const LocalMask> owner);
  int64_t size() const {
    std::lock_guard<ForkSafeMutex> lock(mutex_);
    return static_cast<int64_t>(runs_.size());
  }

 private:
  static constexpr ContinuationId kNone = 0xFFFFFFFF;
  static constexpr ContinuationId kSeveral = 0xFFFFFFFE;

  struct KeyHash {
    size_t operator()(const Key& key) const {
      uint64_t h = reinterpret_cast<uintptr_t>(key.trie) / 16;
      h = (h ^ (uint64_t{key.state} << 32 | key.node)) * 0x9E3779B97F4A7C15ull;
      return static_cast<size_t>(h ^ (h >> 32));
    }
  };
  struct Entry {
    std::shared_ptr<const TextRun> run;
    std::shared_ptr<const LocalMask> owner;  ///< Keeps the tree of the key alive.
  };
  /// The first continuation that a state was met with, and in which build.
  struct Met {
    ContinuationId continuation = kNone;
    uint32_t build = 0;
  };

  const int64_t max_bytes_;
  mutable ForkSafeMutex mutex_;
  // All guarded by mutex_.
  std::vector<Met> met_with_;  ///< By state.
  std::unordered_map<Key, Entry, KeyHash> runs_;
  int64_t size_bytes_ = 0;
};

}  // namespace xgrammar
