// FsmBuilder: edges of each state are packed and sorted, states that only lead on are left out, and
// cycles of epsilon edges end; TokenSet by its definition.
//
// Machines are written by hand. How expressions become edges is fsm_writer_test.cc.
#include "lowering/fsm.h"

#include <gtest/gtest.h>

namespace xgrammar {
namespace {

TEST(Fsm, PacksEdgesOfEachState) {
  FsmBuilder builder;
  const uint32_t start = builder.AddState();
  const uint32_t middle = builder.AddState();
  const uint32_t end = builder.AddState();
  const TokenSet tokens{{1, 2}, false};
  builder.SetAccept(end);
  builder.AddBytes(start, 'x', 'z', false, middle);
  builder.AddBytes(start, 'a', 'b', true, end);
  builder.AddCall(middle, 7, end);
  builder.AddTokens(middle, &tokens, start);
  builder.AddEpsilon(middle, middle);  // To itself: nothing.
  const Fsm fsm = builder.Build();
  ASSERT_EQ(fsm.num_states(), 3u);
  ASSERT_EQ(fsm.state(start).bytes().size(), 2u);
  EXPECT_EQ(fsm.state(start).bytes()[0].lo, 'a');  // Sorted.
  EXPECT_TRUE(fsm.state(start).bytes()[0].literal);
  EXPECT_EQ(fsm.state(start).bytes()[1].target, middle);
  ASSERT_EQ(fsm.state(middle).calls().size(), 1u);
  EXPECT_EQ(fsm.state(middle).calls()[0].unit, 7u);
  EXPECT_EQ(fsm.state(middle).tokens()[0].tokens, &tokens);
  EXPECT_TRUE(fsm.state(middle).epsilons().empty());
  EXPECT_TRUE(fsm.state(start).IsWaiting());
  EXPECT_TRUE(fsm.state(middle).IsWaiting());
  EXPECT_FALSE(fsm.state(end).IsWaiting());
  EXPECT_TRUE(fsm.state(end).OnlyReturns());
  EXPECT_GT(fsm.MemorySizeBytes(), 0);
}

TEST(Fsm, StepsOverStatesThatOnlyLeadOn) {
  FsmBuilder builder;
  for (int i = 0; i < 5; ++i) builder.AddState();
  builder.SetAccept(4);
  builder.AddCall(0, 3, 1);
  builder.AddEpsilon(1, 2);
  builder.AddEpsilon(2, 4);
  builder.AddBytes(3, 'a', 'a', false, 1);
  const Fsm fsm = builder.Build();
  // A call whose rule ends behind it is seen to be in tail position.
  EXPECT_TRUE(fsm.state(fsm.state(0).calls()[0].target).OnlyReturns());
  EXPECT_EQ(fsm.state(3).bytes()[0].target, 4u);
}

TEST(Fsm, TextsAreChainsThatOthersBranchFrom) {
  FsmBuilder builder;
  const uint32_t start = builder.AddState();
  const uint32_t end = builder.AddState();
  builder.SetAccept(end);
  builder.AddText(start, "abc", true, end);
  const uint32_t after_a = end + 1;
  builder.AddText(after_a, "\xff", false, end);
  builder.AddText(after_a, "Bx", true, start);
  const Fsm fsm = builder.Build();
  ASSERT_EQ(fsm.num_states(), 5u);
  ASSERT_EQ(fsm.state(start).bytes().size(), 1u);
  EXPECT_EQ(fsm.state(start).bytes()[0].target, after_a);
  const auto edges = fsm.state(after_a).bytes();
  ASSERT_EQ(edges.size(), 3u);  // Sorted.
  EXPECT_EQ(edges[0].lo, 'B');
  EXPECT_EQ(edges[1].lo, 'b');
  EXPECT_EQ(edges[1].target, after_a + 1);
  EXPECT_EQ(edges[2].hi, 0xFF);
  EXPECT_FALSE(edges[2].literal);
  EXPECT_EQ(edges[2].target, end);
  EXPECT_EQ(fsm.state(after_a + 1).bytes()[0].target, end);
  EXPECT_EQ(fsm.state(edges[0].target).bytes()[0].target, start);
}

TEST(Fsm, EpsilonCyclesEnd) {
  FsmBuilder builder;
  for (int i = 0; i < 3; ++i) builder.AddState();
  builder.AddBytes(0, 'a', 'a', false, 1);
  builder.AddEpsilon(1, 2);
  builder.AddEpsilon(2, 1);
  EXPECT_EQ(builder.Build().num_states(), 3u);
}

TEST(TokenSet, ContainsListedOrOthers) {
  const TokenSet listed{{2, 5}, false};
  const TokenSet others{{2, 5}, true};
  for (int32_t id : {0, 2, 3, 5, 9}) {
    EXPECT_EQ(listed.Contains(id), id == 2 || id == 5);
    EXPECT_NE(others.Contains(id), listed.Contains(id));
  }
}

}  // namespace
}  // namespace xgrammar
