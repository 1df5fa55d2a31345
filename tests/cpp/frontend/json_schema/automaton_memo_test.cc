// AutomatonMemo and AutomatonStore: what is made once, for a request and for those after it.
//
// Bounds are counted in bytes: past them the store starts over.
#include "frontend/json_schema/automaton_memo.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace xgrammar {
namespace {

CodePointDfa One(uint32_t code_point) {
  std::vector<CodePointDfa::State> states(2);
  states[0].edges = {{code_point, code_point, 1}};
  states[1].accept = true;
  return CodePointDfa(std::move(states));
}

TEST(AutomatonMemo, RequestsOfOneStoreHaveAutomataInCommon) {
  const auto store = std::make_shared<AutomatonStore>();
  AutomatonMemo first(store);
  AutomatonMemo second(store);
  AutomatonMemo alone;
  int made = 0;
  const auto make = [&] {
    ++made;
    return One('a');
  };
  const CodePointDfaPtr automaton = first.Get("a", make);
  EXPECT_TRUE(automaton->Accepts("a"));
  EXPECT_EQ(first.Get("a", make), automaton);
  EXPECT_EQ(second.Get("a", make), automaton);
  EXPECT_EQ(made, 1);
  EXPECT_NE(alone.Get("a", make), automaton);
  EXPECT_NE(second.Get("b", make), automaton) << "another key";
  EXPECT_EQ(made, 3);
}

TEST(AutomatonStore, StartsOverWhenItIsFull) {
  const auto automaton = std::make_shared<const CodePointDfa>(One('a'));
  AutomatonStore store(1000);
  EXPECT_EQ(store.SizeBytes(), 0);
  for (int i = 0; i < 50; ++i) {
    const std::string key = "key " + std::to_string(i);
    store.Keep(key, automaton);
    store.Keep(key, automaton);
    EXPECT_EQ(store.Find(key), automaton);
    EXPECT_LE(store.SizeBytes(), 1000);
  }
  EXPECT_EQ(store.Find("key 0"), nullptr);
  store.Clear();
  EXPECT_EQ(store.SizeBytes(), 0);
  EXPECT_EQ(store.Find("key 49"), nullptr);
  AutomatonStore tiny(1);
  tiny.Keep("a", automaton);
  EXPECT_EQ(tiny.Find("a"), nullptr) << "larger than the bound";
}

}  // namespace
}  // namespace xgrammar
