// AnyOrderUnit: which members may follow a set of members, how parts are numbered along the tree of
// their literal keys, and when the whole may end, with the last places kept for what must still
// come.
//
// Sets are equal whatever the order, which is why n members need no n! states, and counts far from
// their bounds are one for masks. Whole languages are tests/cpp/parser and
// tests/property/test_any_order.py.
#include "lowering/any_order_unit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "frontend/ebnf/parser.h"
#include "lowering/unit_table.h"

namespace xgrammar {
namespace {

/// The automaton of a start rule, and sets that own their words.
struct Lowered {
  explicit Lowered(const std::string& ebnf)
      : table(ParseEbnf(ebnf), &cache, nullptr), unit(table.Get(table.root())) {}

  const AnyOrderUnit& parts() const { return *unit.any_order; }
  MemberSet Seen(const std::vector<uint32_t>& members) {
    MemberSet seen;
    for (uint32_t part : members) {
      words.emplace_back();
      seen = parts().After(seen, part, &words.back());
    }
    return seen;
  }
  /// Numbers of the allowed parts.
  std::vector<uint32_t> Allowed(const std::vector<uint32_t>& members) {
    const std::vector<uint64_t> allowed = parts().Allowed(Seen(members));
    std::vector<uint32_t> numbers;
    for (uint32_t i = 0; i < allowed.size() * 64; ++i) {
      if (HasBitIn(allowed, i, i + 1)) numbers.push_back(i);
    }
    return numbers;
  }

  DfaCache cache;
  UnitTable table;
  const Unit& unit;
  std::deque<std::vector<uint64_t>> words;
};

using Numbers = std::vector<uint32_t>;

TEST(AnyOrderUnit, ABitRangeIsLookedAtAcrossWords) {
  const std::vector<uint64_t> words{uint64_t{1} << 63, 0, uint64_t{1} << 5};
  EXPECT_FALSE(HasBitIn(words, 0, 63));
  EXPECT_TRUE(HasBitIn(words, 0, 64));
  EXPECT_TRUE(HasBitIn(words, 63, 64));
  EXPECT_FALSE(HasBitIn(words, 64, 133));
  EXPECT_TRUE(HasBitIn(words, 64, 134));
  EXPECT_TRUE(HasBitIn(words, 133, 134));
  EXPECT_FALSE(HasBitIn(words, 134, 192));
  EXPECT_FALSE(HasBitIn(words, 5, 5));
}

TEST(AnyOrderUnit, PartsAreNumberedAlongTheTreeOfTheirLiterals) {
  Lowered lowered(
      "root ::= AnyOrder(\",\", \"b=\" x, x?, \"ab\", \"a\" x)\nx ::= \"(\" x \")\" | \"y\"");
  const AnyOrderUnit& parts = lowered.parts();
  ASSERT_EQ(lowered.unit.kind, Unit::Kind::kAnyOrder);
  EXPECT_EQ(parts.num_parts(), 4u);
  EXPECT_EQ(parts.num_states(), 6u);  // a, ab, b, b=, before, after
  EXPECT_EQ(parts.EndsAt(AnyOrderUnit::kBefore), (std::pair{0u, 1u}));
  EXPECT_FALSE(parts.part(0).required);
  const std::vector<uint64_t> all{0xF};
  const uint32_t a = parts.Next(AnyOrderUnit::kBefore, 'a', all);
  EXPECT_EQ(parts.EndsAt(AnyOrderUnit::StateOfNode(a)), (std::pair{1u, 2u}));
  const uint32_t ab = parts.Next(AnyOrderUnit::StateOfNode(a), 'b', all);
  EXPECT_EQ(parts.EndsAt(AnyOrderUnit::StateOfNode(ab)), (std::pair{2u, 3u}));
  EXPECT_EQ(parts.part(2).rest, AnyOrderUnit::kNoUnit);
  EXPECT_EQ(parts.Next(AnyOrderUnit::kBefore, 'x', all), AnyOrderUnit::kNoNode);
  // A node is closed when all parts at and below it are.
  EXPECT_EQ(parts.Next(AnyOrderUnit::kBefore, 'a', std::vector<uint64_t>{0x9}),
            AnyOrderUnit::kNoNode);
  EXPECT_EQ(parts.Next(AnyOrderUnit::kBefore, 'a', std::vector<uint64_t>{0x4}), a);
}

TEST(AnyOrderUnit, EachPartIsTakenAsOftenAsItsQuantifierSays) {
  Lowered lowered("root ::= AnyOrder(\",\", \"a\", \"b\"?, \"c\"*, \"d\"+)");
  EXPECT_EQ(lowered.Allowed({}), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(lowered.Allowed({0, 1, 2, 3}), (Numbers{2, 3}));
  EXPECT_FALSE(lowered.parts().MayEnd(lowered.Seen({0, 1, 2})));
  EXPECT_TRUE(lowered.parts().MayEnd(lowered.Seen({3, 0})));
  EXPECT_TRUE(lowered.parts().MayGoOn(lowered.Seen({0, 1, 2, 3})));
}

TEST(AnyOrderUnit, SetsAreEqualWhateverTheOrder) {
  Lowered lowered("root ::= AnyOrder(\",\", \"a\", \"b\"?, \"c\"*)");
  const MemberSet one = lowered.Seen({0, 1, 2, 2});
  const MemberSet other = lowered.Seen({2, 1, 0});
  EXPECT_EQ(one.count, other.count);
  EXPECT_TRUE(
      std::equal(one.words.begin(), one.words.end(), other.words.begin(), other.words.end()));
}

TEST(AnyOrderUnit, TheLastPlacesAreKeptForWhatMustCome) {
  Lowered lowered("root ::= AnyOrder{0,3}(\",\", \"a\", \"b\", \"c\"?, \"d\"*)");
  EXPECT_EQ(lowered.Allowed({}), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(lowered.Allowed({3}), (Numbers{0, 1}));
  EXPECT_EQ(lowered.Allowed({0}), (Numbers{1, 2, 3}));
  EXPECT_EQ(lowered.Allowed({0, 1}), (Numbers{2, 3}));
  EXPECT_EQ(lowered.Allowed({0, 1, 2}), (Numbers{}));
}

TEST(AnyOrderUnit, ASeparatorThatCannotBeWrittenLeavesRoomForOneMember) {
  Lowered lowered(
      "root ::= AnyOrder(none, \"a\"?, \"b\"?)\nnone ::= [^\\x00-\\U0010FFFF] \"x\" | none");
  EXPECT_EQ(lowered.Allowed({}), (Numbers{0, 1}));
  EXPECT_FALSE(lowered.parts().MayGoOn(lowered.Seen({0})));
}

TEST(AnyOrderUnit, CountsFarFromTheirBoundsAreOneForMasks) {
  Lowered lowered("root ::= AnyOrder{100,200}(\",\", \"a\", \"b\"*)");
  const auto mask_count = [&](uint32_t count) {
    MemberSet seen;
    seen.count = count;
    return lowered.parts().MaskCount(seen, 10);
  };
  EXPECT_EQ(mask_count(0), 0u);
  EXPECT_EQ(mask_count(1), 1u);
  EXPECT_EQ(mask_count(88), 1u);
  EXPECT_EQ(mask_count(89), 89u);
  EXPECT_EQ(mask_count(99), 99u);
  EXPECT_EQ(mask_count(100), 100u);
  EXPECT_EQ(mask_count(187), 100u);
  EXPECT_EQ(mask_count(188), 188u);
}

}  // namespace
}  // namespace xgrammar
