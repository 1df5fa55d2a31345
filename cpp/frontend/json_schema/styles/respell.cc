// Replacing characters, and edges of automata, by their spellings.
//
// An edge that contains replaced characters is split around them, and the spellings that leave one
// state form a trie, so the result is deterministic as its input was. Linear in the automaton,
// times the number of spellings.
#include "frontend/json_schema/styles/respell.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "support/utf8.h"

namespace xgrammar::json_schema {

namespace {

using State = CodePointDfa::State;

/// The states of one source state: its plain edges, and a trie of the spellings it may continue by.
class StateSpeller {
 public:
  StateSpeller(const Spellings& spellings, std::vector<State>* out)
      : spellings_(spellings), out_(*out) {}

  void Spell(const CodePointDfa::StateView& source, size_t index) {
    out_[index].accept = source.accept;
    const auto from = static_cast<int32_t>(index);
    Trie trie;
    for (const auto& edge : source.edges) {
      uint32_t next = edge.lo;
      for (auto it = spellings_.lower_bound(edge.lo);
           it != spellings_.end() && it->first <= edge.hi; ++it) {
        if (it->first > next) AddEdge(from, next, it->first - 1, edge.target);
        AddSpelling(from, it->second, edge.target, &trie);
        next = it->first + 1;
      }
      if (next <= edge.hi) AddEdge(from, next, edge.hi, edge.target);
    }
  }

 private:
  using Trie = std::map<std::pair<int32_t, char>, int32_t>;

  void AddEdge(int32_t from, uint32_t lo, uint32_t hi, int32_t to) {
    out_[static_cast<size_t>(from)].edges.push_back({lo, hi, to});
  }

  void AddSpelling(int32_t from, std::string_view spelling, int32_t target, Trie* trie) {
    int32_t state = from;
    for (size_t i = 0; i < spelling.size(); ++i) {
      const auto code_point = static_cast<uint32_t>(spelling[i]);
      if (i + 1 == spelling.size()) {
        AddEdge(state, code_point, code_point, target);
        return;
      }
      const auto [place, is_new] =
          trie->try_emplace({state, spelling[i]}, static_cast<int32_t>(out_.size()));
      if (is_new) {
        out_.emplace_back();
        AddEdge(state, code_point, code_point, place->second);
      }
      state = place->second;
    }
  }

  const Spellings& spellings_;
  std::vector<State>& out_;
};

}  // namespace

std::string Respell(std::string_view text, const Spellings& spellings) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const DecodedCodePoint decoded = DecodeUtf8(text, i);
    const auto found = spellings.find(decoded.code_point);
    if (found == spellings.end()) {
      out.append(text.substr(i, decoded.size));
    } else {
      out += found->second;
    }
    i += decoded.size;
  }
  return out;
}

CodePointDfa Respell(const CodePointDfa& texts, const Spellings& spellings) {
  std::vector<State> out(texts.states().size());
  StateSpeller speller(spellings, &out);
  for (size_t i = 0; i < texts.states().size(); ++i) speller.Spell(texts.states()[i], i);
  for (State& state : out) {
    std::sort(state.edges.begin(), state.edges.end(),
              [](const auto& a, const auto& b) { return a.lo < b.lo; });
  }
  return CodePointDfa(std::move(out));
}

}  // namespace xgrammar::json_schema
