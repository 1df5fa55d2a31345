// Printing a grammar and reading it back: the language stays, by the reference recogniser, for
// known troublemakers and for random grammars with automata, counts and escapes.
//
// Also that rules can be renamed in a printed grammar by replacing whole words, which serving
// engines do. The exact printed text is tests/cpp/grammar/printer_test.cc.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "frontend/ebnf/parser.h"
#include "grammar/builder.h"
#include "grammar/printer.h"
#include "grammar/reference_recognizer.h"

namespace xgrammar {
namespace {

void ExpectRoundTrip(const Grammar& grammar, const std::vector<std::string>& texts) {
  std::string printed = GrammarToString(grammar);
  GrammarPtr again = ParseEbnf(printed);
  EXPECT_EQ(GrammarToString(*again), printed);
  for (const std::string& text : texts) {
    EXPECT_EQ(Accepts(grammar, text), Accepts(*again, text)) << printed << "on " << text;
  }
}

TEST(RoundTrip, WhatIsHardToPrint) {
  const std::vector<std::string> texts = {
      "\xC3\xA9"
      "abc\x01"
      "a",
      std::string("a\0b", 3),
      "^",
      "a",
      "root",
      "\"root\"",
      "a::=b",
      "\n"};
  for (const char* source : {
           R"(root ::= "éabc" "\u0001a")",
           R"(root ::= "a\0b" | [\0] "1")",
           R"(root ::= [\^a] | [b^])",
           R"(root ::= "\"root\"" | "root")",
           R"(root ::= "a::=b" | n
              n ::= "\n" | "n")",
           R"(root ::= [a-z] | a
              a ::= "a")",
           R"(root ::= a.b | a-b | a_b
              a.b ::= "a"
              a-b ::= "^"
              a_b ::= "\n")",
           R"(root ::= (("a" | "") ("b" | "c")*)? (("x"+)+){2,} | [] | [^])",
           R"(root ::= "a" (=("b" | "c") root))",
           R"(root ::= AnyOrder{1,2}("" | ":", "a"?, AnyOrder(root, "b"*, "c" | "\n"), "^"+)?)",
           R"(root ::= AnyOrder "a"
              AnyOrder ::= "^")",
       }) {
    ExpectRoundTrip(*ParseEbnf(source), texts);
  }
}

// What a client does with the text: every rule name gets a prefix, by whole words.
TEST(RoundTrip, RenamingRulesByWholeWordsLeavesLiteralsAlone) {
  GrammarPtr grammar = ParseEbnf(R"(root ::= "root" item [a-z] a | "a::= item, root" | "\name"
item ::= "an item"
a ::= "a" | [^a]
name ::= "\n" | "x72oot"
x72oot ::= "name")");
  std::string printed = GrammarToString(*grammar);
  std::regex definition("\\b(\\w+)\\s*::=");
  std::vector<std::string> names;
  for (std::sregex_iterator it(printed.begin(), printed.end(), definition), end; it != end; ++it) {
    names.push_back((*it)[1]);
  }
  EXPECT_EQ(names, std::vector<std::string>({"root", "item", "a", "name", "_x72oot"}));
  std::string renamed = printed;
  for (const std::string& name : names) {
    renamed = std::regex_replace(renamed, std::regex("\\b" + name + "\\b"), "tool_" + name);
  }
  GrammarPtr again = ParseEbnf(renamed, "tool_root");
  for (const char* text :
       {"rootan itemba", "a::= item, root", "\name", "tool_root", "rootan itemaa"}) {
    EXPECT_EQ(Accepts(*grammar, text), Accepts(*again, text)) << text;
  }
  EXPECT_TRUE(Accepts(*again, "rootan itemba"));
}

class RandomGrammar {
 public:
  explicit RandomGrammar(uint32_t seed) : random_(seed) {}

  GrammarPtr Make() {
    const char* names[] = {"root", "a", "b-b", "true"};
    for (const char* name : names) rules_.push_back(builder_.AddRule(name));
    for (RuleId rule : rules_) builder_.SetBody(rule, Expr(4));
    return builder_.Build(rules_[Below(4)]);
  }

 private:
  size_t Below(size_t bound) { return random_() % bound; }

  ExprId Automaton() {
    std::vector<CodePointDfa::State> states(3);
    for (auto& state : states) {
      state.accept = Below(2) == 0;
      for (uint32_t c = 'a'; c <= 'c'; ++c) {
        if (Below(2) == 0) state.edges.push_back({c, c, static_cast<int32_t>(Below(3))});
      }
    }
    return builder_.AddAutomaton(std::make_shared<const CodePointDfa>(std::move(states)));
  }

  ExprId Leaf() {
    const char* literals[] = {"a", "b", "ab", "", "root", "\n", "::="};
    switch (Below(4)) {
      case 0:
        return builder_.AddRuleRef(rules_[Below(rules_.size())]);
      case 1:
        return builder_.AddCharClass(CodePointSet({{'a', 'a' + static_cast<uint32_t>(Below(3))}}));
      case 2:
        return Below(3) == 0 ? Automaton() : builder_.AddNothing();
      default:
        return builder_.AddByteString(literals[Below(7)]);
    }
  }

  ExprId Expr(int depth) {
    if (depth == 0 || Below(4) == 0) return Leaf();
    if (Below(3) == 0) {
      int64_t min = static_cast<int64_t>(Below(3));
      int64_t max = Below(2) == 0 ? kUnbounded : min + static_cast<int64_t>(Below(3));
      return builder_.AddRepeat(Expr(depth - 1), min, max);
    }
    std::vector<ExprId> parts;
    for (size_t count = 1 + Below(3); count > 0; --count) parts.push_back(Expr(depth - 1));
    if (Below(4) == 0) {
      const int64_t min = static_cast<int64_t>(Below(3));
      return builder_.AddAnyOrder(Leaf(), parts, min, Below(2) == 0 ? kUnbounded : min + 1);
    }
    return Below(2) == 0 ? builder_.AddSequence(parts) : builder_.AddChoices(parts);
  }

  std::mt19937 random_;
  GrammarBuilder builder_;
  std::vector<RuleId> rules_;
};

TEST(RoundTrip, RandomGrammars) {
  const std::vector<std::string> texts = {"",   "a",  "b",   "c",    "ab",    "ba", "abc",
                                          "aa", "cb", "aab", "root", "roota", "\n", "::="};
  for (uint32_t seed = 0; seed < 300; ++seed) {
    ExpectRoundTrip(*RandomGrammar(seed).Make(), texts);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace xgrammar
