// Transducing automata from decoded to spelled characters (RFC 8259, section 7).
//
// Each state keeps its raw characters and gets states for the escapes of the others. The
// spellings of all strings but some names are spellings_except.cc.
#include "frontend/json_schema/string_spelling.h"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/json_schema/json_escapes.h"

namespace xgrammar::json_schema {

namespace {

// Whether an edge has a character that must be escaped.
bool NeedsEscapes(const CodePointDfa::Edge& edge) {
  return edge.lo < kNumControls || (edge.lo <= '"' && '"' <= edge.hi) ||
         (edge.lo <= '\\' && '\\' <= edge.hi);
}

bool NeedsEscapes(const CodePointDfa& decoded) {
  return std::ranges::any_of(decoded.states(), [](const CodePointDfa::StateView& state) {
    return std::ranges::any_of(state.edges,
                               [](const CodePointDfa::Edge& edge) { return NeedsEscapes(edge); });
  });
}

/// Builds SpellCanonically. States keep their numbers; those of their escapes come behind them.
class CanonicalSpeller {
 public:
  explicit CanonicalSpeller(const CodePointDfa& decoded) : decoded_(decoded) {}

  CodePointDfa Build() {
    const auto& source = decoded_.states();
    table_.Reserve(2 * source.size(), 2 * static_cast<size_t>(decoded_.num_edges()));
    num_states_ = static_cast<int32_t>(source.size());
    for (const auto& state : source) WriteRaw(state);
    for (const EscapeTargets& targets : escapes_) WriteEscapes(targets);
    // Whatever lies ahead of a decoded text, its spelling can reach.
    return CodePointDfa(std::move(table_), 0);
  }

 private:
  // Where the characters that have escapes lead, -1 for nowhere.
  struct EscapeTargets {
    std::array<int32_t, kNumControls> control;
    int32_t quote = -1;
    int32_t backslash = -1;
    int32_t of(uint32_t code_point) const {
      return code_point == '"' ? quote : (code_point == '\\' ? backslash : control[code_point]);
    }
    friend bool operator==(const EscapeTargets&, const EscapeTargets&) = default;
  };
  struct HashTargets {
    size_t operator()(const EscapeTargets& targets) const {
      uint64_t hash = static_cast<uint32_t>(targets.quote);
      const auto mix = [&hash](int32_t target) {
        hash = (hash ^ static_cast<uint32_t>(target)) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
      };
      mix(targets.backslash);
      for (const int32_t target : targets.control) mix(target);
      return static_cast<size_t>(hash);
    }
  };

  // The raw characters, and a backslash to the escapes if there are any.
  void WriteRaw(const CodePointDfa::StateView& state) {
    const auto& edges = state.edges;
    size_t next = 0;
    bool is_escaped = false;
    for (; next < edges.size() && edges[next].lo <= '\\'; ++next) {
      is_escaped = is_escaped || NeedsEscapes(edges[next]);
      WriteRawEdge(edges[next], '\\' - 1);
    }
    if (is_escaped) table_.AddEdge('\\', '\\', EscapeState(Targets(edges.first(next))));
    if (next > 0) WriteRawEdge(edges[next - 1], kMaxCodePoint, '\\' + 1);
    for (; next < edges.size(); ++next) WriteRawEdge(edges[next], kMaxCodePoint);
    table_.EndState(state.accept);
  }

  // The raw characters of an edge from `least` up to `most`.
  void WriteRawEdge(const CodePointDfa::Edge& edge, uint32_t most, uint32_t least = 0) {
    for (const CodePointRange& range : kRawRanges) {
      const uint32_t lo = std::max({edge.lo, range.lo, least});
      const uint32_t hi = std::min({edge.hi, range.hi, most});
      if (lo <= hi) table_.AppendEdge(lo, hi, edge.target);
    }
  }

  // The state behind a backslash. States whose escapes lead to the same states have one in common.
  // How many states it takes is known here, what they hold is written later.
  int32_t EscapeState(const EscapeTargets& targets) {
    const auto [place, is_new] = escape_states_.try_emplace(targets, num_states_);
    if (is_new) {
      escapes_.push_back(targets);
      num_states_ += NumEscapeStates(targets);
    }
    return place->second;
  }

  static EscapeTargets Targets(std::span<const CodePointDfa::Edge> edges) {
    EscapeTargets targets;
    targets.control.fill(-1);
    for (const auto& edge : edges) {
      for (uint32_t c = edge.lo; c <= edge.hi && c < kNumControls; ++c)
        targets.control[c] = edge.target;
      if (edge.lo <= '"' && '"' <= edge.hi) targets.quote = edge.target;
      if (edge.lo <= '\\' && '\\' <= edge.hi) targets.backslash = edge.target;
    }
    return targets;
  }

  // Whether some control character that begins with this digit is spelled by its number.
  static bool HasHex(const EscapeTargets& targets, uint32_t high) {
    for (uint32_t c = 16 * high; c < 16 * high + 16; ++c) {
      if (targets.control[c] >= 0 && !HasShortEscape(c)) return true;
    }
    return false;
  }

  static int32_t NumEscapeStates(const EscapeTargets& targets) {
    const int32_t num_last = (HasHex(targets, 0) ? 1 : 0) + (HasHex(targets, 1) ? 1 : 0);
    return num_last == 0 ? 1
                         : 4 + num_last;  // After `\`, `\u`, `\u0`, `\u00`, `\u000` and `\u001`.
  }

  void WriteEscapes(const EscapeTargets& targets) {
    int32_t next = table_.num_states() + 1;  // The state behind the one that is written.
    for (const ShortEscape& escape : kCanonicalEscapes) {
      const int32_t target = targets.of(escape.code_point);
      const auto letter = static_cast<uint32_t>(escape.letter);
      if (target >= 0) table_.AddEdge(letter, letter, target);
    }
    const std::array<bool, 2> has_hex = {HasHex(targets, 0), HasHex(targets, 1)};
    const bool has_any_hex = has_hex[0] || has_hex[1];
    if (has_any_hex) table_.AddEdge('u', 'u', next++);
    table_.EndState(false);
    if (!has_any_hex) return;
    for (int digit = 0; digit < 2; ++digit) {
      table_.AddEdge('0', '0', next++);
      table_.EndState(false);
    }
    for (uint32_t high = 0; high < 2; ++high) {
      if (has_hex[high]) table_.AddEdge('0' + high, '0' + high, next++);
    }
    table_.EndState(false);
    for (uint32_t high = 0; high < 2; ++high) {
      if (!has_hex[high]) continue;
      for (uint32_t low = 0; low < 16; ++low) {
        const uint32_t code_point = 16 * high + low;
        const auto letter = static_cast<uint32_t>(HexLetter(low));
        if (targets.control[code_point] >= 0 && !HasShortEscape(code_point))
          table_.AppendEdge(letter, letter, targets.control[code_point]);
      }
      table_.EndState(false);
    }
  }

  const CodePointDfa& decoded_;
  DfaTable table_;
  std::vector<EscapeTargets> escapes_;  ///< In the order of their states.
  std::unordered_map<EscapeTargets, int32_t, HashTargets> escape_states_;
  int32_t num_states_ = 0;  ///< With the escape states that are still to be written.
};

}  // namespace

CodePointSet RawStringCharacters() {
  return CodePointSet({{0x20, '"' - 1}, {'"' + 1, '\\' - 1}, {'\\' + 1, kMaxCodePoint}});
}

CodePointDfa SpellCanonically(const CodePointDfa& decoded) {
  return CanonicalSpeller(decoded).Build();
}

CodePointDfaPtr SpellCanonically(const CodePointDfaPtr& decoded) {
  if (!NeedsEscapes(*decoded)) return decoded;
  return std::make_shared<const CodePointDfa>(SpellCanonically(*decoded));
}

LateAutomatonPtr SpellCanonicallyLater(const CodePointDfaPtr& decoded) {
  constexpr int64_t kSmallSize = 64;
  constexpr int64_t kEscapeSize = 52;  // The states and edges that the escapes of a state take.
  const auto num_states = static_cast<int64_t>(decoded->states().size());
  // Lowering folds what is known to be smaller: of larger ones the size must be known.
  constexpr int64_t kLargeSize = int64_t{1} << 20;
  // What is raw is cut at most where the ranges of raw characters end.
  const int64_t size =
      num_states * (static_cast<int64_t>(kRawRanges.size()) + kEscapeSize) + decoded->num_edges();
  if (num_states + decoded->num_edges() < kSmallSize || size > kLargeSize ||
      !NeedsEscapes(*decoded))
    return nullptr;
  return std::make_shared<const LateAutomaton>(
      LateAutomaton::Source{[decoded] { return SpellCanonically(decoded); }, {}, {}},
      decoded->states()[0].accept, size);
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

}  // namespace xgrammar::json_schema
