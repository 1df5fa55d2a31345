// UnitTable: which kind of automaton an expression gets (folded, with calls, counted, limited),
// when it is built, and what equal bodies share; Unit: how counts go on and budgets of tokens are
// used up.
//
// Guards that counts large and small take equal room and that units appear only when reached.
// Languages are not compared here but in tests/cpp/parser.
#include "lowering/unit_table.h"

#include <gtest/gtest.h>

#include <string>

#include "frontend/ebnf/parser.h"
#include "grammar/builder.h"
#include "support/error.h"

namespace xgrammar {
namespace {

using Kind = Unit::Kind;

struct Lowered {
  explicit Lowered(GrammarPtr grammar, const TokenTrie* markers = nullptr)
      : table(std::move(grammar), &cache, markers) {}
  explicit Lowered(const std::string& ebnf) : Lowered(ParseEbnf(ebnf)) {}

  const Unit& root() { return table.Get(table.root()); }
  /// The unit that the root's first call edge leads to.
  const Unit& Called() {
    const Fsm& fsm = root().fsm;
    for (uint32_t s = 0; s < fsm.num_states(); ++s) {
      if (!fsm.state(s).calls().empty()) return table.Get(fsm.state(s).calls()[0].unit);
    }
    ADD_FAILURE() << "no call";
    return root();
  }

  DfaCache cache;
  UnitTable table;
};

Kind KindOf(const std::string& ebnf) { return Lowered(ebnf).root().kind; }

/// A grammar of a recursive rule `x` and the given start rule.
std::string WithNesting(const std::string& body) {
  return "root ::= " + body + "\nx ::= \"(\" x \")\" | \"y\"";
}

TEST(UnitTable, SmallRegularLanguagesFold) {
  EXPECT_EQ(KindOf("root ::= \"abc\""), Kind::kDfa);
  EXPECT_EQ(KindOf("root ::= ([a-z]+ \",\")* \".\""), Kind::kDfa);
  EXPECT_EQ(KindOf("root ::= a | b\na ::= \"x\"+\nb ::= [0-9]{2,4}"), Kind::kDfa);
  EXPECT_EQ(KindOf("root ::= \"\""), Kind::kDfa);
}

TEST(UnitTable, RecursionIsAnFsm) {
  EXPECT_EQ(KindOf(WithNesting("x")), Kind::kFsm);
  EXPECT_EQ(KindOf(WithNesting("\"a\" x")), Kind::kFsm);
}

TEST(UnitTable, StructuresAreNeverFolded) {
  for (RuleKind kind : {RuleKind::kAuto, RuleKind::kLexeme, RuleKind::kStructure}) {
    GrammarBuilder builder;
    const RuleId root = builder.AddRule("root", kind);
    builder.SetBody(root, builder.AddSequence({builder.AddByteString("a"),
                                               builder.AddStar(builder.AddByteString("b"))}));
    EXPECT_EQ(Lowered(builder.Build(root)).root().kind,
              kind == RuleKind::kStructure ? Kind::kFsm : Kind::kDfa);
  }
}

TEST(UnitTable, AutomataThatWouldExplodeStayFsms) {
  std::string ebnf = "root ::= [ab]* \"a\"";
  for (int i = 0; i < 24; ++i) ebnf += " [ab]";
  EXPECT_EQ(KindOf(ebnf), Kind::kFsm);
}

TEST(UnitTable, CountsOfPrefixFreeLanguagesAreCounted) {
  Lowered lowered("root ::= [a-z]{10,500}");
  EXPECT_EQ(lowered.root().kind, Kind::kCountedDfa);
  EXPECT_EQ(lowered.root().min, 10);
  EXPECT_EQ(lowered.root().max, 500);
  EXPECT_TRUE(lowered.root().dfa->is_prefix_free());
  EXPECT_FALSE(lowered.root().nullable);
  EXPECT_EQ(KindOf("root ::= (\"ab\" | \"c\"){0,1000000000}"), Kind::kCountedDfa);
  EXPECT_EQ(KindOf("root ::= [a-z]{100,}"), Kind::kCountedDfa);
  // The start of a copy must say that the copy before it is complete.
  EXPECT_EQ(KindOf("root ::= (\"a\"* \"b\"){0,1000}"), Kind::kCountedCall);
}

TEST(UnitTable, LargeAndSmallCountsTakeEqualRoom) {
  Lowered small("root ::= [a-z]{10,500}");
  Lowered large("root ::= [a-z]{1000000,2000000000}");
  small.root();
  large.root();
  EXPECT_EQ(small.table.num_states(), large.table.num_states());
  EXPECT_EQ(small.table.MemorySizeBytes(), large.table.MemorySizeBytes());
}

TEST(UnitTable, CountsOfOtherLanguagesAreUnrolledOrCalled) {
  // A copy can be followed by more of itself: all copies made, if that stays small.
  EXPECT_EQ(KindOf("root ::= ([a-z] \"x\"?){20,60}"), Kind::kDfa);
  EXPECT_EQ(KindOf("root ::= ([a-z] \"x\"?){20,6000}"), Kind::kCountedCall);
  Lowered lowered(WithNesting("x{3,70}"));
  EXPECT_EQ(lowered.root().kind, Kind::kCountedCall);
  EXPECT_EQ(lowered.table.Get(lowered.root().child).kind, Kind::kFsm);
  EXPECT_EQ(lowered.root().min, 3);
}

TEST(UnitTable, PlainLoopsNeedNoCounter) {
  EXPECT_EQ(KindOf(WithNesting("x*")), Kind::kFsm);
  EXPECT_EQ(KindOf(WithNesting("x+")), Kind::kFsm);
  EXPECT_EQ(KindOf("root ::= (word \",\")*\nword ::= [a-z]+"), Kind::kFsm)
      << "lexical units stay apart";
  EXPECT_EQ(KindOf("root ::= (word \",\"){3,90}\nword ::= [a-z]+"), Kind::kCountedCall);
}

TEST(UnitTable, EmptyCopiesFillUpTheMinimum) {
  Lowered lowered("root ::= x{30,90}\nx ::= \"(\" x \")\" | \"\"");
  EXPECT_EQ(lowered.root().kind, Kind::kCountedCall);
  EXPECT_EQ(lowered.root().min, 0);
  EXPECT_TRUE(lowered.root().nullable);
}

TEST(UnitTable, LimitedRules) {
  for (const RuleOptions& options :
       {RuleOptions{7, kUnbounded}, RuleOptions{kUnbounded, 7}, RuleOptions{3, 7}}) {
    GrammarBuilder builder;
    const RuleId root = builder.AddRule("root");
    const RuleId text = builder.AddRule("text");
    builder.SetBody(text, builder.AddStar(builder.AddCharClass(CodePointSet({{'a', 'z'}}))));
    builder.SetOptions(text, options);
    builder.SetBody(root,
                    builder.AddSequence({builder.AddRuleRef(text), builder.AddByteString(".")}));
    Lowered lowered(builder.Build(root));
    EXPECT_EQ(lowered.root().kind, Kind::kFsm);
    EXPECT_EQ(lowered.Called().kind, Kind::kLimitedDfa);
    EXPECT_EQ(lowered.Called().LimitsCodePoints(), options.max_chars == 7);
    EXPECT_EQ(lowered.Called().LimitsTokens(), options.max_tokens != kUnbounded);
    EXPECT_EQ(lowered.table.has_token_limits(), options.max_tokens != kUnbounded);
  }
}

TEST(UnitTable, LimitsThatCannotBeEnforcedAreRefused) {
  for (bool by_chars : {true, false}) {
    GrammarBuilder builder;
    const RuleId root = builder.AddRule("root");
    const ExprId self = builder.AddSequence(
        {builder.AddByteString("("), builder.AddRuleRef(root), builder.AddByteString(")")});
    builder.SetBody(root, builder.AddChoices({self, builder.AddByteString("y")}));
    RuleOptions options;
    (by_chars ? options.max_chars : options.max_tokens) = 7;
    builder.SetOptions(root, options);
    Lowered lowered(builder.Build(root));
    try {
      lowered.root();
      FAIL() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
      EXPECT_EQ(error.feature(), by_chars ? "max_chars" : "max_tokens");
    }
  }
}

TEST(UnitTable, UnitsAreBuiltWhenReached) {
  std::string ebnf = "root ::= ";
  for (int i = 0; i < 50; ++i) ebnf += (i == 0 ? "r" : " | \"q\" r") + std::to_string(i);
  for (int i = 0; i < 50; ++i) {
    const std::string name = "r" + std::to_string(i);
    ebnf += "\n" + name + " ::= \"" + name + "(\" root \")\" | \"" + name + "\" [a-z]*";
  }
  Lowered lowered(ebnf);
  EXPECT_EQ(lowered.table.num_states(), 0);
  lowered.root();
  const int64_t after_root = lowered.table.num_states();
  EXPECT_GT(after_root, 0);
  const Unit& called = lowered.Called();
  EXPECT_GT(lowered.table.num_states(), after_root);
  EXPECT_EQ(&lowered.table.UnitOfState(called.first_state), &called);
  EXPECT_EQ(&lowered.table.Get(lowered.table.UnitIdOfState(called.first_state)), &called);
}

TEST(UnitTable, EqualBodiesAreOneUnit) {
  Lowered lowered(
      "root ::= a \"1\" b\na ::= \"(\" root \")\" | \"x\"\nb ::= \"(\" root \")\" | \"x\"");
  std::vector<UnitId> called;
  const Fsm& fsm = lowered.root().fsm;
  for (uint32_t s = 0; s < fsm.num_states(); ++s) {
    for (const Fsm::CallEdge& e : fsm.state(s).calls()) called.push_back(e.unit);
  }
  ASSERT_EQ(called.size(), 2u);
  EXPECT_EQ(called[0], called[1]);
}

TEST(UnitTable, LiteralsThatHoldMarkersKeepTheirEdges) {
  const TokenTrie markers(std::vector<std::pair<std::string_view, int32_t>>{{"<e>", 0}});
  Lowered kept(ParseEbnf("root ::= \"a<e>\" [a-z]"), &markers);
  EXPECT_EQ(kept.root().kind, Kind::kFsm);
  EXPECT_TRUE(kept.table.has_marker_literals());
  Lowered folded(ParseEbnf("root ::= \"a<f>\" [a-z]"), &markers);
  EXPECT_EQ(folded.root().kind, Kind::kDfa);
  EXPECT_FALSE(folded.table.has_marker_literals());
  // What a lexical rule spells is text, whatever it looks like.
  GrammarBuilder builder;
  const RuleId root = builder.AddRule("root", RuleKind::kLexeme);
  builder.SetBody(root, builder.AddByteString("<e>"));
  EXPECT_EQ(Lowered(builder.Build(root), &markers).root().kind, Kind::kDfa);
}

TEST(Unit, Counts) {
  Unit bounded;
  bounded.min = 2;
  bounded.max = 3;
  EXPECT_EQ(bounded.NextCount(0), 1u);
  EXPECT_EQ(bounded.NextCount(2), 3u);
  EXPECT_FALSE(bounded.MayEndAt(1));
  EXPECT_TRUE(bounded.MayEndAt(2));
  EXPECT_TRUE(bounded.MayGoOnAt(2));
  EXPECT_FALSE(bounded.MayGoOnAt(3));
  Unit open;
  open.min = 2;
  EXPECT_EQ(open.NextCount(1), 2u);
  EXPECT_EQ(open.NextCount(2), 2u) << "past an open end counts do not matter";
  EXPECT_TRUE(open.MayGoOnAt(2));
}

TEST(Unit, TokensUsedUp) {
  Unit unit;
  unit.options.max_tokens = 2;
  LimitCounts used{1000, Unit::kEntered};
  EXPECT_FALSE(unit.IsUsedUp(used));
  // The token within which the unit was entered is free.
  used.tokens = unit.TokensAfterToken(used.tokens, true);
  EXPECT_FALSE(unit.IsUsedUp(used));
  used.tokens = unit.TokensAfterToken(used.tokens, true);
  EXPECT_FALSE(unit.IsUsedUp(used));
  used.tokens = unit.TokensAfterToken(used.tokens, false);
  EXPECT_FALSE(unit.IsUsedUp(used)) << "text that is no token does not count";
  used.tokens = unit.TokensAfterToken(used.tokens, true);
  EXPECT_TRUE(unit.IsUsedUp(used));
  EXPECT_EQ(unit.TokensAfterToken(used.tokens, true), used.tokens) << "counts stay bounded";
}

TEST(Unit, TheFirstOfTwoLimitsCounts) {
  Unit unit;
  unit.options = {2, 5};
  EXPECT_FALSE(unit.IsUsedUp({4, Unit::kEntered}));
  EXPECT_FALSE(unit.IsUsedUp({4, 2}));
  EXPECT_TRUE(unit.IsUsedUp({0, 3}));
  EXPECT_TRUE(unit.IsUsedUp({5, Unit::kEntered}));
}

}  // namespace
}  // namespace xgrammar
