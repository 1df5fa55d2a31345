// LocalMaskBuilder: computes the LocalMask of an automaton state by one walk over the token tree.
//
// A difference walks the tree with two states side by side, the one asked about and the base, and
// skips every subtree from which on they are the same: the tokens it looks at are those that tell
// the states apart.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
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
  /// Cost: the tree nodes whose prefix leads to different states. Precondition: `base` is a whole,
  /// dense mask of `base_state`, of a plain automaton.
  std::shared_ptr<const LocalMask> BuildDifference(const ByteDfa& dfa, uint32_t state,
                                                   uint32_t base_state,
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

  void AddExit(uint32_t node, const DfaPosition& position, uint32_t copies, const ByteDfa& dfa);
  void AddSoftExits(uint32_t node, const ByteSet& next);
  void CompareNode(uint32_t node, uint32_t from_state, uint32_t from_base, uint32_t to_state,
                   uint32_t to_base, const ByteDfa& dfa, LocalMask* mask);
  void CompareSubtree(uint32_t root, const ByteDfa& dfa, LocalMask* mask);
  void WalkPlain(const ByteDfa& dfa, uint32_t state, LocalMask* mask);
  void WalkSiblings(const TokenTrie& trie, uint32_t begin, uint32_t end, const ByteDfa& dfa,
                    uint32_t state, LiveKinds* live, LocalMask* mask);
  std::shared_ptr<const LocalMask> Finish(std::shared_ptr<LocalMask> mask, bool counted);
  void AddInside(std::span<const int32_t> tokens, LocalMask* mask) const;
  void WalkCopies(const ByteDfa& dfa, uint32_t state, LocalMask* mask);
  /// So many that bits are the better form.
  bool IsMany(size_t num_tokens) const;
  size_t NumWords() const;
  void AddTailGroups(bool counted, LocalMask* mask);

  const TokenizerInfo& tokenizer_;
  const TokenTrie& trie_;  ///< Asking the tokenizer for it costs more than a node of the walk.
  KindMasks* const kind_masks_;
  const PartSizes sizes_;
  DfaWalkStack stack_;
  PlainWalkStack plain_stack_;
  /// The state asked about and the base, side by side.
  struct Pair {
    uint32_t state = 0;
    uint32_t base = 0;
  };
  std::vector<Pair> pairs_;  ///< By level.
  struct PairSubtree {
    uint32_t root = 0;
    Pair before;
  };
  std::vector<PairSubtree> put_off_;
  std::vector<Exit> exits_;
  const TokenTrie* exit_trie_ = nullptr;  ///< Whose nodes they are.
  ByteSet soft_exits_;
  uint16_t soft_kinds_ = 0;  ///< All bytes of these kinds are soft exits, too.
};

}  // namespace xgrammar
