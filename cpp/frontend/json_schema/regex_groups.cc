// Groups of the format `regex` (ECMA-262, Patterns; GroupSpecifier).
//
// A parenthesis leads from one copy of the terms to another: what has been read before is of one
// kind, a group that goes on behind an atom, so that no more than the depth need be remembered.
// Names must differ and references must name a group, which no automaton can compare for names of
// any length. So a pattern has one named group at most, outside of other groups, and a name of one
// lower-case letter is remembered as long as plain terms follow, and may be referred to until then.
#include "frontend/json_schema/regex_groups.h"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/json_schema/regex_class.h"
#include "json/writer.h"

namespace xgrammar::json_schema {

namespace {

constexpr int kMaxDepth = 3;
constexpr int kMaxNamedDepth = 1;  // Counting the named group; of others behind it.
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";

class NestingBuilder {
 public:
  NestingBuilder(const CodePointDfa& terms, bool is_spelled)
      : terms_(terms), after_atom_(terms_.Next(0, 'a')) {
    FindPlainStates(is_spelled);
  }

  CodePointDfa Build() {
    for (int copy = 0; copy < kNumCopies; ++copy) WriteCopy(copy);
    for (int copy = 0; copy < kNumCopies; ++copy) {
      if (MayNest(copy)) WriteOpenings(copy);
    }
    WriteAfterLess();
    WriteNames();
    for (size_t letter = 0; letter < kLetters.size(); ++letter) {
      for (const bool is_inside : {true, false}) WriteRemembering(letter, is_inside);
    }
    return CodePointDfa(std::move(table_));
  }

 private:
  // Copies of the terms: by depth before a named group, inside a look-around, and by depth inside
  // and behind a named group.
  static constexpr int kLookAround = kMaxDepth + 1;
  static constexpr int kNamed = kLookAround + 1;
  static constexpr int kNumCopies = kNamed + kMaxNamedDepth + 1;
  // `\k`, `<` and the letter of a reference.
  static constexpr int32_t kReferenceStates = 3;

  int32_t Copy(int copy, int32_t state) const {
    return static_cast<int32_t>(terms_.states().size()) * copy + state;
  }
  // How many groups are around the terms of a copy, a look-around aside.
  static int DepthOf(int copy) {
    return copy < kLookAround ? copy : (copy == kLookAround ? 0 : copy - kNamed);
  }
  static bool MayNest(int copy) {
    return copy != kLookAround && DepthOf(copy) < (copy < kNamed ? kMaxDepth : kMaxNamedDepth);
  }
  // The state after the `(` of a group in a copy; behind it, the one after `(?`.
  int32_t Opening(int copy) const {
    const int index = copy < kNamed ? copy : kMaxDepth + copy - kNamed;
    return Copy(kNumCopies, 2 * index);
  }
  // After `(?<` outside of groups; then names: of several characters, and of each letter alone.
  int32_t AfterLess() const { return Copy(kNumCopies, 2 * (kMaxDepth + kMaxNamedDepth)); }
  int32_t LongName() const { return AfterLess() + 1; }
  int32_t LetterName(size_t letter) const { return LongName() + 1 + static_cast<int32_t>(letter); }
  // Plain states that remember a letter, inside of its group and behind it.
  int32_t Remembering(size_t letter, bool is_inside, int32_t plain) const {
    const auto size = static_cast<int32_t>(plain_.size()) + kReferenceStates;
    const auto block = static_cast<int32_t>(2 * letter + (is_inside ? 0 : 1));
    return LetterName(kLetters.size()) + block * size + plain;
  }

  // The states between and within plain terms: single characters, escapes of one letter, and
  // quantifiers of one character. Those within are met on the way through some texts.
  void FindPlainStates(bool is_spelled) {
    plain_index_.assign(terms_.states().size(), -1);
    const auto walk = [&](const std::string& text) {
      std::string spelled;
      AppendJsonString(text, &spelled);
      const std::string_view body = std::string_view(spelled).substr(1, spelled.size() - 2);
      int32_t state = 0;
      AddPlain(state);
      for (const char c : is_spelled ? body : std::string_view(text)) {
        state = terms_.Next(state, static_cast<unsigned char>(c));
        AddPlain(state);
      }
      return state;
    };
    for (const std::string before : {"", "a", "a*", "a*?"}) {
      for (const char* term : {"a", "\"", "\n", "\x01", "\x1f", "\\\\", "\\.", "\\d"})
        walk(before + term);
    }
    escape_ = plain_index_[static_cast<size_t>(walk("\\"))];
  }

  void AddPlain(int32_t state) {
    int32_t& index = plain_index_[static_cast<size_t>(state)];
    if (index >= 0) return;
    index = static_cast<int32_t>(plain_.size());
    plain_.push_back(state);
  }

  // Adds edges in order, with a few more edges of single characters between them.
  template <typename Target>
  void AddEdges(std::span<const CodePointEdge> edges, const Target& target,
                std::span<const CodePointEdge> more) {
    size_t next = 0;
    for (const CodePointEdge& edge : edges) {
      for (; next < more.size() && more[next].lo < edge.lo; ++next) AppendEdge(more[next]);
      AppendEdge({edge.lo, edge.hi, target(edge.target)});
    }
    for (; next < more.size(); ++next) AppendEdge(more[next]);
  }
  void AppendEdge(const CodePointEdge& edge) { table_.AppendEdge(edge.lo, edge.hi, edge.target); }

  // The terms at a depth of groups around them, with edges to deeper ones and back.
  void WriteCopy(int copy) {
    const bool looks = copy == kLookAround;
    const int depth = DepthOf(copy);
    for (const auto& state : terms_.states()) {
      std::array<CodePointEdge, 2> parentheses;
      size_t count = 0;
      if (state.accept && MayNest(copy)) parentheses[count++] = {'(', '(', Opening(copy)};
      if (state.accept && looks) parentheses[count++] = {')', ')', 0};
      if (state.accept && depth > 0) parentheses[count++] = {')', ')', Copy(copy - 1, after_atom_)};
      AddEdges(
          state.edges, [&](int32_t to) { return Copy(copy, to); },
          std::span(parentheses.data(), count));
      table_.EndState(depth == 0 && !looks && state.accept);
    }
  }

  // `(` and `(?` before a group; outside of groups a look-around or a named group may begin, too.
  void WriteOpenings(int copy) {
    const int32_t inside = Copy(copy + 1, 0);
    // As inside, where an empty group ends at once. Copied: writing goes on while it is read.
    const std::span<const CodePointEdge> first = table_.edges(inside);
    const std::vector<CodePointEdge> edges(first.begin(), first.end());
    const auto same = [](int32_t to) { return to; };
    const std::array<CodePointEdge, 1> question = {{{'?', '?', Opening(copy) + 1}}};
    AddEdges(edges, same, question);
    table_.EndState(false);
    const int32_t looking = Copy(kLookAround, 0);
    const std::array<CodePointEdge, 4> kinds = {
        {{'!', '!', looking}, {':', ':', inside}, {'<', '<', AfterLess()}, {'=', '=', looking}}};
    AddEdges({}, same, copy == 0 ? std::span(kinds) : std::span(kinds).subspan(1, 1));
    table_.EndState(false);
  }

  // A look-behind or a name.
  void WriteAfterLess() {
    const int32_t looking = Copy(kLookAround, 0);
    AddNameEdges(RegexPart("[$_\\p{ID_Start}]"), {{'!', '!', looking}, {'=', '=', looking}}, true);
    table_.EndState(false);
  }

  // Names go on until `>`, behind which the group begins.
  void WriteNames() {
    const CodePointDfa further = RegexPart("[$\\u200C\\u200D\\p{ID_Continue}]");
    AddNameEdges(further, {{'>', '>', Copy(kNamed + 1, 0)}}, false);
    table_.EndState(false);
    for (size_t letter = 0; letter < kLetters.size(); ++letter) {
      AddNameEdges(further, {{'>', '>', Remembering(letter, true, 0)}}, false);
      table_.EndState(false);
    }
  }

  // `characters`: texts of one character of a name.
  void AddNameEdges(const CodePointDfa& characters, const std::vector<CodePointEdge>& more,
                    bool is_first) {
    std::vector<CodePointEdge> edges;
    for (CodePointEdge edge : characters.states()[0].edges) {
      for (size_t letter = 0; is_first && letter < kLetters.size(); ++letter) {
        const auto c = static_cast<uint32_t>(kLetters[letter]);
        if (c < edge.lo || edge.hi < c) continue;
        if (edge.lo < c) edges.push_back({edge.lo, c - 1, LongName()});
        edges.push_back({c, c, LetterName(letter)});
        edge.lo = c + 1;
      }
      if (edge.lo <= edge.hi) edges.push_back({edge.lo, edge.hi, LongName()});
    }
    AddEdges(
        edges, [](int32_t to) { return to; }, more);
  }

  // The plain states with a letter: they go on as the copies do, but keep it where they can.
  void WriteRemembering(size_t letter, bool is_inside) {
    const int copy = is_inside ? kNamed + 1 : kNamed;
    const auto num_plain = static_cast<int32_t>(plain_.size());
    const auto target = [&](int32_t to) {
      const int32_t plain = plain_index_[static_cast<size_t>(to)];
      return plain >= 0 ? Remembering(letter, is_inside, plain) : Copy(copy, to);
    };
    for (int32_t plain = 0; plain < num_plain; ++plain) {
      const auto& state = terms_.states()[static_cast<size_t>(plain_[static_cast<size_t>(plain)])];
      std::vector<CodePointEdge> more;
      if (state.accept && MayNest(copy)) more.push_back({'(', '(', Opening(copy)});
      if (state.accept && is_inside) {
        const int32_t behind = plain_index_[static_cast<size_t>(after_atom_)];
        more.push_back({')', ')', Remembering(letter, false, behind)});
      }
      if (plain == escape_) more.push_back({'k', 'k', Remembering(letter, is_inside, num_plain)});
      AddEdges(state.edges, target, more);
      table_.EndState(state.accept && !is_inside);
    }
    const auto c = static_cast<uint32_t>(kLetters[letter]);
    table_.AddEdge('<', '<', Remembering(letter, is_inside, num_plain + 1));
    table_.EndState(false);
    table_.AddEdge(c, c, Remembering(letter, is_inside, num_plain + 2));
    table_.EndState(false);
    table_.AddEdge('>', '>', target(after_atom_));
    table_.EndState(false);
  }

  const CodePointDfa& terms_;
  const int32_t after_atom_;
  std::vector<int32_t> plain_;        ///< Plain states; the first one is before a term.
  std::vector<int32_t> plain_index_;  ///< By state of the terms; -1 for those that are not plain.
  int32_t escape_ = -1;               ///< By plain index: after a backslash.
  DfaTable table_;
};

}  // namespace

CodePointDfa NestRegexTerms(const CodePointDfa& terms, bool is_spelled) {
  return NestingBuilder(terms, is_spelled).Build();
}

}  // namespace xgrammar::json_schema
