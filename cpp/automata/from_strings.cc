// FromStrings: a finite set of texts as a minimal machine.
//
// The trie is built from the sorted texts and then folded from the leaves up: two nodes with the
// same acceptance and the same edges are one state (Revuz 1992; the incremental form is Daciuk et
// al. 2000). Linear in the total length.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "automata/code_point_automaton.h"
#include "support/utf8.h"
#include "support/work_meter.h"

namespace xgrammar {

namespace {

using State = CodePointDfa::State;

/// Every node comes after its parent. The texts are sorted, so the edge to follow is always the
/// last one of a node.
std::vector<State> BuildTrie(const std::vector<std::string_view>& sorted) {
  std::vector<State> trie(1);
  for (std::string_view text : sorted) {
    size_t node = 0;
    for (size_t i = 0; i < text.size();) {
      const DecodedCodePoint decoded = DecodeUtf8(text, i);
      i += decoded.size;
      const uint32_t c = decoded.code_point;
      if (trie[node].edges.empty() || trie[node].edges.back().lo != c) {
        trie[node].edges.push_back({c, c, static_cast<int32_t>(trie.size())});
        trie.emplace_back();
      }
      node = static_cast<size_t>(trie[node].edges.back().target);
    }
    trie[node].accept = true;
    CountWork("building an automaton of texts", 1 + static_cast<int64_t>(text.size()) / 2);
  }
  return trie;
}

/// The acceptance and the edges of a node as bytes, equal exactly for equal states.
std::string KeyOf(const State& state) {
  std::string key(1, state.accept ? '1' : '0');
  for (const CodePointDfa::Edge& edge : state.edges) {
    key.append(reinterpret_cast<const char*>(&edge), sizeof(edge));
  }
  return key;
}

}  // namespace

CodePointDfa FromStrings(const std::vector<std::string_view>& texts) {
  if (texts.empty()) return CodePointDfa({});
  std::vector<std::string_view> sorted = texts;
  // UTF-8 sorts by bytes as it does by code points.
  std::sort(sorted.begin(), sorted.end());
  std::vector<State> trie = BuildTrie(sorted);
  std::vector<int32_t> representative(trie.size());
  std::unordered_map<std::string, int32_t> ids;
  for (size_t node = trie.size(); node-- > 0;) {
    for (CodePointDfa::Edge& edge : trie[node].edges) {
      edge.target = representative[static_cast<size_t>(edge.target)];
    }
    CountWork("building an automaton of texts");
    representative[node] =
        ids.try_emplace(KeyOf(trie[node]), static_cast<int32_t>(node)).first->second;
  }
  // The root has no equal below it, so it is its own representative; folded nodes are now
  // unreachable.
  return CodePointDfa(std::move(trie));
}

}  // namespace xgrammar
