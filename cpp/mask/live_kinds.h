// LiveKinds: for each state of one automaton, the kinds of bytes (tokenizer/byte_kind.h) that keep
// it alive whatever their order, so that a subtree of the token tree that holds no other kinds is
// taken without being read.
//
// Stage: mask. A state and a set of kinds are explored together, breadth first. Where a state is
// found that cannot go on with all of the kinds, either these are taken out of the set or those
// that led there (the quote that ends a string), whichever are fewer, and the search begins again:
// any set that passes is right, a large one is useful. Texts are as long as tokens are, so the
// search ends after kMaxSteps, and a state that is far away only limits the length: a chain of
// states for a bounded length is alive as well. What is found holds for the states on the way, too.
// Characters above U+007F count in subtrees of well-formed UTF-8 if every one leads on that begins
// with a byte of the kind.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "automata/byte_dfa.h"
#include "tokenizer/byte_kind.h"
#include "tokenizer/token_trie.h"

namespace xgrammar {

/// Answers are found at first use. Owned by one thread.
class LiveKinds {
 public:
  /// Bytes up to which a text is known to stay alive.
  static constexpr uint32_t kMaxSteps = 32;

  explicit LiveKinds(const ByteDfa& dfa) : dfa_(dfa) {}

  struct Answer {
    uint16_t kinds = 0;    ///< Any well-formed text of these kinds keeps the automaton alive...
    uint8_t steps = 0;     ///< ...if it has at most so many bytes.
    bool may_end = false;  ///< On the way the automaton may be where it can end.
    bool is_known = false;
  };
  const Answer& Of(uint32_t state) {
    if (answers_.empty()) Begin();
    Answer& answer = answers_[state];
    if (!answer.is_known) Find(state);
    return answer;
  }

  /// Whether every token below the node keeps the automaton alive, if it is in `state` there.
  bool TakesAllBelow(const TokenTrie& trie, uint32_t node, uint32_t state) {
    // What does not even lead on from here needs no search.
    if (answers_.empty()) Begin();
    if ((trie.kinds_below(node) & ~KindsThatLeadOn(state)) != 0) return false;
    return (trie.kinds_below(node) & ~Of(state).kinds) == 0 &&
           trie.height_below(node) <= Of(state).steps;
  }

 private:
  /// A state, reached by so many bytes at least, within a character or between two.
  struct Reached {
    uint32_t state = 0;
    Utf8State utf8 = Utf8State::kBoundary;
    uint32_t steps = 0;
    uint16_t by = 0;  ///< Kinds of which a byte led here.
  };

  static constexpr uint32_t kIsKnown = 1u << 16;

  void Begin();
  void Find(uint32_t state);
  uint16_t KindsThatLeadOn(uint32_t state) {
    uint32_t& known = leading_on_[state];
    if ((known & kIsKnown) == 0) known = kIsKnown | FindKindsThatLeadOn(state);
    return static_cast<uint16_t>(known);
  }
  uint16_t FindKindsThatLeadOn(uint32_t state) const;
  /// Searches with the kinds of the answer; true if some had to be taken out.
  bool Narrow(uint32_t state, Answer* answer);
  /// What that comes to at the state reached last, from which not all kinds lead on.
  bool NarrowToDead(Answer* answer);
  /// Whether the kinds are one, without which words and spaces are still part of the text.
  static bool LeavesWords(uint16_t dropped, const Answer& answer);
  /// Whether one kind alone led here, or alone leads nowhere, of text that words and spaces are
  /// part of.
  static bool IsBesideWords(const Reached& at, uint16_t dead, const Answer& answer);
  bool DropDead(const Reached& at, uint16_t dead, Answer* answer) const;
  bool DropWhatLeadsAway(uint32_t state, Answer* answer) const;
  /// Whether a search past its bound goes on up to a larger one.
  bool TakesLargeSearch(const Answer& answer, size_t* max_reached);
  /// Whether the search, which ends here, has found the answer: texts are alive up to here.
  static bool IsFarEnough(const Reached& at, Answer* answer);
  /// Answers for the states on the way that can hardly do better: no other kinds lead on from them,
  /// or they lead back to where the search began.
  void Share(uint32_t state, const Answer& answer);
  bool LeadsTo(uint32_t from, uint32_t to) const;
  /// Add the states after one byte; in a character, those kinds are returned that may fail.
  void StepAscii(const Reached& from);
  uint16_t StepCharacter(const Reached& from);
  void Add(const Reached& to);

  const ByteDfa& dfa_;
  std::vector<Answer> answers_;
  std::vector<uint32_t> leading_on_;  ///< By state, or'ed with kIsKnown.
  std::vector<uint16_t> run_kinds_;   ///< Kinds of ASCII bytes in each of the byte runs.
  std::array<uint8_t, 256> run_of_byte_{};
  std::vector<Reached> reached_;
  std::vector<uint32_t> seen_;  ///< By state: the last search that reached it between characters.
  struct Within {
    uint32_t search = 0;
    Utf8State utf8 = Utf8State::kBoundary;
  };
  std::vector<Within> seen_within_;  ///< The same within a character.
  uint32_t search_ = 0;
  uint16_t kinds_ = 0;    ///< Of the search.
  bool may_end_ = false;  ///< On the way of the search.
  bool is_dead_ = false;  ///< Some kind does not lead on from the state reached last.
  int num_large_searches_ = 0;
};

}  // namespace xgrammar
