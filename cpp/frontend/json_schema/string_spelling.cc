// Transducing automata from decoded to spelled characters (RFC 8259, section 7).
//
// Escapes that all spell one target share their inner states. Excluded names are a trie in which
// every character is followed by each of its spellings, surrogate pairs included, so that no
// spelling of a name slips through.
#include "frontend/json_schema/string_spelling.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <utility>

#include "automata/escape_phase.h"
#include "support/utf8.h"

namespace xgrammar::json_schema {

namespace {

using State = CodePointDfa::State;

struct ShortEscape {
  char letter;
  uint32_t code_point;
};
constexpr std::array<ShortEscape, 7> kCanonicalEscapes = {
    {{'"', '"'}, {'\\', '\\'}, {'b', 8}, {'f', 12}, {'n', 10}, {'r', 13}, {'t', 9}}};

bool HasShortEscape(uint32_t code_point) {
  return std::any_of(kCanonicalEscapes.begin(), kCanonicalEscapes.end(),
                     [&](const ShortEscape& escape) { return escape.code_point == code_point; });
}

char HexLetter(uint32_t value) {
  return static_cast<char>(value < 10 ? '0' + value : 'a' + value - 10);
}

void SortEdges(State* state) {
  std::sort(state->edges.begin(), state->edges.end(),
            [](const auto& a, const auto& b) { return a.lo < b.lo; });
}

// Target of a character in a state of a deterministic automaton, or -1.
int32_t TargetOf(const State& state, uint32_t code_point) {
  for (const auto& edge : state.edges) {
    if (code_point < edge.lo) return -1;
    if (code_point <= edge.hi) return edge.target;
  }
  return -1;
}

// Adds the states that spell the escaped characters of `decoded`; targets are kept as they are.
void AddEscapes(const State& decoded, size_t state_index, std::vector<State>* out) {
  State escape;
  for (const ShortEscape& candidate : kCanonicalEscapes) {
    const int32_t target = TargetOf(decoded, candidate.code_point);
    const auto letter = static_cast<uint32_t>(candidate.letter);
    if (target >= 0) escape.edges.push_back({letter, letter, target});
  }
  std::array<State, 2> last;  // After \u000 and after \u001.
  for (uint32_t code_point = 0; code_point < 0x20; ++code_point) {
    const int32_t target = HasShortEscape(code_point) ? -1 : TargetOf(decoded, code_point);
    const auto letter = static_cast<uint32_t>(HexLetter(code_point & 15));
    if (target >= 0) last[code_point >> 4].edges.push_back({letter, letter, target});
  }
  const auto add = [&](State state) {
    SortEdges(&state);
    out->push_back(std::move(state));
    return static_cast<int32_t>(out->size() - 1);
  };
  if (!last[0].edges.empty() || !last[1].edges.empty()) {
    State third;
    for (uint32_t digit = 0; digit < 2; ++digit) {
      if (last[digit].edges.empty()) continue;
      third.edges.push_back({'0' + digit, '0' + digit, add(std::move(last[digit]))});
    }
    State second;
    second.edges.push_back({'0', '0', add(std::move(third))});
    State first;
    first.edges.push_back({'0', '0', add(std::move(second))});
    escape.edges.push_back({'u', 'u', add(std::move(first))});
  }
  if (escape.edges.empty()) return;
  const int32_t escape_state = add(std::move(escape));
  (*out)[state_index].edges.push_back({'\\', '\\', escape_state});
  SortEdges(&(*out)[state_index]);
}

/// Builds SpellingsExcept: a trie of the names, in which each character is followed by every
/// spelling of it.
class ExclusionBuilder {
 public:
  explicit ExclusionBuilder(const std::vector<std::string_view>& names) {
    nodes_.emplace_back();
    for (const std::string_view name : names) AddName(name);
  }

  CodePointDfa Build() {
    for (size_t i = 0; i < nodes_.size(); ++i) AddState(!nodes_[i].is_name);
    other_ = AddState(true);
    other_escape_ = AddState(false);
    for (int i = 0; i < 4; ++i)
      other_hex_[static_cast<size_t>(i)] = AddState(false);  // i more digits follow the next.
    AddRawEdges(other_, {}, other_escape_);
    AddEscapeEdges(other_escape_, {}, other_hex_[3]);
    for (size_t i = 0; i < 4; ++i)
      AddHexEdges(other_hex_[i], {}, i == 0 ? other_ : other_hex_[i - 1]);
    for (size_t i = 0; i < nodes_.size(); ++i) BuildNode(i);
    for (State& state : states_) SortEdges(&state);
    return CodePointDfa(std::move(states_));
  }

 private:
  using Targets = std::map<uint32_t, int32_t>;  // Code point or digit value -> state.
  struct Node {
    Targets children;
    bool is_name = false;
  };

  void AddName(std::string_view name) {
    size_t node = 0;
    for (size_t i = 0; i < name.size();) {
      const DecodedCodePoint decoded = DecodeUtf8(name, i);
      i += decoded.size;
      const auto [place, is_new] = nodes_[node].children.try_emplace(
          decoded.code_point, static_cast<int32_t>(nodes_.size()));
      node = static_cast<size_t>(place->second);
      if (is_new) nodes_.emplace_back();
    }
    nodes_[node].is_name = true;
  }

  int32_t AddState(bool accept) {
    states_.emplace_back();
    states_.back().accept = accept;
    return static_cast<int32_t>(states_.size() - 1);
  }
  void AddEdge(int32_t from, uint32_t lo, uint32_t hi, int32_t to) {
    states_[static_cast<size_t>(from)].edges.push_back({lo, hi, to});
  }

  // Raw characters: to the child if there is one, else to the state for all other strings.
  void AddRawEdges(int32_t from, const Targets& children, int32_t escape) {
    const CodePointSet raw = RawStringCharacters();
    for (const CodePointRange& range : raw.ranges()) {
      uint32_t next = range.lo;
      for (auto child = children.lower_bound(range.lo);
           child != children.end() && child->first <= range.hi; ++child) {
        if (child->first > next) AddEdge(from, next, child->first - 1, other_);
        AddEdge(from, child->first, child->first, child->second);
        next = child->first + 1;
      }
      if (next <= range.hi) AddEdge(from, next, range.hi, other_);
    }
    AddEdge(from, '\\', '\\', escape);
  }

  void AddEscapeEdges(int32_t from, const Targets& children, int32_t hex) {
    const auto add = [&](char letter, uint32_t code_point) {
      const auto child = children.find(code_point);
      const auto c = static_cast<uint32_t>(letter);
      AddEdge(from, c, c, child == children.end() ? other_ : child->second);
    };
    for (const ShortEscape& escape : kCanonicalEscapes) add(escape.letter, escape.code_point);
    add('/', '/');
    AddEdge(from, 'u', 'u', hex);
  }

  // One hexadecimal digit in either case.
  void AddHexEdges(int32_t from, const Targets& by_digit, int32_t otherwise) {
    for (uint32_t digit = 0; digit < 16; ++digit) {
      const auto found = by_digit.find(digit);
      const int32_t target = found == by_digit.end() ? otherwise : found->second;
      const auto letter = static_cast<uint32_t>(HexLetter(digit));
      AddEdge(from, letter, letter, target);
      if (digit >= 10) AddEdge(from, letter - 'a' + 'A', letter - 'a' + 'A', target);
    }
  }

  // Four digits that lead to a state by the code unit they spell.
  int32_t BuildHex(const std::vector<std::pair<uint32_t, int32_t>>& units, size_t digits_left) {
    const int32_t state = AddState(false);
    std::map<uint32_t, std::vector<std::pair<uint32_t, int32_t>>> groups;
    const size_t shift = (digits_left - 1) * 4;
    for (const auto& unit : units) groups[(unit.first >> shift) & 15].push_back(unit);
    Targets by_digit;
    for (const auto& [digit, group] : groups) {
      by_digit[digit] = digits_left == 1 ? group.front().second : BuildHex(group, digits_left - 1);
    }
    AddHexEdges(state, by_digit, digits_left == 1 ? other_ : other_hex_[digits_left - 2]);
    return state;
  }

  void BuildNode(size_t index) {
    const Targets children = nodes_[index].children;
    const auto state = static_cast<int32_t>(index);
    if (children.empty()) {
      AddRawEdges(state, children, other_escape_);
      return;
    }
    std::vector<std::pair<uint32_t, int32_t>> units;
    std::map<uint32_t, std::vector<std::pair<uint32_t, int32_t>>>
        pairs;  // High surrogate -> low ones.
    for (const auto& [code_point, child] : children) {
      if (code_point < 0x10000) {
        units.emplace_back(code_point, child);
      } else {
        const uint32_t offset = code_point - 0x10000;
        pairs[kSurrogateFirst + (offset >> 10)].emplace_back(0xDC00 + (offset & 0x3FF), child);
      }
    }
    for (const auto& [high, lows] : pairs) units.emplace_back(high, BuildPair(lows));
    const int32_t escape = AddState(false);
    AddEscapeEdges(escape, children, BuildHex(units, 4));
    AddRawEdges(state, children, escape);
  }

  // After an escaped high surrogate: alone it is no character of any name.
  int32_t BuildPair(const std::vector<std::pair<uint32_t, int32_t>>& lows) {
    const int32_t state = AddState(true);
    const int32_t escape = AddState(false);
    AddEscapeEdges(escape, {}, BuildHex(lows, 4));
    AddRawEdges(state, {}, escape);
    return state;
  }

  std::vector<Node> nodes_;
  std::vector<State> states_;
  int32_t other_ = 0;
  int32_t other_escape_ = 0;
  std::array<int32_t, 4> other_hex_{};
};

}  // namespace

CodePointSet RawStringCharacters() {
  return CodePointSet({{0x20, '"' - 1}, {'"' + 1, '\\' - 1}, {'\\' + 1, kMaxCodePoint}});
}

CodePointDfa SpellCanonically(const CodePointDfa& decoded) {
  const std::vector<State>& source = decoded.states();
  const CodePointSet raw = RawStringCharacters();
  std::vector<State> out(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    out[i].accept = source[i].accept;
    for (const auto& edge : source[i].edges) {
      for (const CodePointRange& range : raw.ranges()) {
        const uint32_t lo = std::max(edge.lo, range.lo);
        const uint32_t hi = std::min(edge.hi, range.hi);
        if (lo <= hi) out[i].edges.push_back({lo, hi, edge.target});
      }
    }
  }
  for (size_t i = 0; i < source.size(); ++i) AddEscapes(source[i], i, &out);
  return CodePointDfa(std::move(out));
}

ExprId SpellCharacter(const CodePointSet& decoded, GrammarBuilder* builder) {
  std::vector<ExprId> alternatives;
  const CodePointSet raw = decoded.Intersect(RawStringCharacters());
  if (!raw.empty()) alternatives.push_back(builder->AddCharClass(raw));
  std::vector<CodePointRange> letters;
  for (const ShortEscape& escape : kCanonicalEscapes) {
    const auto letter = static_cast<uint32_t>(escape.letter);
    if (decoded.Contains(escape.code_point)) letters.push_back({letter, letter});
  }
  std::vector<ExprId> escapes;
  if (!letters.empty()) escapes.push_back(builder->AddCharClass(CodePointSet(std::move(letters))));
  for (uint32_t high = 0; high < 2; ++high) {
    std::vector<CodePointRange> digits;
    for (uint32_t low = 0; low < 16; ++low) {
      const uint32_t code_point = high * 16 + low;
      const auto letter = static_cast<uint32_t>(HexLetter(low));
      if (!HasShortEscape(code_point) && decoded.Contains(code_point))
        digits.push_back({letter, letter});
    }
    if (digits.empty()) continue;
    escapes.push_back(
        builder->AddSequence({builder->AddByteString(high == 0 ? "u000" : "u001"),
                              builder->AddCharClass(CodePointSet(std::move(digits)))}));
  }
  if (!escapes.empty()) {
    alternatives.push_back(
        builder->AddSequence({builder->AddByteString("\\"), builder->AddChoices(escapes)}));
  }
  return builder->AddChoices(alternatives);
}

int64_t MinEscapedLength(const CodePointDfa& spelled) {
  // Breadth-first by characters; what continues an escape costs nothing.
  struct Place {
    int32_t state;
    uint32_t phase;
    auto operator<=>(const Place&) const = default;
  };
  std::map<Place, int64_t> found{{{0, 0}, 0}};
  std::deque<Place> ready{{0, 0}};
  while (!ready.empty()) {
    const Place place = ready.front();
    ready.pop_front();
    const State& state = spelled.states()[static_cast<size_t>(place.state)];
    if (state.accept) return found[place];
    const bool counts = place.phase == 0;
    const int64_t length = found[place] + (counts ? 1 : 0);
    const auto visit = [&](int32_t target, uint32_t phase) {
      const auto [known, is_new] = found.try_emplace({target, phase}, length);
      if (!is_new && known->second <= length) return;
      known->second = length;
      if (counts) {
        ready.push_back({target, phase});
      } else {
        ready.push_front({target, phase});
      }
    };
    for (const auto& edge : state.edges) {
      // The characters that escapes tell apart, and any other one.
      int64_t num_special = 0;
      for (const uint32_t special : {uint32_t{'\\'}, uint32_t{'u'}, uint32_t{'x'}}) {
        if (special < edge.lo || special > edge.hi) continue;
        ++num_special;
        visit(edge.target, EscapePhaseAfter(place.phase, special));
      }
      if (int64_t{edge.hi} - edge.lo + 1 > num_special)
        visit(edge.target, EscapePhaseAfter(place.phase, 'n'));
    }
  }
  return -1;
}

CodePointDfa SpellingsExcept(const std::vector<std::string_view>& names) {
  return ExclusionBuilder(names).Build();
}

}  // namespace xgrammar::json_schema
