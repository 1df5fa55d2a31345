// Rules of the format `regex` against its automaton: random texts of the automaton, and at each
// step a character that may be wrong, read by the reference recogniser.
//
// What the automaton accepts is regex_format_test.cc and regex_groups_test.cc.
#include "frontend/json_schema/regex_rules.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

#include "frontend/json_schema/regex_class.h"
#include "frontend/json_schema/regex_format.h"
#include "parser/naive_earley.h"
#include "support/utf8.h"

namespace xgrammar::json_schema {
namespace {

GrammarPtr RegexGrammar() {
  GrammarBuilder builder;
  const ExprId format = AddRegexFormat(&builder);
  return builder.Build(builder.AddRuleWithHint("root", format));
}

class Comparison {
 public:
  void Read(std::string_view text) {
    for (const char c : text) Step(static_cast<unsigned char>(c));
  }
  void ReadRandomly(int steps) {
    for (int i = 0; i < steps; ++i) {
      const auto& edges = dfa_.states()[static_cast<size_t>(state_)].edges;
      if (edges.empty()) return;
      const CodePointEdge& edge = edges[random_() % edges.size()];
      Try();
      Step(edge.lo + static_cast<uint32_t>(random_() % (edge.hi - edge.lo + 1)));
      if (HasFatalFailure()) return;
    }
  }
  void Begin() {
    earley_.Reset();
    text_.clear();
    state_ = 0;
  }

 private:
  static bool HasFatalFailure() { return testing::Test::HasFatalFailure(); }

  // A character that means something.
  void Try() {
    constexpr std::string_view kSigns = "()[]{}<>|\\^$*+?!=:,.-/\"uxkcpbB0127afnzA_ ";
    const char c = kSigns[random_() % kSigns.size()];
    const bool expected = dfa_.Next(state_, static_cast<unsigned char>(c)) >= 0;
    ASSERT_EQ(earley_.Allows(std::string_view(&c, 1)), expected) << text_ << " and then " << c;
  }
  void Step(uint32_t code_point) {
    std::string bytes;
    AppendUtf8(code_point, &bytes);
    state_ = dfa_.Next(state_, code_point);
    text_ += bytes;
    ASSERT_GE(state_, 0) << text_;
    ASSERT_TRUE(earley_.PushAll(bytes)) << text_;
    ASSERT_EQ(earley_.IsComplete(), dfa_.states()[static_cast<size_t>(state_)].accept) << text_;
  }

  const CodePointDfa dfa_ = SpelledRegexFormatToDfa();
  const GrammarPtr grammar_ = RegexGrammar();
  NaiveEarley earley_{*grammar_};
  std::mt19937 random_{11};
  std::string text_;
  int32_t state_ = 0;
};

TEST(RegexRules, MeanTheSameAsTheAutomaton) {
  Comparison comparison;
  for (const std::string_view begin : {"",
                                       "^a*",
                                       "(",
                                       "((a(",
                                       "(?:(?:b|",
                                       "(a){2",
                                       "(?=",
                                       "(?=a)",
                                       "(?<!",
                                       "(?<",
                                       "(?<n",
                                       "(?<nm>",
                                       "(?<n>",
                                       "(?<n>a",
                                       "(?<n>a)",
                                       "(?<n>a)b*",
                                       "(?<n>a*?\\\\",
                                       "(?<n>a)\\\\k<",
                                       "(?<n>\\\\k<n>",
                                       "(?<n>\\\\k<n>)",
                                       "(?<n>[a]b)",
                                       "(?<n>a{2}",
                                       "(?<n>a)(",
                                       "(?<n>a){1,",
                                       "(?<n>a)[b]{",
                                       "(a)(?<n>\\\\x41)",
                                       "[",
                                       "[^a-",
                                       "[\\\\x41-",
                                       "[\\\\u00",
                                       "\\\\u{",
                                       "\\\\p{L"}) {
    for (int i = 0; i < 6; ++i) {
      comparison.Begin();
      comparison.Read(begin);
      ASSERT_FALSE(HasFatalFailure());
      comparison.ReadRandomly(12);
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

TEST(RegexRules, AreFewAndMadeLate) {
  const GrammarPtr grammar = RegexGrammar();
  EXPECT_LT(grammar->num_rules(), 80);
  int num_late = 0;
  for (ExprId e = 0; e < grammar->num_exprs(); ++e) {
    if (grammar->kind(e) != ExprKind::kAutomaton) continue;
    const LateAutomatonPtr late = grammar->late_automaton(e);
    if (late == nullptr) continue;
    ++num_late;
    const CodePointDfa& made = *late->Get();
    EXPECT_LE(static_cast<int64_t>(made.states().size()) + made.num_edges(), late->size());
    EXPECT_EQ(made.states()[0].accept, late->accepts_empty());
  }
  EXPECT_GE(num_late, 6);
}

}  // namespace
}  // namespace xgrammar::json_schema
