// Replacing characters, and edges of automata, by the spelling of their entities.
#include "frontend/json_schema/styles/xml_escapes.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace xgrammar::json_schema {

namespace {

using State = CodePointDfa::State;

std::string_view EntityOf(char character) {
  switch (character) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    default:
      return "&quot;";
  }
}

/// The states of one source state: its plain edges, and a trie of the entities it may continue by.
class StateEscaper {
 public:
  StateEscaper(std::string_view escaped, std::vector<State>* out) : escaped_(escaped), out_(*out) {
    std::sort(escaped_.begin(), escaped_.end());
  }

  void Escape(const State& source, size_t index) {
    out_[index].accept = source.accept;
    std::map<std::pair<int32_t, char>, int32_t> trie;
    for (const auto& edge : source.edges) {
      uint32_t next = edge.lo;
      for (const char character : escaped_) {
        const auto code_point = static_cast<uint32_t>(character);
        if (code_point < edge.lo || code_point > edge.hi) continue;
        if (code_point > next)
          AddEdge(static_cast<int32_t>(index), next, code_point - 1, edge.target);
        AddEntity(static_cast<int32_t>(index), EntityOf(character), edge.target, &trie);
        next = code_point + 1;
      }
      if (next <= edge.hi) AddEdge(static_cast<int32_t>(index), next, edge.hi, edge.target);
    }
  }

 private:
  void AddEdge(int32_t from, uint32_t lo, uint32_t hi, int32_t to) {
    out_[static_cast<size_t>(from)].edges.push_back({lo, hi, to});
  }

  void AddEntity(int32_t from, std::string_view entity, int32_t target,
                 std::map<std::pair<int32_t, char>, int32_t>* trie) {
    int32_t state = from;
    for (const char letter : entity) {
      const auto code_point = static_cast<uint32_t>(letter);
      if (letter == ';') {
        AddEdge(state, code_point, code_point, target);
        return;
      }
      const auto [place, is_new] =
          trie->try_emplace({state, letter}, static_cast<int32_t>(out_.size()));
      if (is_new) {
        out_.emplace_back();
        AddEdge(state, code_point, code_point, place->second);
      }
      state = place->second;
    }
  }

  std::string escaped_;
  std::vector<State>& out_;
};

}  // namespace

std::string EscapeXml(std::string_view text, std::string_view escaped) {
  std::string out;
  for (const char character : text) {
    if (escaped.find(character) == std::string_view::npos) {
      out += character;
    } else {
      out += EntityOf(character);
    }
  }
  return out;
}

CodePointDfa EscapeXml(const CodePointDfa& texts, std::string_view escaped) {
  std::vector<State> out(texts.states().size());
  StateEscaper escaper(escaped, &out);
  for (size_t i = 0; i < texts.states().size(); ++i) escaper.Escape(texts.states()[i], i);
  for (State& state : out) {
    std::sort(state.edges.begin(), state.edges.end(),
              [](const auto& a, const auto& b) { return a.lo < b.lo; });
  }
  return CodePointDfa(std::move(out));
}

}  // namespace xgrammar::json_schema
