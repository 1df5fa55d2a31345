// Character classes of the format `regex`, made state by state: each character or escape that may
// begin a range has a state of its own, in which its end is still to come. A `-` that makes no
// range stands first or last.
//
// As a regular expression, classes have thousands of alternatives, and determinising them took most
// of the time that the format needs.
#include "frontend/json_schema/regex_class.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "frontend/json_schema/json_escapes.h"
#include "frontend/json_schema/state_writer.h"
#include "frontend/regex/regex.h"
#include "support/utf8.h"

namespace xgrammar::json_schema {

namespace {

struct ClassState {
  std::vector<CodePointEdge> edges;
  int32_t after_dash = -1;  ///< If not -1: items, in which this follows `-`.
};

class ClassBuilder : private StateWriter<ClassState> {
 public:
  CodePointDfa Build(bool is_spelled) {
    const int32_t start = Add();
    end_ = Add();
    between_ = Add();
    escape_ = Add();
    after_open_ = Add();
    after_caret_ = Add();
    const int32_t last_dash = Add();
    AddEdge(start, '[', '[', after_open_);
    AddEdge(last_dash, ']', ']', end_);
    MakeRawItems();
    MakeEscapes();
    // A first `-` is followed by items, too.
    WriteItems(after_open_, between_);
    WriteItems(after_caret_, between_);
    WriteItems(between_, last_dash);
    if (is_spelled) Spell();
    return Numbered(start);
  }

 private:
  // Nearly all edges are those of items, which are written here once for each state, in their final
  // form.
  CodePointDfa Numbered(int32_t start) {
    DfaTable table;
    size_t num_edges = 0;
    for (const ClassState& state : states_)
      num_edges += state.after_dash >= 0 ? items_.size() : state.edges.size();
    table.Reserve(states_.size(), num_edges);
    std::vector<int32_t> new_id(states_.size(), -1);
    std::vector<int32_t> order = {start};
    new_id[static_cast<size_t>(start)] = 0;
    const auto number_of = [&](int32_t state) {
      int32_t& id = new_id[static_cast<size_t>(state)];
      if (id < 0) {
        id = static_cast<int32_t>(order.size());
        order.push_back(state);
      }
      return id;
    };
    for (size_t k = 0; k < order.size(); ++k) {
      ClassState& state = At(order[k]);
      std::ranges::sort(state.edges, {}, &CodePointEdge::lo);
      for (const CodePointEdge& edge : state.edges)
        table.AppendEdge(edge.lo, edge.hi, number_of(edge.target));
      if (state.after_dash >= 0) {
        for (const CodePointEdge& edge : items_) {
          int32_t target = edge.target;
          if (edge.lo == '-') target = state.after_dash;
          if (edge.lo == '^' && order[k] == after_open_) target = after_caret_;
          table.AppendEdge(edge.lo, edge.hi, number_of(target));
        }
      }
      table.EndState(order[k] == end_);
    }
    return CodePointDfa::FromNumbered(std::move(table));
  }

  // Replaces characters by their canonical spellings in a JSON string (string_spelling.h).
  void Spell() {
    const size_t num_states = states_.size();  // Those of the escapes come behind them.
    SpellEdges(&items_);
    for (size_t s = 0; s < num_states; ++s) {
      std::vector<CodePointEdge> edges = std::move(states_[s].edges);
      SpellEdges(&edges);
      states_[s].edges = std::move(edges);
    }
  }

  void SpellEdges(std::vector<CodePointEdge>* edges) {
    std::vector<CodePointEdge> spelled;
    std::vector<std::pair<uint32_t, int32_t>> escaped;
    for (const CodePointEdge& edge : *edges) {
      for (const CodePointRange& range : kRawRanges) {
        const uint32_t lo = std::max(edge.lo, range.lo);
        const uint32_t hi = std::min(edge.hi, range.hi);
        if (lo <= hi) spelled.push_back({lo, hi, edge.target});
      }
      for (uint32_t c = edge.lo; c <= std::min(edge.hi, uint32_t{'\\'}); ++c) {
        if (c < kNumControls || c == '"' || c == '\\') escaped.emplace_back(c, edge.target);
      }
    }
    if (!escaped.empty()) {
      spelled.push_back({'\\', '\\', AddEscapes(escaped)});
      std::ranges::sort(spelled, {}, &CodePointEdge::lo);
    }
    *edges = std::move(spelled);
  }

  // The state behind a backslash, before the rest of some characters' escapes.
  int32_t AddEscapes(const std::vector<std::pair<uint32_t, int32_t>>& characters) {
    const int32_t state = Add();
    int32_t fourth = -1;  // Before the last digit but one of the others' numbers.
    std::array<int32_t, 2> last = {-1, -1};
    for (const auto& [c, target] : characters) {
      const auto same = [code_point = c](const ShortEscape& escape) {
        return escape.code_point == code_point;
      };
      const auto escape = std::ranges::find_if(kCanonicalEscapes, same);
      if (escape != kCanonicalEscapes.end()) {
        const auto letter = static_cast<uint32_t>(escape->letter);
        AddEdge(state, letter, letter, target);
        continue;
      }
      if (fourth < 0) {
        int32_t before = state;
        for (const char digit : {'u', '0', '0'}) {
          const int32_t next = Add();
          const auto letter = static_cast<uint32_t>(digit);
          AddEdge(before, letter, letter, next);
          before = next;
        }
        fourth = before;
      }
      const uint32_t high = c / 16;
      if (last[high] < 0) {
        last[high] = Add();
        AddEdge(fourth, '0' + high, '0' + high, last[high]);
      }
      const auto letter = static_cast<uint32_t>(HexLetter(c % 16));
      AddEdge(last[high], letter, letter, target);
    }
    return state;
  }

  // Hexadecimal digits of some values, in either case.
  void AddDigits(int32_t from, uint32_t first, uint32_t last, int32_t to) {
    if (first < 10) AddEdge(from, '0' + first, '0' + std::min(last, 9U), to);
    if (last < 10) return;
    for (const char letter_a : {'A', 'a'}) {
      const auto zero = static_cast<uint32_t>(letter_a) - 10;
      AddEdge(from, zero + std::max(first, 10U), zero + last, to);
    }
  }

  // A state in which an item, the last `-` or the end may follow.
  void WriteItems(int32_t state, int32_t after_dash) { At(state).after_dash = after_dash; }

  // After the first character of a range and `-`; it may be a single one behind which the class
  // ends.
  int32_t AddAfterDash() {
    const int32_t state = Add();
    AddEdge(state, ']', ']', end_);
    return state;
  }

  // Characters that stand for themselves, and what else may begin an item, in order.
  void MakeRawItems() {
    std::vector<std::pair<int32_t, int32_t>> firsts;  // The states after a first one and its `-`.
    const auto add_range = [&](uint32_t lo, uint32_t hi, uint32_t least) {
      const int32_t first = Add();
      const int32_t after_dash = AddAfterDash();
      firsts.emplace_back(first, after_dash);
      const CodePointSet own({{lo, hi}});
      for (const CodePointRange& range : own.ranges())
        items_.push_back({range.lo, range.hi, first});
      uint32_t from = least;
      for (const uint32_t special : {uint32_t{'-'}, uint32_t{'\\'}, uint32_t{']'}}) {
        if (special < from) continue;
        if (special > from) AddEdge(after_dash, from, special - 1, between_);
        from = special + 1;
      }
      const CodePointSet rest({{from, kMaxCodePoint}});
      for (const CodePointRange& range : rest.ranges())
        AddEdge(after_dash, range.lo, range.hi, between_);
    };
    items_.push_back({0, 0x1F, between_});
    for (uint32_t c = 0x20; c < 0x7F; ++c) {
      if (c == '-' || c == ']') {
        items_.push_back({c, c, end_});
      } else if (c == '\\') {
        items_.push_back({c, c, escape_});
      } else {
        add_range(c, c, c);
      }
    }
    items_.push_back({0x7F, 0x7F, between_});
    // Above ASCII: the first characters of blocks and alphabets divide the code points; two
    // characters of different parts are in order.
    constexpr uint32_t kParts[] = {
        0x80,   0xA1,   0xC0,   0xE0,   0x100,  0x180,   0x250,   0x370,   0x391,  0x3AA,
        0x3B1,  0x3CA,  0x400,  0x410,  0x430,  0x44F,   0x500,   0x530,   0x590,  0x5D0,
        0x5EA,  0x600,  0x700,  0x900,  0xE00,  0xE80,   0x1000,  0x1E00,  0x2000, 0x2070,
        0x3000, 0x3041, 0x3096, 0x30A1, 0x30FA, 0x3400,  0x4E00,  0x9FA5,  0xA000, 0xAC00,
        0xD7A3, 0xF900, 0xFE00, 0xFF00, 0xFFFF, 0x10000, 0x20000, 0x10FFFF};
    constexpr size_t kNumParts = sizeof(kParts) / sizeof(kParts[0]);
    for (size_t i = 0; i + 1 < kNumParts; ++i)
      add_range(kParts[i], kParts[i + 1] - 1, kParts[i + 1]);
    items_.push_back({kMaxCodePoint, kMaxCodePoint, between_});
    for (const auto& [first, after_dash] : firsts) WriteItems(first, after_dash);
  }

  void MakeEscapes() {
    // What follows the backslash of escapes that begin no range.
    const CodePointDfa single = RegexPart(RegexEscapes() + "|[b\\-]");
    const auto offset = static_cast<int32_t>(states_.size()) - 1;  // Its start is `escape_`.
    for (size_t s = 1; s < single.states().size(); ++s) Add();
    for (size_t s = 0; s < single.states().size(); ++s) {
      const int32_t from = s == 0 ? escape_ : static_cast<int32_t>(s) + offset;
      for (const CodePointEdge& edge : single.states()[s].edges) {
        if (s == 0 && edge.lo == 'x') continue;  // It may begin a range.
        const bool ends = single.states()[static_cast<size_t>(edge.target)].accept;
        AddEdge(from, edge.lo, edge.hi, ends ? between_ : edge.target + offset);
      }
    }
    const int32_t x = Add();
    AddEdge(escape_, 'x', 'x', x);
    std::array<int32_t, 4> any = {between_, -1, -1, -1};  // So many digits of any value.
    for (size_t i = 1; i < any.size(); ++i) {
      any[i] = Add();
      AddDigits(any[i], 0, 15, any[i - 1]);
    }
    MakeByteRanges(x, any[1]);
    MakeUnitRanges(single.Next(0, 'u') + offset, any);
  }

  // The second escape of a range, whose first two digits are above those of the first one, or equal
  // where `least` is not above; 16 for no equal first digit. `rest`: what follows two digits.
  void AddSecondEscape(int32_t after_dash, uint32_t letter, uint32_t high, uint32_t least,
                       int32_t after_first_digit, int32_t rest) {
    const int32_t backslash = Add();
    AddEdge(after_dash, '\\', '\\', backslash);
    const int32_t digits = Add();
    AddEdge(backslash, letter, letter, digits);
    if (least < 16) {
      const int32_t low = Add();
      AddDigits(digits, high, high, low);
      AddDigits(low, least, 15, rest);
    }
    if (high < 15) AddDigits(digits, high + 1, 15, after_first_digit);
  }

  // After `\\x`.
  void MakeByteRanges(int32_t x, int32_t any_digit) {
    for (uint32_t high = 0; high < 16; ++high) {
      const int32_t after_high = Add();
      AddDigits(x, high, high, after_high);
      for (uint32_t low = 0; low < 16; ++low) {
        const int32_t first = Add();
        AddDigits(after_high, low, low, first);
        const int32_t after_dash = AddAfterDash();
        WriteItems(first, after_dash);
        AddSecondEscape(after_dash, 'x', high, low, any_digit, between_);
      }
    }
  }

  // After `\\u`: four digits, of which the second is looked at in the common scripts only.
  // Surrogates are no characters, but the code units of a range may be any.
  void MakeUnitRanges(int32_t u, const std::array<int32_t, 4>& any) {
    constexpr uint32_t kCommonScripts = 4;
    constexpr uint32_t kSurrogates = 13;
    std::erase_if(At(u).edges, [](const CodePointEdge& edge) { return edge.lo != '{'; });
    for (uint32_t high = 0; high < 15; ++high) {
      const int32_t after_high = Add();
      AddDigits(u, high, high, after_high);
      const uint32_t step = high < kCommonScripts ? 1 : (high == kSurrogates ? 8 : 16);
      for (uint32_t low = 0; low < 16; low += step) {
        const bool is_single = high != kSurrogates || low < 8;
        const int32_t third = Add();
        const int32_t fourth = Add();
        const int32_t first = Add();
        AddDigits(after_high, low, low + step - 1, third);
        AddDigits(third, 0, 15, fourth);
        AddDigits(fourth, 0, 15, first);
        const int32_t after_dash = is_single ? AddAfterDash() : Add();
        if (is_single) {
          WriteItems(first, after_dash);
        } else {
          AddEdge(first, '-', '-', after_dash);
        }
        const uint32_t least = high < kCommonScripts ? low + 1 : 16;
        AddSecondEscape(after_dash, 'u', high, least, any[3], any[2]);
      }
    }
    AddDigits(u, 15, 15, any[3]);  // Nothing is above it.
  }

  std::vector<CodePointEdge> items_;  ///< In order.
  int32_t end_ = 0;                   ///< After `]`.
  int32_t after_open_ = 0;            ///< After `[`.
  int32_t after_caret_ = 0;           ///< After `[^`.
  int32_t between_ = 0;  ///< After an item that begins no range, or whose range is complete.
  int32_t escape_ = 0;   ///< After a backslash that begins an item.
};

}  // namespace

CodePointDfa RegexPart(const std::string& regex) {
  RegexOptions options;
  options.dot = RegexOptions::Dot::kAny;
  return RegexToDfa(regex, options, Limits());
}

std::string RegexShortEscapes() { return "[dDsSwW]|[tnvfr]|[\\^$\\\\.*+?()\\[\\]{}|\\/]"; }

std::string RegexLongEscapes() {
  const std::string hex = "[0-9A-Fa-f]";
  const std::string category =
      "(?:L[ulmto]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cfson]?)";
  return "c[A-Za-z]|x" + hex + "{2}|u(?:[0-9A-CEFa-cef]" + hex + "{3}|[dD][0-7]" + hex +
         "{2})|u\\{(?:0{0,4}" + hex + "{1,5}|0?10" + hex + "{4})\\}|[pP]\\{" + category + "\\}";
}

std::string RegexEscapes() { return RegexShortEscapes() + "|" + RegexLongEscapes(); }

CodePointDfa RegexClass() { return ClassBuilder().Build(false); }

CodePointDfa SpelledRegexClass() { return ClassBuilder().Build(true); }

}  // namespace xgrammar::json_schema
