// LocalMaskBuilder: states that letters lead to a loop on word characters (names, words, numbers),
// by what the tokenizer knows of words (tokenizer/word_index.h).
//
// The tokens that such a loop takes are a union of lists that are known; read are the subtrees at
// which texts of its characters go on with another byte, and few tokens do.
#include <span>

#include "mask/local_mask_builder.h"

namespace xgrammar {

LocalMaskBuilder::WordLoop LocalMaskBuilder::FindWordLoop(const WordIndex& index,
                                                          const ByteDfa& dfa,
                                                          uint32_t state) const {
  WordLoop found;
  found.state = dfa.Next(state, 'a');
  if (found.state == ByteDfa::kDead) return found;
  ByteSet looping;
  const std::span<const uint8_t> runs = dfa.byte_runs();
  for (size_t r = 0; r < runs.size(); ++r) {
    if (dfa.Next(state, runs[r]) != found.state) continue;
    if (dfa.Next(found.state, runs[r]) != found.state) continue;
    looping.AddRange(runs[r], static_cast<uint8_t>((r + 1 < runs.size() ? runs[r + 1] : 256) - 1));
  }
  const WordIndex::Kinds kinds = WordIndex::KindsWithin(looping.words);
  if ((kinds & WordIndex::kLetters) != 0 && IsMany(index.NumTokens(kinds))) found.kinds = kinds;
  return found;
}

bool LocalMaskBuilder::WalkWords(const WordIndex& index, uint32_t depth, const ByteDfa& dfa,
                                 uint32_t state, LiveKinds* live, LocalMask* mask) {
  const WordLoop loop = FindWordLoop(index, dfa, state);
  if (loop.kinds == 0) return false;
  if (mask->words_.empty()) {
    mask->words_.assign(NumWords(), 0);
    AddInside(std::span<const int32_t>(mask->inside_), mask);
  }
  index.AddTokens(loop.kinds, mask->words_);
  const bool may_end = dfa.IsAccept(loop.state);
  if (may_end) soft_exits_.Merge({WordIndex::BytesOf(loop.kinds)});
  index.ForEachLeaving(loop.kinds, [&](uint32_t node) {
    const auto byte = static_cast<uint8_t>(trie_.node(node).byte);
    const bool is_first = trie_.node(node).depth == depth + 1;
    const uint32_t from = is_first ? state : loop.state;
    const bool could_leave = !is_first && may_end;
    if (dfa.Next(from, byte) == ByteDfa::kDead) {
      if (could_leave) exits_.push_back({byte, node, 0});
      return;
    }
    if (could_leave) soft_exits_.Add(byte);
    WalkSiblings(trie_, node, trie_.node(node).subtree_end, dfa, from, live, mask);
  });
  return true;
}

}  // namespace xgrammar
