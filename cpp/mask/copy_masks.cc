// LocalMaskBuilder: the walk of a repetition, in which each token has the copies that it needs.
//
// Where copies are characters, a token of theirs needs as many copies as it has characters, which
// is known beforehand (token_lengths.h): such subtrees are taken unread. Where a copy begins with a
// word of bounded length, so are the tokens that are part of it (word_index.h). All others are read
// with a count. A counting sort puts them in the order of the copies that they need.
#include <algorithm>
#include <bit>
#include <span>

#include "mask/copy_kinds.h"
#include "mask/local_mask_builder.h"
#include "tokenizer/byte_kind.h"

namespace xgrammar {

namespace {

// Subtrees with fewer nodes are read.
constexpr uint32_t kWorthTaking = 8;

/// The bytes that lead from a state to another one, or nowhere.
ByteSet BytesTo(const ByteDfa& dfa, uint32_t from, uint32_t to) {
  ByteSet bytes;
  const std::span<const uint8_t> runs = dfa.byte_runs();
  for (size_t r = 0; r < runs.size(); ++r) {
    if (dfa.Next(from, runs[r]) != to) continue;
    bytes.AddRange(runs[r], static_cast<uint8_t>((r + 1 < runs.size() ? runs[r + 1] : 256) - 1));
  }
  return bytes;
}

void SetBit(int32_t token, std::vector<uint32_t>* words) {
  (*words)[static_cast<size_t>(token) >> 5] |= 1u << (token & 31);
}

template <typename Visit>
void ForEachBit(std::span<const uint32_t> words, Visit visit) {
  for (size_t w = 0; w < words.size(); ++w) {
    for (uint32_t rest = words[w]; rest != 0; rest &= rest - 1)
      visit(static_cast<int32_t>(w * 32 + static_cast<size_t>(std::countr_zero(rest))));
  }
}

}  // namespace

void LocalMaskBuilder::WalkCopies(const ByteDfa& dfa, uint32_t state, LocalMask* mask) {
  // Copies are measured from a room that no token exhausts.
  const uint32_t measure = trie_.max_token_bytes() + 2;
  DfaPosition start{state, {}};
  start.copies.room = measure;
  CopyWalk walk;
  walk.kinds = KindsOfCopies(dfa);
  walk.by_length.assign(NumWords(), 0);
  const TokenTrie* trie = &trie_;
  if (state == 0 && kind_masks_ != nullptr && (walk.kinds & KindBit('a')) != 0) {
    mask->known_ = kind_masks_->Get(walk.kinds);
    if (mask->known_ != nullptr) {
      walk.by_length = mask->known_->words;
      trie = &mask->known_->rest;
      soft_kinds_ |= walk.kinds;
    }
  }
  exit_trie_ = trie;
  if (mask->known_ != nullptr || !WalkWordsInCopy(dfa, start, &walk))
    ReadCopies(0, trie->num_nodes(), dfa, start, &walk);
  SortByCopies(walk, mask);
}

void LocalMaskBuilder::ReadCopies(uint32_t begin, uint32_t end, const ByteDfa& dfa,
                                  const DfaPosition& start, CopyWalk* walk) {
  const TokenTrie& trie = *exit_trie_;
  const uint32_t measure = start.copies.room;
  WalkDfa(
      trie, begin, end, dfa, WalkMode::kCopies, start, &stack_,
      [&](uint32_t node, const DfaPosition& to) {
        // Between copies nothing is begun: state 0 is only ever the start of a copy, which is
        // prefix-free.
        const uint32_t needs = measure - to.copies.room + (to.state != 0 ? 1 : 0);
        for (int32_t token : trie.tokens(node)) walk->others.emplace_back(needs, token);
      },
      [&](uint32_t node, const DfaPosition& to) {
        AddExit(node, to, measure - to.copies.room, dfa);
      },
      [&](uint32_t node, const DfaPosition& to) {
        return to.state == 0 && trie.node(node).subtree_end - node >= kWorthTaking &&
               TakeCopiesBelow(node, measure - to.copies.room, walk);
      });
}

bool LocalMaskBuilder::WalkWordsInCopy(const ByteDfa& dfa, const DfaPosition& start,
                                       CopyWalk* walk) {
  const WordIndex& index = tokenizer_.words();
  // The states after so many word characters; none of them ends the copy.
  std::vector<uint32_t> chain{start.state};
  WordIndex::Kinds kinds = 0;
  while (chain.size() <= trie_.max_token_bytes()) {
    const uint32_t to = dfa.Next(chain.back(), 'a');
    const WordIndex::Kinds alike = WordIndex::KindsWithin(BytesTo(dfa, chain.back(), to).words);
    if (chain.size() == 1) kinds = alike;
    const bool is_uniform = (kinds & WordIndex::kLetters) != 0 && (kinds & ~alike) == 0;
    if (!is_uniform) return false;
    if (to == ByteDfa::kDead) break;
    if (dfa.IsAccept(to)) return false;
    chain.push_back(to);
  }
  if (chain.size() == 1 || !IsMany(index.NumTokens(kinds))) return false;
  const TokenLengths& lengths = tokenizer_.lengths();
  std::vector<uint32_t> words(NumWords(), 0);
  index.AddTokens(kinds, words);
  ForEachBit(words, [&](int32_t token) {
    if (lengths.of(token) < chain.size()) walk->others.emplace_back(1, token);
  });
  index.ForEachLeaving(kinds, [&](uint32_t node) {
    const size_t before = trie_.node(node).depth - 1;
    if (before >= chain.size()) return;
    ReadCopies(node, trie_.node(node).subtree_end, dfa, {chain[before], start.copies}, walk);
  });
  return true;
}

bool LocalMaskBuilder::TakeCopiesBelow(uint32_t node, uint32_t copies, CopyWalk* walk) {
  const TokenTrie& trie = *exit_trie_;
  if ((trie.kinds_below(node) & ~walk->kinds) != 0) return false;
  const uint32_t depth = trie.node(node).depth;
  const auto below = trie.subtree_tokens(node).subspan(trie.tokens(node).size());
  if (below.empty()) return true;
  soft_kinds_ |= trie.kinds_below(node);
  const auto begins = [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; };
  const std::string& text = tokenizer_.decoded_vocab()[static_cast<size_t>(below[0])];
  const TokenLengths& lengths = tokenizer_.lengths();
  const auto counted = [&] {
    return std::count_if(text.begin(), text.begin() + static_cast<ptrdiff_t>(depth), begins);
  };
  // If each byte was a copy, all are of ASCII.
  if (copies == depth || (lengths.of(below[0]) != 0 && copies == counted())) {
    for (int32_t token : below) {
      if (lengths.of(token) == 0) return false;
    }
    for (int32_t token : below) SetBit(token, &walk->by_length);
    return true;
  }
  for (int32_t token : below) {
    const std::string& bytes = tokenizer_.decoded_vocab()[static_cast<size_t>(token)];
    const auto more =
        std::count_if(bytes.begin() + static_cast<ptrdiff_t>(depth), bytes.end(), begins);
    walk->others.emplace_back(copies + static_cast<uint32_t>(more), token);
  }
  return true;
}

void LocalMaskBuilder::SortByCopies(const CopyWalk& walk, LocalMask* mask) const {
  const TokenLengths& lengths = tokenizer_.lengths();
  const auto for_each = [&](auto visit) {
    ForEachBit(walk.by_length, [&](int32_t token) { visit(lengths.of(token), token); });
    for (const auto& [needs, token] : walk.others) visit(needs, token);
  };
  std::vector<uint32_t>& end = mask->inside_end_;
  end.assign(1, 0);
  for_each([&](uint32_t needs, int32_t) {
    if (end.size() <= needs) end.resize(size_t{needs} + 1, 0);
    ++end[needs];
  });
  for (size_t k = 1; k < end.size(); ++k) end[k] += end[k - 1];
  mask->inside_.resize(end.back());
  std::vector<uint32_t> place = end;
  for_each([&](uint32_t needs, int32_t token) { mask->inside_[--place[needs]] = token; });
  if (!IsMany(mask->inside_.size())) return;
  mask->words_ = walk.by_length;
  for (const auto& [needs, token] : walk.others) SetBit(token, &mask->words_);
}

}  // namespace xgrammar
