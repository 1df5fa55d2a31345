// The automaton of the flat terms, put together without determinising: a term is known by its first
// character, but for `\\b` and `\\B`, and quantifiers begin with other characters than terms.
//
// Source: ECMA-262, Patterns (Term, Atom, Quantifier).
#include "frontend/json_schema/regex_terms.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "frontend/json_schema/regex_class.h"
#include "frontend/json_schema/regex_quantifier.h"

namespace xgrammar::json_schema {

namespace {

// One atom without brackets.
std::string SimpleAtomRegex() {
  return "[^\\^$\\\\.*+?()\\[\\]{}|]|\\.|\\\\(?:" + RegexEscapes() + ")";
}

// State 0 is before a term, state 1 after an atom; then come the states of the parts, whose end is
// state 1, or for quantifiers as state 0 with what may still follow.
class FlatTerms {
 public:
  explicit FlatTerms(bool with_classes)
      : atom_(RegexPart(SimpleAtomRegex())),
        class_(with_classes ? RegexClass() : CodePointDfa(DfaTable())),
        quantifier_(RegexQuantifier()) {}

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

CodePointDfa RegexTerms(bool with_classes) { return FlatTerms(with_classes).Build(); }

}  // namespace xgrammar::json_schema
