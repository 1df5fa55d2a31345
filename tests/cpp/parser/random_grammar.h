// RandomGrammar: small grammars of every shape, for tests: recursion of all kinds, empty and
// impossible parts, counts near their bounds, characters of one to three bytes, automata, and all
// kinds of rules.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "grammar/builder.h"
#include "grammar/grammar.h"

namespace xgrammar {

class RandomGrammar {
 public:
  explicit RandomGrammar(uint32_t seed) : random_(seed) {}

  GrammarPtr Make() {
    num_rules_ = 1 + Below(4);
    for (uint32_t i = 0; i < num_rules_; ++i) {
      const RuleKind kinds[] = {RuleKind::kAuto, RuleKind::kAuto, RuleKind::kLexeme,
                                RuleKind::kStructure};
      builder_.AddRule("r" + std::to_string(i), kinds[Below(4)]);
    }
    for (uint32_t i = 0; i < num_rules_; ++i) {
      builder_.SetBody(static_cast<RuleId>(i), Expr(3));
    }
    return builder_.Build(0);
  }

  /// The bytes of all texts that the grammars are about, and some that never fit.
  static std::vector<uint8_t> Alphabet() {
    return {'a', 'b', 'c', 0xC3, 0xA9, 0xE2, 0x82, 0xAC, 'z', 0x00, 0xFF};
  }

 private:
  uint32_t Below(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }

  ExprId Literal() {
    const char* const texts[] = {"a", "b", "c", "ab", "abc", "ba", "\xC3\xA9", "a\xE2\x82\xAC"};
    return builder_.AddByteString(texts[Below(8)]);
  }
  ExprId Class() {
    switch (Below(5)) {
      case 0:
        return builder_.AddCharClass(CodePointSet({{'a', 'b'}}));
      case 1:
        return builder_.AddCharClass(CodePointSet({{'b', 'c'}, {0xE9, 0xE9}}));
      case 2:
        return builder_.AddCharClass(CodePointSet({{0xE9, 0xEA}, {0x20AC, 0x20AD}}));
      case 3:
        return builder_.AddCharClass(CodePointSet::Single('a').Complement());
      default:
        return Below(4) == 0 ? builder_.AddNothing()
                             : builder_.AddCharClass(CodePointSet::Single('c'));
    }
  }
  ExprId Automaton() {
    CodePointNfa nfa;
    for (int i = 0; i < 3; ++i) nfa.AddState();
    for (uint32_t i = 0; i < 4; ++i) {
      const CodePointSet sets[] = {CodePointSet::Single('a'), CodePointSet({{'b', 'c'}}),
                                   CodePointSet::Single(0xE9)};
      nfa.AddEdge(static_cast<int32_t>(Below(3)), sets[Below(3)], static_cast<int32_t>(Below(3)));
    }
    nfa.SetAccept(static_cast<int32_t>(Below(3)));
    return builder_.AddAutomaton(std::make_shared<const CodePointDfa>(Determinize(nfa, 100)));
  }
  ExprId Repeat(int depth) {
    const ExprId child = Expr(depth - 1);
    const int64_t min = Below(4) == 0 ? 5 + Below(4) : Below(3);
    if (Below(2) == 0) return builder_.AddRepeat(child, min, kUnbounded);
    return builder_.AddRepeat(child, min, min + Below(Below(3) == 0 ? 8 : 3));
  }
  /// Parts are often literals with something behind them, as the members of objects are.
  ExprId AnyOrder(int depth) {
    std::vector<ExprId> parts;
    for (uint32_t i = 0; i < 2 + Below(2); ++i) {
      const ExprId expr = Expr(depth - 1);
      const ExprId part = Below(2) == 0 ? expr : builder_.AddSequence({Literal(), expr});
      switch (Below(4)) {
        case 0:
          parts.push_back(part);
          break;
        case 1:
          parts.push_back(builder_.AddStar(part));
          break;
        case 2:
          parts.push_back(builder_.AddPlus(part));
          break;
        default:
          parts.push_back(builder_.AddOptional(part));
          break;
      }
    }
    const ExprId separator = Below(3) == 0 ? builder_.AddEmpty() : Expr(0);
    const int64_t min = Below(3);
    return builder_.AddAnyOrder(separator, parts, min, Below(2) == 0 ? kUnbounded : min + Below(4));
  }
  ExprId Expr(int depth) {
    const uint32_t kind = depth == 0 ? Below(3) : Below(11);
    std::vector<ExprId> parts;
    switch (kind) {
      case 0:
        return Literal();
      case 1:
        return Class();
      case 2:
        return builder_.AddRuleRef(static_cast<RuleId>(Below(num_rules_)));
      case 3:
      case 4:
        for (uint32_t i = 0; i < 2 + Below(2); ++i) parts.push_back(Expr(depth - 1));
        return builder_.AddSequence(parts);
      case 5:
      case 6:
        for (uint32_t i = 0; i < 2 + Below(3); ++i) parts.push_back(Expr(depth - 1));
        return builder_.AddChoices(parts);
      case 7:
        return Below(3) == 0 ? Automaton() : Repeat(depth);
      case 8:
        return Repeat(depth);
      case 9:
        return AnyOrder(depth);
      default:
        return Below(2) == 0 ? builder_.AddOptional(Expr(depth - 1)) : builder_.AddEmpty();
    }
  }

  std::mt19937 random_;
  GrammarBuilder builder_;
  uint32_t num_rules_ = 1;
};

}  // namespace xgrammar
