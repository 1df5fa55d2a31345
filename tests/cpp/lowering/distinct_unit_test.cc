// DistinctUnit: items by their place, bounds on their number, counts that are one for masks, and
// separators that always have a comma.
//
// Which items are equal is tests/cpp/parser/value_prefix_test.cc; whole languages are
// tests/property/test_distinct.py.
#include "lowering/distinct_unit.h"

#include <gtest/gtest.h>

#include <string>

#include "frontend/ebnf/parser.h"
#include "lowering/unit_table.h"
#include "support/error.h"

namespace xgrammar {
namespace {

/// The automaton of a start rule.
struct Lowered {
  explicit Lowered(const std::string& ebnf)
      : table(ParseEbnf(ebnf), &cache, nullptr), unit(table.Get(table.root())) {}

  DfaCache cache;
  UnitTable table;
  const Unit& unit;
};

TEST(DistinctUnit, FirstItemsHaveTheirOwnUnits) {
  const Lowered lowered(R"(root ::= Distinct{1,3}(",", "a", "b", "c"))");
  ASSERT_EQ(lowered.unit.kind, Unit::Kind::kDistinct);
  const DistinctUnit& unit = *lowered.unit.distinct;
  EXPECT_NE(unit.ItemAt(0), unit.ItemAt(1));
  EXPECT_NE(unit.ItemAt(1), unit.ItemAt(2));
  EXPECT_EQ(unit.ItemAt(2), unit.ItemAt(7));
  EXPECT_FALSE(unit.MayEndAt(0));
  EXPECT_TRUE(unit.MayEndAt(1));
  EXPECT_TRUE(unit.MayGoOnAt(2));
  EXPECT_FALSE(unit.MayGoOnAt(3));
}

TEST(DistinctUnit, ItemsThatMatchNothingEndTheList) {
  const Lowered lowered("root ::= Distinct(\",\", none, \"b\")\nnone ::= [^\\x00-\\U0010FFFF]");
  const DistinctUnit& unit = *lowered.unit.distinct;
  EXPECT_TRUE(unit.MayGoOnAt(0));
  EXPECT_FALSE(unit.MayGoOnAt(1));
}

TEST(DistinctUnit, CountsFarFromBoundsAreOne) {
  const Lowered open(R"(root ::= Distinct{2,}(",", "a", "b"))");
  EXPECT_EQ(open.unit.distinct->MaskCount(100, 8), open.unit.distinct->MaskCount(3, 8));
  EXPECT_NE(open.unit.distinct->MaskCount(1, 8), open.unit.distinct->MaskCount(3, 8));
  const Lowered closed(R"(root ::= Distinct{0,50}(",", "a"))");
  EXPECT_EQ(closed.unit.distinct->MaskCount(10, 8), closed.unit.distinct->MaskCount(20, 8));
  EXPECT_NE(closed.unit.distinct->MaskCount(45, 8), closed.unit.distinct->MaskCount(20, 8));
}

TEST(DistinctUnit, SeenIsKeptInAWord) {
  const DistinctSeen seen{7, 3, 9};
  const uint64_t word = seen.Word();
  const DistinctSeen read = DistinctSeen::Of({7, std::span(&word, 1)});
  EXPECT_EQ(read.count, 7u);
  EXPECT_EQ(read.values, 3u);
  EXPECT_EQ(read.begin, 9u);
}

TEST(DistinctUnit, SeparatorsHaveAComma) {
  for (const char* separator : {R"(",")", R"(" , ")", R"((" "* "," " "*))", R"(("," | ", "))"}) {
    EXPECT_NO_THROW(Lowered("root ::= Distinct(" + std::string(separator) + ", \"a\")"));
  }
  for (const char* separator : {R"(";")", R"(","?)", R"(("," | ";"))", R"("\",")"}) {
    EXPECT_THROW(Lowered("root ::= Distinct(" + std::string(separator) + ", \"a\")"), Error);
  }
}

}  // namespace
}  // namespace xgrammar
