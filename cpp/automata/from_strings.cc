// FromStrings: a finite set of texts as a minimal machine.
//
// The trie of the sorted texts is written level by level, so that the edges of a node come in a row
// and every node after its parent; folding it merges equal ends (Revuz 1992). Linear in the total
// length, but for sorting.
#include <algorithm>
#include <utility>
#include <vector>

#include "automata/code_point_automaton.h"
#include "support/utf8.h"
#include "support/work_meter.h"

namespace xgrammar {

namespace {

/// Texts that begin alike, as a part of the sorted list, and how many bytes of them are read.
struct TrieNode {
  size_t first = 0;
  size_t end = 0;
  size_t read = 0;
};

DfaTable BuildTrie(const std::vector<std::string_view>& sorted) {
  DfaTable trie;
  std::vector<TrieNode> level = {{0, sorted.size(), 0}};
  std::vector<TrieNode> next_level;
  int32_t num_nodes = 1;
  while (!level.empty()) {
    next_level.clear();
    for (const TrieNode& node : level) {
      size_t i = node.first;
      // What ends here comes first; a text may be there several times.
      while (i < node.end && sorted[i].size() == node.read) ++i;
      const bool accept = i > node.first;
      while (i < node.end) {
        const DecodedCodePoint decoded = DecodeUtf8(sorted[i], node.read);
        const std::string_view character = sorted[i].substr(node.read, decoded.size);
        const size_t first = i;
        while (i < node.end && sorted[i].substr(node.read, decoded.size) == character) ++i;
        trie.AddEdge(decoded.code_point, decoded.code_point, num_nodes++);
        next_level.push_back({first, i, node.read + decoded.size});
      }
      CountWork("building an automaton of texts",
                1 + static_cast<int64_t>(node.end - node.first) / 8);
      trie.EndState(accept);
    }
    level.swap(next_level);
  }
  return trie;
}

}  // namespace

CodePointDfa FromStrings(const std::vector<std::string_view>& texts) {
  if (texts.empty()) return CodePointDfa(DfaTable());
  std::vector<std::string_view> sorted = texts;
  // UTF-8 sorts by bytes as it does by code points.
  std::sort(sorted.begin(), sorted.end());
  return Minimize(BuildTrie(sorted));
}

}  // namespace xgrammar
