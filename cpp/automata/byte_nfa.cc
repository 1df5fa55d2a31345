// ByteNfa: fragments for literals, code point classes and code point automata.
//
// Text is spelled as UTF-8 here, once and for all: later stages see bytes only. Edges of one state
// to one target become one class, and states inside characters are shared between classes that lead
// to the same place.
#include "automata/byte_nfa.h"

#include <algorithm>
#include <map>
#include <utility>

#include "automata/utf8_class.h"

namespace xgrammar {

void ByteNfa::AddLiteral(int32_t from, std::string_view bytes, int32_t to) {
  if (bytes.empty()) {
    AddEpsilon(from, to);
    return;
  }
  int32_t state = from;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    const int32_t next = i + 1 == bytes.size() ? to : AddState();
    AddEdge(state, byte, byte, next);
    state = next;
  }
}

void ByteNfa::AddClass(int32_t from, std::span<const CodePointRange> ranges, int32_t to) {
  const Utf8Class utf8(ranges);
  std::vector<int32_t> state_of(static_cast<size_t>(utf8.num_nodes()));
  for (int32_t node = 0; node < utf8.num_nodes(); ++node) {
    state_of[static_cast<size_t>(node)] = node == utf8.start() ? from : AddState();
  }
  for (int32_t node = 0; node < utf8.num_nodes(); ++node) {
    for (const Utf8Class::Edge& e : utf8.edges(node)) {
      AddEdge(state_of[static_cast<size_t>(node)], e.lo, e.hi,
              e.target == Utf8Class::kEnd ? to : state_of[static_cast<size_t>(e.target)]);
    }
  }
}

void ByteNfa::AddAutomaton(int32_t from, const CodePointDfa& dfa, int32_t to) {
  constexpr uint32_t kMaxAscii = 0x7F;
  std::vector<int32_t> state_of(dfa.states().size());
  for (size_t i = 0; i < dfa.states().size(); ++i) state_of[i] = AddState();
  AddEpsilon(from, state_of[0]);
  // By target and ranges: the state before characters of several bytes. In free text nearly all of
  // them lead to the same state from everywhere, and so share the states between their bytes.
  std::map<std::vector<uint32_t>, int32_t> wide;
  for (size_t i = 0; i < dfa.states().size(); ++i) {
    const CodePointDfa::StateView& state = dfa.states()[i];
    if (state.accept) AddEpsilon(state_of[i], to);
    // Edges to one target form one class, so that they share their UTF-8 nodes.
    std::vector<std::pair<int32_t, std::vector<CodePointRange>>> by_target;
    for (const CodePointDfa::Edge& e : state.edges) {
      if (e.lo <= kMaxAscii) {
        AddEdge(state_of[i], static_cast<uint8_t>(e.lo),
                static_cast<uint8_t>(std::min(e.hi, kMaxAscii)),
                state_of[static_cast<size_t>(e.target)]);
      }
      if (e.hi <= kMaxAscii) continue;
      auto it = by_target.begin();
      while (it != by_target.end() && it->first != e.target) ++it;
      if (it == by_target.end()) it = by_target.insert(it, {e.target, {}});
      it->second.push_back({std::max(e.lo, kMaxAscii + 1), e.hi});
    }
    for (const auto& [target, ranges] : by_target) {
      std::vector<uint32_t> key{static_cast<uint32_t>(target)};
      for (const CodePointRange& range : ranges) key.insert(key.end(), {range.lo, range.hi});
      const auto [it, is_new] = wide.try_emplace(std::move(key), 0);
      if (is_new) {
        it->second = AddState();
        AddClass(it->second, ranges, state_of[static_cast<size_t>(target)]);
      }
      // Its edges, not an epsilon: one state stays one state in the subset construction.
      const std::vector<Edge> first = states_[static_cast<size_t>(it->second)].edges;
      std::vector<Edge>& edges = states_[static_cast<size_t>(state_of[i])].edges;
      edges.insert(edges.end(), first.begin(), first.end());
    }
  }
}

}  // namespace xgrammar
