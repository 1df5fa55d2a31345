// Following: the set after an automaton, without what the automaton reads itself.
//
// Stage: mask. Grammars write optional white space twice in a row (`"[" ws (value ws)? "]"`), so
// what follows white space may begin with white space. Where a token leaves the first automaton,
// the second one adds nothing: what it reads the first one reads as well, and leaves to the same
// items later. Such an item is *covered*: the language of its state is part of the language of
// every state in which the first automaton may end, and the items after it are among the items
// after the first, or covered themselves. Without covered items the places where a token leaves are
// known beforehand (note 0005); with them, every token of white space would be cut at every byte.
//
// Sound by induction on what is left of the token: each covered item reads at least one byte. Only
// small automata are compared, and only items without counts.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "automata/byte_set.h"
#include "parser/earley_set.h"
#include "parser/parser.h"

namespace xgrammar {

struct Following {
  SetId set = kDeadSet;
  uint64_t covered = 0;  ///< A bit for each of the first 64 items inside automata.
  ByteSet first;         ///< The bytes that the others begin with.
  bool ends = false;     ///< Nothing need follow: the start rule may have ended.
};

/// Remembers what follows for the time of one mask, and which automata cover which beyond it. Owned
/// by one thread.
class FollowingSets {
 public:
  /// Forgets what follows what.
  void Clear() { ++round_; }
  /// What follows the item. Raises kLimit.
  Following After(Parser* parser, const DfaItem& item);

 private:
  struct Entry {
    uint32_t round = 0;
    uint32_t state = 0;
    const ByteDfa* dfa = nullptr;
    ContinuationId continuation = 0;
    Following following;
  };
  struct Pair {
    uint32_t inner = 0;
    uint32_t outer = 0;
  };

  /// Whether a state's language is part of that of every state in which an automaton, read on from
  /// a state, may end after a byte.
  struct Inclusion {
    ByteDfaPtr inner;  // Kept alive, so that addresses stay identities.
    ByteDfaPtr outer;
    uint32_t inner_state = 0;
    uint32_t outer_state = 0;
    bool holds = false;
  };

  Following Find(Parser* parser, const DfaItem& item);
  bool FindEnds(const ByteDfa& dfa, uint32_t state);
  /// `depth`: of items after items.
  bool IsCovered(Parser* parser, const DfaItem& inner, const DfaItem& outer, SetId set, int depth);
  bool IsIncludedAtEnds(const DfaItem& inner, const DfaItem& outer);
  bool CompareAtEnds(const ByteDfa& inner, uint32_t inner_state, const ByteDfa& outer,
                     uint32_t outer_state);
  bool IsIncluded(const ByteDfa& inner, uint32_t inner_state, const ByteDfa& outer,
                  uint32_t outer_state);

  std::array<Entry, 128> entries_;
  std::array<Inclusion, 64> inclusions_;
  uint32_t round_ = 1;
  std::vector<uint32_t> reached_;
  std::vector<uint32_t> ends_;  ///< States in which an automaton may end after a byte.
  std::vector<Pair> pairs_;
};

}  // namespace xgrammar
