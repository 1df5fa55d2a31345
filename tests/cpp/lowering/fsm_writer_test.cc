// FsmWriter: alternatives with literals become one prefix tree, calls at the end are tail calls,
// small rules are copied and others called, wide classes are units, and what cannot be completed is
// left out.
//
// Counts edges and calls of small grammars, so it guards shape and size. Whether the automaton has
// the right language is tests/cpp/parser/random_grammars_test.cc.
#include "lowering/fsm_writer.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "frontend/ebnf/parser.h"
#include "grammar/builder.h"
#include "lowering/unit_table.h"

namespace xgrammar {
namespace {

struct Written {
  explicit Written(const GrammarPtr& grammar)
      : table(grammar, &cache, nullptr), fsm(table.Get(table.root()).fsm) {
    EXPECT_EQ(table.Get(table.root()).kind, Unit::Kind::kFsm);
  }
  explicit Written(const std::string& ebnf) : Written(ParseEbnf(ebnf)) {}

  /// States reached from `from` by epsilon edges, itself included.
  std::set<uint32_t> Close(std::set<uint32_t> states) const {
    std::vector<uint32_t> work(states.begin(), states.end());
    while (!work.empty()) {
      const uint32_t s = work.back();
      work.pop_back();
      for (uint32_t t : fsm.state(s).epsilons()) {
        if (states.insert(t).second) work.push_back(t);
      }
    }
    return states;
  }
  std::set<uint32_t> After(std::string_view text) const {
    std::set<uint32_t> states = Close({0});
    for (char c : text) {
      std::set<uint32_t> next;
      for (uint32_t s : states) {
        for (const Fsm::ByteEdge& e : fsm.state(s).bytes()) {
          if (e.lo <= static_cast<uint8_t>(c) && static_cast<uint8_t>(c) <= e.hi)
            next.insert(e.target);
        }
      }
      states = Close(next);
    }
    return states;
  }
  std::set<UnitId> CallsAfter(std::string_view text) const {
    std::set<UnitId> units;
    for (uint32_t s : After(text)) {
      for (const Fsm::CallEdge& e : fsm.state(s).calls()) units.insert(e.unit);
    }
    return units;
  }
  size_t CountCalls() const {
    size_t count = 0;
    for (uint32_t s = 0; s < fsm.num_states(); ++s) count += fsm.state(s).calls().size();
    return count;
  }
  size_t CountByteEdges() const {
    size_t count = 0;
    for (uint32_t s = 0; s < fsm.num_states(); ++s) count += fsm.state(s).bytes().size();
    return count;
  }

  DfaCache cache;
  UnitTable table;
  const Fsm& fsm;
};

const char* const kNesting = "\nx ::= \"(\" x \")\" | \"y\"";

TEST(FsmWriter, AlternativesThatBeginWithLiteralsAreOnePrefixTree) {
  const Written written(
      std::string("root ::= \"alpha\" x | \"alpine\" x | \"alp\" | \"beta\" x | x") + kNesting);
  // alp, ha, ine, beta: shared bytes are spelled once.
  EXPECT_EQ(written.CountByteEdges(), 3u + 2u + 3u + 4u);
  EXPECT_EQ(written.After("alp").size(), 2u);  // In the tree, and at the end.
  EXPECT_EQ(written.CallsAfter("alpha").size(), 1u);
  EXPECT_TRUE(written.CallsAfter("alp").empty());
}

TEST(FsmWriter, EqualLiteralsWithDifferentRestsBothStay) {
  const Written written(std::string("root ::= \"a\" x \"1\" | \"a\" x \"2\" | \"a\" \"b\"") +
                        kNesting);
  EXPECT_EQ(written.After("ab").size(), 1u);
  EXPECT_EQ(written.CountCalls(), 2u);
}

TEST(FsmWriter, CallsAtTheEndAreTailCalls) {
  const Written written(std::string("root ::= \"a\" x | (\"b\" x)? | \"c\" x \"d\"") + kNesting);
  for (const auto& [text, is_tail] : {std::pair{"a", true}, {"b", true}, {"c", false}}) {
    bool found = false;
    for (uint32_t s : written.After(text)) {
      for (const Fsm::CallEdge& e : written.fsm.state(s).calls()) {
        EXPECT_EQ(written.fsm.state(e.target).OnlyReturns(), is_tail) << text;
        found = true;
      }
    }
    EXPECT_TRUE(found) << text;
  }
}

TEST(FsmWriter, LeavesOutWhatCannotBeCompleted) {
  const Written written(
      std::string("root ::= \"a\" dead | \"b\" x | \"c\" dead* x\ndead ::= \"(\" dead") + kNesting);
  EXPECT_TRUE(written.After("a").empty());
  EXPECT_EQ(written.CallsAfter("c").size(), 1u);
}

TEST(FsmWriter, CopiesSmallRulesAndCallsOthers) {
  EXPECT_EQ(
      Written(std::string("root ::= comma x\ncomma ::= \",\" | \";\"") + kNesting).CountCalls(),
      1u);
  EXPECT_EQ(Written(std::string("root ::= word x\nword ::= [a-z]+") + kNesting).CountCalls(), 2u);
}

TEST(FsmWriter, FewCopiesAreUnrolledManyAreCalled) {
  EXPECT_EQ(Written(std::string("root ::= \"a\" x{2,4} \"b\"") + kNesting).CountCalls(), 4u);
  const Written many(std::string("root ::= \"a\" x{2,5} \"b\"") + kNesting);
  EXPECT_EQ(many.CountCalls(), 1u);
  // Repetitions of regular parts are units of their own, however few.
  EXPECT_EQ(Written(std::string("root ::= [a-z]{2,3} x") + kNesting).CountCalls(), 2u);
}

TEST(FsmWriter, WideClassesAreUnits) {
  GrammarBuilder builder;
  std::vector<CodePointRange> scattered;
  for (uint32_t c = 0x100; c < 0x20000; c += 0x500) scattered.push_back({c, c + 3});
  const RuleId root = builder.AddRule("root", RuleKind::kStructure);
  const ExprId letter = builder.AddCharClass(CodePointSet({{'a', 'z'}}));
  const ExprId wide = builder.AddCharClass(CodePointSet(scattered));
  builder.SetBody(root, builder.AddSequence({letter, wide, letter}));
  Written written(builder.Build(root));
  EXPECT_EQ(written.CountCalls(), 1u);
  EXPECT_EQ(written.table.Get(*written.CallsAfter("q").begin()).kind, Unit::Kind::kDfa);
}

TEST(FsmWriter, LiteralsOfTextRulesAreNotLiteral) {
  for (RuleKind kind : {RuleKind::kAuto, RuleKind::kStructure}) {
    GrammarBuilder builder;
    const RuleId root = builder.AddRule("root", kind);
    const ExprId self = builder.AddSequence(
        {builder.AddByteString("("), builder.AddRuleRef(root), builder.AddByteString(")")});
    builder.SetBody(root, builder.AddChoices({self, builder.AddByteString("y")}));
    const Written written(builder.Build(root));
    for (uint32_t s = 0; s < written.fsm.num_states(); ++s) {
      for (const Fsm::ByteEdge& e : written.fsm.state(s).bytes())
        EXPECT_EQ(e.literal, kind == RuleKind::kAuto);
    }
  }
}

TEST(FsmWriter, TokenSetsAreTokenEdges) {
  GrammarBuilder builder;
  const RuleId root = builder.AddRule("root");
  const ExprId set = builder.AddTokenSet({5, 2, 5}, true);
  builder.SetBody(root, builder.AddSequence({set, builder.AddByteString("a"), set}));
  const Written written(builder.Build(root));
  ASSERT_EQ(written.fsm.state(0).tokens().size(), 1u);
  EXPECT_EQ(written.fsm.state(0).tokens()[0].tokens->ids, (std::vector<int32_t>{2, 5}));
  EXPECT_TRUE(written.fsm.state(0).tokens()[0].tokens->is_excluding);
}

}  // namespace
}  // namespace xgrammar
