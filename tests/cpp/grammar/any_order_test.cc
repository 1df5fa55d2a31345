// Parts in any order as an expression: quantifiers that say how often a part is there, trivial ones
// that are no expression at all, equal ones that are one, and when a choice of members exists.
//
// Too many parts are refused. Their automaton is tests/cpp/lowering/any_order_unit_test.cc, their
// languages tests/cpp/parser and tests/property/test_any_order.py.
#include "grammar/any_order.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "grammar/builder.h"
#include "grammar/printer.h"
#include "support/error.h"

namespace xgrammar {
namespace {

class AnyOrderTest : public testing::Test {
 protected:
  ExprId Text(const char* text) { return builder_.AddByteString(text); }
  ExprId Add(std::vector<ExprId> parts, int64_t min = 0, int64_t max = kUnbounded) {
    return builder_.AddAnyOrder(Text(","), parts, min, max);
  }
  bool Holds(ExprId expr, const std::set<ExprId>& known) {
    return AnyOrderHolds(builder_.view(), expr,
                         [&](ExprId e) { return known.find(e) != known.end(); });
  }

  GrammarBuilder builder_;
};

TEST_F(AnyOrderTest, QuantifiersSayHowOftenAPartIsThere) {
  const ExprId a = Text("a");
  const auto read = [&](ExprId part) { return ReadAnyOrderPart(builder_.view(), part); };
  for (const bool required : {false, true}) {
    for (const bool once : {false, true}) {
      const AnyOrderPart part =
          read(builder_.AddRepeat(a, required ? 1 : 0, once ? 1 : kUnbounded));
      EXPECT_EQ(part.member, a);
      EXPECT_EQ(part.required, required);
      EXPECT_EQ(part.once, once);
    }
  }
  // Other repetitions are members like any other text.
  const ExprId two = builder_.AddRepeat(a, 0, 2);
  EXPECT_EQ(read(two).member, two);
  EXPECT_TRUE(read(two).required);
}

TEST_F(AnyOrderTest, EqualOnesAreOneExpressionAndTrivialOnesAreNone) {
  const ExprId a = Text("a");
  const ExprId b = Text("b");
  EXPECT_EQ(Add({a, b}), Add({a, b}));
  EXPECT_NE(Add({a, b}), Add({b, a}));
  EXPECT_NE(Add({a, b}), Add({a, b}, 1));
  EXPECT_NE(Add({a, b}), builder_.AddAnyOrder(Text(";"), std::vector<ExprId>{a, b}, 0, kUnbounded));
  EXPECT_EQ(Add({a, builder_.AddEmpty(), b}), Add({a, b}));
  EXPECT_EQ(Add({}), builder_.AddEmpty());
  EXPECT_EQ(Add({}, 1), builder_.AddNothing());
  EXPECT_EQ(Add({a, builder_.AddNothing()}), builder_.AddNothing());
  EXPECT_EQ(Add({a, builder_.AddStar(builder_.AddNothing())}), Add({a}));
}

TEST_F(AnyOrderTest, TooManyPartsAreRefused) {
  std::vector<ExprId> parts;
  for (size_t i = 0; i < kMaxAnyOrderParts; ++i) parts.push_back(Text(std::to_string(i).c_str()));
  EXPECT_EQ(builder_.view().children(Add(parts)).size(), kMaxAnyOrderParts + 1);
  parts.push_back(Text("x"));
  try {
    Add(parts);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_EQ(error.feature(), "any_order");
  }
}

TEST_F(AnyOrderTest, HoldsIfEnoughMembersHold) {
  const ExprId comma = Text(",");
  const ExprId a = Text("a");
  const ExprId b = Text("b");
  const ExprId c = Text("c");
  const ExprId optional_b = builder_.AddOptional(b);
  const ExprId many_c = builder_.AddStar(c);
  EXPECT_TRUE(Holds(Add({optional_b, many_c}), {}));
  EXPECT_FALSE(Holds(Add({optional_b, many_c}, 1), {}));
  EXPECT_TRUE(Holds(Add({optional_b, many_c}, 1), {b}));
  EXPECT_FALSE(Holds(Add({optional_b, many_c}, 2), {b, comma}));
  EXPECT_TRUE(Holds(Add({optional_b, many_c}, 2), {c, comma}));
  EXPECT_FALSE(Holds(Add({optional_b, many_c}, 2), {c}));
  EXPECT_FALSE(Holds(Add({a, optional_b}), {b, comma}));
  EXPECT_TRUE(Holds(Add({a, optional_b}), {a}));
  EXPECT_FALSE(Holds(Add({a, b}, 0, 1), {a, b, comma}));
  EXPECT_TRUE(Holds(Add({a, builder_.AddPlus(b)}, 5), {a, b, comma}));
}

}  // namespace
}  // namespace xgrammar
