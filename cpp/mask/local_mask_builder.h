// LocalMaskBuilder: computes the LocalMask of an automaton state by one walk over the token tree.
//
// A difference walks the tree with two states side by side, the one asked about and the base, and
// skips every subtree from which on they are the same: the tokens it looks at are those that tell
// the states apart.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mask/dfa_walk.h"
#include "mask/kind_masks.h"
#include "mask/live_kinds.h"
#include "mask/local_mask.h"
#include "tokenizer/tokenizer_info.h"

namespace xgrammar {

/// Owned by one thread.
class LocalMaskBuilder {
 public:
  /// `kind_masks`, of the same tokenizer and LiveKinds::kMaxSteps, saves finding the tokens of
  /// permissive states; null: does without.
  explicit LocalMaskBuilder(const TokenizerInfo& tokenizer, KindMasks* kind_masks = nullptr,
                            const PartSizes& sizes = {})
      : tokenizer_(tokenizer), trie_(tokenizer.trie()), kind_masks_(kind_masks), sizes_(sizes) {}

  /// Cost: the tree nodes whose prefix stays alive. `counted`: the automaton is one copy of a
  /// repetition.
  std::shared_ptr<const LocalMask> BuildWhole(const ByteDfa& dfa, uint32_t state, bool counted);
  /// Of the tokens that begin with the bytes of a node, which has children: those bytes were read
  /// by something else, the rest is read from `state`.
  std::shared_ptr<const LocalMask> BuildBelow(const ByteDfa& dfa, uint32_t state, uint32_t node);
  /// The mask of a state that goes on with this byte alone, to `after`, and that need not exist.
  std::shared_ptr<const LocalMask> BuildBefore(const ByteDfa& dfa, uint8_t byte, uint32_t after);
  /// Cost: the tree nodes whose prefix leads to different states. Precondition: `base` is a whole,
  /// dense mask of `base_state`, of a plain automaton.
  std::shared_ptr<const LocalMask> BuildDifference(const ByteDfa& dfa, uint32_t state,
                                                   uint32_t base_state,
                                                   std::shared_ptr<const LocalMask> base);
  /// The same for a state that goes on with this byte alone, to `after`; `base` is what BuildBefore
  /// makes for the byte and `base_after`.
  std::shared_ptr<const LocalMask> BuildDifferenceBefore(const ByteDfa& dfa, uint8_t byte,
                                                         uint32_t after, uint32_t base_after,
                                                         std::shared_ptr<const LocalMask> base);
  /// Bytes of scratch memory held.
  int64_t ScratchBytes() const {
    return plain_stack_.MemorySizeBytes() +
           static_cast<int64_t>(
               stack_.capacity() * sizeof(DfaPosition) + pairs_.capacity() * sizeof(Pair) +
               put_off_.capacity() * sizeof(PairSubtree) + exits_.capacity() * sizeof(Exit));
  }

 private:
  struct Exit {
    uint8_t byte;     ///< The byte that comes next.
    uint32_t node;    ///< The node that it leads to.
    uint32_t copies;  ///< Copies completed before.
  };

  /// The state asked about and the base, side by side.
  struct Pair {
    uint32_t state = 0;
    uint32_t base = 0;
  };

  void AddExit(uint32_t node, const DfaPosition& position, uint32_t copies, const ByteDfa& dfa);
  /// At a node where the automaton, in `state`, may end.
  void Leave(uint32_t node, uint32_t state, const ByteDfa& dfa, LocalMask* mask);
  void AddSoftExits(uint32_t node, const ByteSet& next);
  void CompareNode(uint32_t node, uint32_t from_state, uint32_t from_base, uint32_t to_state,
                   uint32_t to_base, const ByteDfa& dfa, LocalMask* mask);
  void CompareSubtree(uint32_t root, const ByteDfa& dfa, LocalMask* mask);
  /// Whether what is below the node was put off, or agrees.
  bool PutOffChildren(uint32_t node, const Pair& to, const ByteDfa& dfa);
  /// No token below the node stays inside or leaves, other than in the base.
  void RemoveBelow(uint32_t node, LocalMask* mask) const;
  void ComparePutOff(const ByteDfa& dfa, LocalMask* mask);
  void Begin();
  std::shared_ptr<LocalMask> FinishWhole(std::shared_ptr<LocalMask> mask, bool counted);
  std::shared_ptr<LocalMask> FinishDifference(std::shared_ptr<LocalMask> mask,
                                              std::shared_ptr<const LocalMask> base);
  void WalkPlain(const ByteDfa& dfa, uint32_t state, LocalMask* mask);
  void WalkSiblings(const TokenTrie& trie, uint32_t begin, uint32_t end, const ByteDfa& dfa,
                    uint32_t state, LiveKinds* live, LocalMask* mask);
  /// The loop that letters lead to from a state (or that it is), and the kinds of bytes that lead
  /// there and stay there; none if few tokens are made of them.
  struct WordLoop {
    uint32_t state = 0;
    WordIndex::Kinds kinds = 0;
  };
  WordLoop FindWordLoop(const WordIndex& index, const ByteDfa& dfa, uint32_t state) const;
  /// The walk from a state before such a loop by what is known of words: only what leaves them is
  /// read. `depth`: of the node that the index is below. False if there is no loop.
  bool WalkWords(const WordIndex& index, uint32_t depth, const ByteDfa& dfa, uint32_t state,
                 LiveKinds* live, LocalMask* mask);
  void AddInside(std::span<const int32_t> tokens, LocalMask* mask) const {
    if (mask->words_.empty()) {
      AddFirstInside(tokens, mask);
      return;
    }
    uint32_t* const words = mask->words_.data();
    for (int32_t id : tokens) words[static_cast<size_t>(id) >> 5] |= 1u << (id & 31);
  }
  /// As long as they are few.
  void AddFirstInside(std::span<const int32_t> tokens, LocalMask* mask) const;
  /// A walk of the automaton of one copy: who needs how many copies.
  struct CopyWalk {
    uint16_t kinds = 0;               ///< Each character of these is a copy.
    std::vector<uint32_t> by_length;  ///< Tokens, as bits, that need a copy for each character.
    std::vector<std::pair<uint32_t, int32_t>> others;  ///< Copies needed, token.
  };
  void WalkCopies(const ByteDfa& dfa, uint32_t state, LocalMask* mask);
  /// Of the siblings [begin, end) and their subtrees.
  void ReadCopies(uint32_t begin, uint32_t end, const ByteDfa& dfa, const DfaPosition& start,
                  CopyWalk* walk);
  /// The walk from a state within a copy that goes on with word characters, up to some number of
  /// them, by what is known of words. False if it does not.
  bool WalkWordsInCopy(const ByteDfa& dfa, const DfaPosition& start, CopyWalk* walk);
  bool TakeCopiesBelow(uint32_t node, uint32_t copies, CopyWalk* walk);
  void SortByCopies(const CopyWalk& walk, LocalMask* mask) const;
  /// Of the tokens that are not of the known kinds, those that do not stay inside.
  static void FindOutside(LocalMask* mask);
  /// So many that bits are the better form.
  bool IsMany(size_t num_tokens) const;
  size_t NumWords() const;
  void AddTailGroups(bool counted, LocalMask* mask);
  /// The copies that most tokens complete before they leave. Precondition: some leave.
  uint32_t UsualExitCopies() const;

  const TokenizerInfo& tokenizer_;
  const TokenTrie& trie_;  ///< Asking the tokenizer for it costs more than a node of the walk.
  KindMasks* const kind_masks_;
  const PartSizes sizes_;
  DfaWalkStack stack_;
  PlainWalkStack plain_stack_;
  std::vector<Pair> pairs_;  ///< By level.
  struct PairSubtree {
    uint32_t root = 0;
    Pair before;
  };
  std::vector<PairSubtree> put_off_;
  const std::vector<uint32_t>* base_words_ = nullptr;  ///< Of a difference, if the base has bits.
  std::vector<Exit> exits_;
  const TokenTrie* exit_trie_ = nullptr;  ///< Whose nodes they are.
  ByteSet soft_exits_;
  uint16_t soft_kinds_ = 0;  ///< All bytes of these kinds are soft exits, too.
};

}  // namespace xgrammar
