// The automaton of the flat terms (atoms, classes, quantifiers); groups around them are
// regex_groups.cc.
//
// Source: ECMA-262, Patterns (syntax and early errors). Left out: back-references by number, `\0`,
// escaped surrogates, `{n,m}` with m < n as far as it would need long numbers to be compared,
// class ranges between neighbouring characters above U+007F.
#include "frontend/json_schema/regex_format.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "frontend/json_schema/regex_class.h"
#include "frontend/json_schema/regex_groups.h"
#include "frontend/json_schema/string_spelling.h"
#include "frontend/regex/parser.h"
#include "support/error.h"
#include "support/utf8.h"

namespace xgrammar::json_schema {

namespace {

using Text = std::string;

Text Group(const Text& body) { return "(?:" + body + ")"; }

Text DigitsFrom(int first) { return "[" + std::to_string(first) + "-9]"; }

// `n,m` with n <= m: n of one or two digits, or m with more digits than n.
Text OrderedCounts() {
  Text out = "0,[0-9]+";
  for (int n = 1; n <= 99; ++n) {
    const int tens = n / 10;
    const int ones = n % 10;
    Text bound;
    if (tens == 0) {
      bound = DigitsFrom(ones) + "|[1-9][0-9]+";
    } else {
      bound = std::to_string(tens) + DigitsFrom(ones) + "|[1-9][0-9]{2,}";
      if (tens < 9) bound += "|" + DigitsFrom(tens + 1) + "[0-9]";
    }
    out += "|" + std::to_string(n) + "," + Group(bound);
  }
  for (int digits = 3; digits <= 9; ++digits) {
    const Text more = std::to_string(digits);
    out += "|[1-9][0-9]{" + std::to_string(digits - 1) + "},[1-9][0-9]{" + more + ",}";
  }
  return Group(out);
}

Text QuantifierRegex() { return "(?:[*+?]|\\{(?:[0-9]+,?|" + OrderedCounts() + ")\\})\\??"; }

// One atom without brackets.
Text SimpleAtomRegex() {
  return Group("[^\\^$\\\\.*+?()\\[\\]{}|]|\\.|\\\\" + Group(RegexEscapes()));
}

// A letter after a backslash that means nothing. The parser of patterns is more tolerant than
// ECMA-262 there.
bool HasUnknownEscape(std::string_view text) {
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '\\') continue;
    const char escaped = text[++i];
    const bool is_letter = (escaped >= 'a' && escaped <= 'z') || (escaped >= 'A' && escaped <= 'Z');
    constexpr std::string_view kKnown = "dDsSwWbBtnvfrcxupPk";
    if (is_letter && kKnown.find(escaped) == std::string_view::npos) return true;
  }
  return false;
}

// A group of another dialect outside of classes: `(?P<n>`, `(?i)` and the like. ECMA-262 has flags
// only for a group of their own.
bool HasForeignGroup(std::string_view text) {
  bool in_class = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (in_class || text[i] == '[') {
      in_class = text[i] != ']';
    } else if (text.substr(i).starts_with("(?")) {
      const size_t kind = text.find_first_not_of("ims-", i + 2);
      if (kind == std::string_view::npos) return true;
      const bool has_flags = kind > i + 2;
      if (text[kind] != ':' &&
          (has_flags || std::string_view("=!<").find(text[kind]) == std::string_view::npos))
        return true;
    }
  }
  return false;
}

// Terms without groups: alternatives of atoms, classes, quantifiers and assertions. Accepts after
// each whole term, so that the accepting states are those in which a group may begin or end.
//
// Put together without determinising: a term is known by its first character, but for `\\b` and
// `\\B`, and quantifiers begin with other characters than terms. State 0 is before a term, state 1
// after an atom; then come the states of the parts, whose end is state 1, or for quantifiers
// as state 0 with what may still follow.
class FlatTerms {
 public:
  FlatTerms()
      : atom_(RegexPart(SimpleAtomRegex())),
        class_(RegexClass()),
        quantifier_(RegexPart(QuantifierRegex())) {}

  CodePointDfa Build() {
    WriteTermEdges({});
    table_.EndState(true);
    WriteTermEdges(ShiftedEdges(quantifier_, 0, FirstQuantifier()));
    table_.EndState(true);
    WritePart(atom_, FirstAtom());
    WritePart(class_, FirstClass());
    for (size_t s = 0; s < quantifier_.states().size(); ++s) {
      const std::vector<CodePointEdge> edges = ShiftedEdges(quantifier_, s, FirstQuantifier());
      const bool ends = quantifier_.states()[s].accept;
      if (ends) {
        WriteTermEdges(edges);
      } else {
        for (const CodePointEdge& edge : edges) table_.AddEdge(edge.lo, edge.hi, edge.target);
      }
      table_.EndState(ends);
    }
    return CodePointDfa(std::move(table_));
  }

 private:
  static constexpr int32_t kBefore = 0;
  static constexpr int32_t kAfterAtom = 1;

  static int32_t SizeOf(const CodePointDfa& part) {
    return static_cast<int32_t>(part.states().size());
  }
  int32_t FirstAtom() const { return kAfterAtom + 1; }
  int32_t FirstClass() const { return FirstAtom() + SizeOf(atom_); }
  int32_t FirstQuantifier() const { return FirstClass() + SizeOf(class_); }

  static std::vector<CodePointEdge> ShiftedEdges(const CodePointDfa& part, size_t state,
                                                 int32_t offset) {
    std::vector<CodePointEdge> edges;
    for (const CodePointEdge& edge : part.states()[state].edges)
      edges.push_back({edge.lo, edge.hi, edge.target + offset});
    return edges;
  }

  // The edges of an atom or a class: both end with their last character.
  std::vector<CodePointEdge> EdgesToEnd(const CodePointDfa& part, size_t state,
                                        int32_t offset) const {
    std::vector<CodePointEdge> edges = ShiftedEdges(part, state, offset);
    for (CodePointEdge& edge : edges) {
      if (part.states()[static_cast<size_t>(edge.target - offset)].accept) edge.target = kAfterAtom;
    }
    return edges;
  }

  // The edges with which a term begins, and others.
  void WriteTermEdges(std::vector<CodePointEdge> edges) {
    for (const uint32_t c : {U'$', U'^', U'|'}) edges.push_back({c, c, kBefore});
    const auto add = [&](const CodePointDfa& part, int32_t first) {
      const std::vector<CodePointEdge> more = EdgesToEnd(part, 0, first);
      edges.insert(edges.end(), more.begin(), more.end());
    };
    add(atom_, FirstAtom());
    add(class_, FirstClass());
    WriteSorted(std::move(edges));
  }

  void WritePart(const CodePointDfa& part, int32_t first) {
    const bool is_atom = first == FirstAtom();
    const int32_t escape = is_atom ? part.Next(0, '\\') : -1;
    for (int32_t s = 0; s < SizeOf(part); ++s) {
      std::vector<CodePointEdge> edges = EdgesToEnd(part, static_cast<size_t>(s), first);
      if (s == escape) {  // Assertions that look like atoms.
        for (const uint32_t c : {U'B', U'b'}) edges.push_back({c, c, kBefore});
      }
      WriteSorted(std::move(edges));
      table_.EndState(false);
    }
  }

  void WriteSorted(std::vector<CodePointEdge> edges) {
    std::sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) { return a.lo < b.lo; });
    for (const CodePointEdge& edge : edges) table_.AppendEdge(edge.lo, edge.hi, edge.target);
  }

  const CodePointDfa atom_;
  const CodePointDfa class_;
  const CodePointDfa quantifier_;
  DfaTable table_;
};

}  // namespace

CodePointDfa RegexFormatToDfa() { return NestRegexTerms(FlatTerms().Build(), false); }

CodePointDfa SpelledRegexFormatToDfa() {
  // Parentheses have no other spellings, so that the terms can be spelled before they are copied.
  return NestRegexTerms(SpellCanonically(FlatTerms().Build()), true);
}

bool IsRegularExpression(std::string_view text) {
  if (HasUnknownEscape(text) || HasForeignGroup(text)) return false;
  try {
    ParseRegex(text, RegexOptions(), Limits());
    return true;
  } catch (const Error& error) {
    // What this library cannot match (look-behind, back-references) is a pattern all the same.
    return error.kind() != ErrorKind::kGrammarSyntax;
  }
}

}  // namespace xgrammar::json_schema
