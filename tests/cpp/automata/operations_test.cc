// Minimize, Intersect, Unite, Complement, LengthRange, FromStrings: on random automata each agrees
// with membership of all short texts, with characters of one and of four bytes.
//
// Laws hold as data, since minimal machines of one language are equal: what is built in two ways is
// compared state by state. A product past the budget is an error that names the limit.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "automata/product.h"
#include "support/error.h"

namespace xgrammar {
namespace {

using State = CodePointDfa::State;

constexpr int64_t kBudget = 1000;

/// Random machine over a, b, c and "everything else".
CodePointDfa RandomDfa(std::mt19937* random) {
  const uint32_t n = 1 + static_cast<uint32_t>((*random)() % 6);
  std::vector<State> states(n);
  const CodePointRange parts[] = {{0, 'a' - 1}, {'a', 'a'},    {'b', 'b'},
                                  {'c', 'c'},   {'d', 0xD7FF}, {0xE000, 0x10FFFF}};
  for (State& state : states) {
    state.accept = (*random)() % 3 == 0;
    for (const CodePointRange& part : parts) {
      if ((*random)() % 3 == 0) continue;
      state.edges.push_back({part.lo, part.hi, static_cast<int32_t>((*random)() % n)});
    }
  }
  return CodePointDfa(std::move(states));
}

std::vector<std::string> Texts() {
  std::vector<std::string> texts = {""};
  for (size_t begin = 0, length = 0; length < 4; ++length) {
    const size_t end = texts.size();
    for (size_t i = begin; i < end; ++i) {
      for (const char* c : {"a", "b", "c", "z", "\xF0\x9F\x98\x80"}) texts.push_back(texts[i] + c);
    }
    begin = end;
  }
  return texts;
}

bool SameData(const CodePointDfa& a, const CodePointDfa& b) { return a.states() == b.states(); }

TEST(OperationsTest, AgreeWithMembership) {
  std::mt19937 random(5);
  const std::vector<std::string> texts = Texts();
  for (int round = 0; round < 300; ++round) {
    const CodePointDfa a = RandomDfa(&random);
    const CodePointDfa b = RandomDfa(&random);
    const CodePointDfa both = Intersect(a, b, kBudget);
    const CodePointDfa either = Unite(a, b, kBudget);
    const CodePointDfa not_a = Complement(a);
    const CodePointDfa minimal = Minimize(a);
    const CodePointDfa only_a = Subtract(a, b, kBudget);
    for (const std::string& text : texts) {
      const bool in_a = a.Accepts(text);
      const bool in_b = b.Accepts(text);
      ASSERT_EQ(both.Accepts(text), in_a && in_b) << round << " " << text;
      ASSERT_EQ(either.Accepts(text), in_a || in_b) << round << " " << text;
      ASSERT_EQ(not_a.Accepts(text), !in_a) << round << " " << text;
      ASSERT_EQ(only_a.Accepts(text), in_a && !in_b) << round << " " << text;
      ASSERT_EQ(minimal.Accepts(text), in_a) << round << " " << text;
    }
  }
}

TEST(OperationsTest, MinimalMachinesOfOneLanguageAreEqualAsData) {
  std::mt19937 random(6);
  for (int round = 0; round < 300; ++round) {
    const CodePointDfa a = RandomDfa(&random);
    const CodePointDfa b = RandomDfa(&random);
    const CodePointDfa left = Complement(Unite(a, b, kBudget));
    const CodePointDfa right = Intersect(Complement(a), Complement(b), kBudget);
    ASSERT_TRUE(SameData(left, right)) << round;
    ASSERT_TRUE(SameData(Complement(left), Unite(b, a, kBudget))) << round;
    ASSERT_TRUE(Intersect(a, Complement(a), kBudget).IsEmpty()) << round;
  }
}

TEST(OperationsTest, ComplementOfNothingIsEverything) {
  const CodePointDfa all = Complement(CodePointDfa(DfaTable()));
  EXPECT_EQ(all.states().size(), 1u);
  EXPECT_TRUE(all.Accepts(""));
  EXPECT_TRUE(all.Accepts("anything"));
  EXPECT_TRUE(Complement(all).IsEmpty());
}

TEST(OperationsTest, LengthRange) {
  const CodePointDfa some = LengthRange(2, 4, kBudget);
  EXPECT_EQ(some.MinLength(), 2);
  EXPECT_EQ(some.MaxLength(), 4);
  const CodePointDfa open = LengthRange(3, -1, kBudget);
  EXPECT_EQ(open.states().size(), 4u);
  EXPECT_EQ(open.MinLength(), 3);
  EXPECT_EQ(open.MaxLength(), -1);
  EXPECT_TRUE(LengthRange(3, 2, kBudget).IsEmpty());
  EXPECT_EQ(LengthRange(0, 0, kBudget).MaxLength(), 0);
  EXPECT_THROW(LengthRange(0, kBudget, kBudget), Error);
}

TEST(OperationsTest, ProductBudgetIsNamed) {
  try {
    Intersect(LengthRange(0, 900, kBudget), Complement(LengthRange(1, 3, kBudget)), 100);
    FAIL() << "expected a limit error";
  } catch (const Error& error) {
    EXPECT_EQ(error.limit_name(), "max_dfa_states");
  }
}

TEST(OperationsTest, FromStringsIsMinimalAndExact) {
  EXPECT_TRUE(FromStrings({}).IsEmpty());
  const CodePointDfa empty_text = FromStrings({""});
  EXPECT_TRUE(empty_text.Accepts(""));
  EXPECT_EQ(empty_text.MaxLength(), 0);
  const CodePointDfa words = FromStrings({"walking", "talking", "walked", "talked", "walked"});
  EXPECT_TRUE(words.Accepts("talked"));
  EXPECT_FALSE(words.Accepts("walk"));
  EXPECT_TRUE(SameData(words, Minimize(words)));

  std::mt19937 random(9);
  for (int round = 0; round < 100; ++round) {
    std::set<std::string> chosen;
    std::vector<std::string_view> views;
    const std::vector<std::string> texts = Texts();
    for (int i = 0; i < 12; ++i) {
      const std::string& text = texts[random() % texts.size()];
      chosen.insert(text);
      views.push_back(text);
    }
    const CodePointDfa dfa = FromStrings(views);
    for (const std::string& text : texts) ASSERT_EQ(dfa.Accepts(text), chosen.contains(text));
    ASSERT_TRUE(SameData(dfa, Minimize(dfa)));
  }
}

}  // namespace
}  // namespace xgrammar
