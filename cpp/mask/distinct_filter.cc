// DistinctFilter: a walk of the token tree along what may become equal.
//
// Every step is one of the parser, so that nothing is decided here: the walk only leaves out what
// cannot be refused.
#include "mask/distinct_filter.h"

#include <string>

namespace xgrammar {

std::vector<int32_t> DistinctFilter::RefusedTokens(SetId set, std::span<const uint32_t> row) const {
  std::vector<int32_t> refused;
  const auto is_set = [&](int32_t token) {
    return ((row[static_cast<size_t>(token) >> 5] >> (token & 31)) & 1u) != 0;
  };
  const auto read_whole = [&](const std::vector<int32_t>& tokens) {
    for (int32_t token : tokens) {
      if (!is_set(token)) continue;
      SetId after = set;
      for (char c : tokenizer_.decoded_vocab()[static_cast<size_t>(token)]) {
        after = parser_.Next(after, static_cast<uint8_t>(c));
        if (after == kDeadSet) break;
      }
      if (after == kDeadSet) refused.push_back(token);
    }
  };
  if (!parser_.set(set).compares) {
    read_whole(spanning_.opening);
    return refused;
  }
  const SpanningTokens::Kinds& kinds =
      parser_.IsInString(set) ? spanning_.in_string : spanning_.outside;
  const Parser::ItemVariety variety = parser_.VarietyOfItems(set);
  read_whole(kinds.other);
  if (!variety.has_endless_strings) read_whole(kinds.to_strings);
  if (!variety.is_endless) read_whole(kinds.ending);
  const TokenTrie& trie = tokenizer_.trie();
  struct Part {
    SetId set;
    uint32_t begin;
    uint32_t end;
  };
  std::vector<Part> parts;
  const auto read = [&](SetId from, uint32_t node) {
    const SetId after = parser_.Next(from, static_cast<uint8_t>(trie.node(node).byte));
    if (after == kDeadSet) {
      for (int32_t token : trie.subtree_tokens(node)) {
        if (is_set(token)) refused.push_back(token);
      }
    } else if (node + 1 < trie.node(node).subtree_end) {
      parts.push_back({after, node + 1, trie.node(node).subtree_end});
    }
  };
  trie.ForEachRoot(parser_.BytesTowardsEqual(set).words, [&](uint32_t node) { read(set, node); });
  while (!parts.empty()) {
    const Part part = parts.back();
    parts.pop_back();
    const ByteSet bytes = parser_.BytesTowardsEqual(part.set);
    if (bytes.empty()) continue;
    for (uint32_t node = part.begin; node < part.end; node = trie.node(node).subtree_end) {
      if (bytes.Contains(static_cast<uint8_t>(trie.node(node).byte))) read(part.set, node);
    }
  }
  return refused;
}

}  // namespace xgrammar
