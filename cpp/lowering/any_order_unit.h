// AnyOrderUnit: the automaton of parts in any order. Its states do not say what was seen; that is a
// MemberSet beside the state.
//
// State 0 stands before a member. The literals with which members begin (keys) are one prefix tree,
// a state for each of its nodes; the parts are numbered along the tree, so that the parts below a
// node are a range of numbers, and a node may be entered if a part of the range may still be read.
// What follows its literal is a unit of its own for each part. The last state stands after a
// member. Which parts may be read next is decided so that no text is let in that cannot be
// completed. Immutable.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/grammar.h"
#include "lowering/fsm.h"
#include "lowering/member_set.h"
#include "tokenizer/token_trie.h"

namespace xgrammar {

class AnyOrderUnit {
 public:
  static constexpr UnitId kNoUnit = 0xFFFFFFFF;

  struct Part {
    std::string_view literal;
    UnitId rest = kNoUnit;  ///< What follows the literal; kNoUnit: nothing.
    bool required = true;
    bool once = true;
  };
  struct Bounds {
    int64_t min = 0;
    int64_t max = kUnbounded;
  };

  AnyOrderUnit() = default;
  /// `parts`: those that can be completed. `separator`: kNoUnit if it is empty. `may_join`: a
  /// separator can be completed, so that there can be two members. Literals are borrowed for the
  /// time of the call.
  AnyOrderUnit(std::vector<Part> parts, UnitId separator, bool may_join, Bounds bounds);

  uint32_t num_states() const { return keys_.num_nodes() + 2; }
  static constexpr uint32_t kBefore = 0;
  uint32_t after_state() const { return keys_.num_nodes() + 1; }
  static uint32_t StateOfNode(uint32_t node) { return node + 1; }

  uint32_t num_parts() const { return static_cast<uint32_t>(parts_.size()); }
  const Part& part(uint32_t number) const { return parts_[number]; }
  UnitId separator() const { return separator_; }

  /// Nodes of the tree below a state: siblings [first, second) and their subtrees; for the state
  /// before a member the whole tree. Precondition: not the state after a member.
  std::pair<uint32_t, uint32_t> Children(uint32_t state) const;
  const TokenTrie& keys() const { return keys_; }
  /// The parts whose literal ends at a state, as numbers [first, second).
  std::pair<uint32_t, uint32_t> EndsAt(uint32_t state) const;
  /// Whether some allowed part is at or below a node.
  bool IsOpen(uint32_t node, std::span<const uint64_t> allowed) const {
    const auto below = keys_.subtree_tokens(node);
    return HasBitIn(allowed, static_cast<uint32_t>(below.front()),
                    static_cast<uint32_t>(below.back()) + 1);
  }
  /// The child of a state by a byte if it is open, or kNoNode.
  static constexpr uint32_t kNoNode = 0xFFFFFFFF;
  uint32_t Next(uint32_t state, uint8_t byte, std::span<const uint64_t> allowed) const;

  /// The parts that may be read next.
  std::vector<uint64_t> Allowed(const MemberSet& seen) const;
  bool MayEnd(const MemberSet& seen) const;
  bool MayGoOn(const MemberSet& seen) const;
  /// The set after one more member; `words` owns the result's words.
  MemberSet After(const MemberSet& seen, uint32_t part, std::vector<uint64_t>* words) const;
  /// The count in place of a count from which no token of `horizon` bytes can reach a bound.
  uint32_t MaskCount(const MemberSet& seen, uint32_t horizon) const;

  int64_t MemorySizeBytes() const;

 private:
  int64_t NumMissing(const MemberSet& seen) const;

  std::vector<Part> parts_;
  uint32_t num_without_literal_ = 0;
  TokenTrie keys_;  ///< Tokens are part numbers.
  std::vector<uint64_t> required_;
  std::vector<uint64_t> once_;
  UnitId separator_ = kNoUnit;
  Bounds bounds_;
};

}  // namespace xgrammar
