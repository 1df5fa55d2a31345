// LengthMeter: which bytes a bound leaves beside an automaton, in code points and in characters of
// strings with escapes of two or four digits, where an escape counts once.
//
// No text is begun that cannot end in time, or not late enough, and bounds that no text meets are
// an error where the rule is reached. Masks under such bounds are
// tests/cpp/mask/random_masks_test.cc.
#include "lowering/length_meter.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "frontend/ebnf/parser.h"
#include "lowering/unit_table.h"
#include "support/error.h"

namespace xgrammar {
namespace {

using Characters = LengthMeter::Characters;

class Lexeme {
 public:
  explicit Lexeme(std::string_view body)
      : grammar_(ParseEbnf("root ::= " + std::string(body))), table_(grammar_, &cache_, nullptr) {}
  const ByteDfa& dfa() { return *table_.Get(table_.root()).dfa; }

 private:
  GrammarPtr grammar_;
  DfaCache cache_;
  UnitTable table_;
};

/// Whether a text can be read within the bound, and is then complete.
bool Reads(const ByteDfa& dfa, const LengthMeter& meter, std::string_view text) {
  uint32_t state = 0;
  uint32_t count = 0;
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    const uint32_t target = dfa.Next(state, byte);
    if (target == ByteDfa::kDead) return false;
    EXPECT_EQ(meter.FirstBytes(dfa, state, count).Contains(byte), [&] {
      uint32_t copy = count;
      return meter.Read(target, byte, &copy);
    }());
    if (!meter.Read(target, byte, &count)) return false;
    state = target;
  }
  return dfa.IsAccept(state);
}

TEST(LengthMeter, NoTextIsBegunThatCannotEndInTime) {
  Lexeme lexeme("(\"abc\" | \"x\")*");
  const LengthMeter meter(lexeme.dfa(), Characters::kCodePoints, 0, 4);
  EXPECT_TRUE(Reads(lexeme.dfa(), meter, "xabc"));
  EXPECT_TRUE(Reads(lexeme.dfa(), meter, "abcx"));
  EXPECT_FALSE(Reads(lexeme.dfa(), meter, "xxabc"));
  uint32_t count = 0;
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(meter.Read(lexeme.dfa().Next(0, 'x'), 'x', &count));
  EXPECT_FALSE(meter.FirstBytes(lexeme.dfa(), 0, count).Contains('a')) << "abc would be too long";
  EXPECT_TRUE(meter.FirstBytes(lexeme.dfa(), 0, count).Contains('x'));
}

TEST(LengthMeter, CodePointsAreCountedOnce) {
  Lexeme lexeme("[a\xC3\xA9\xE2\x82\xAC]*");
  const LengthMeter meter(lexeme.dfa(), Characters::kCodePoints, 0, 2);
  EXPECT_TRUE(Reads(lexeme.dfa(), meter, "\xE2\x82\xAC\xC3\xA9"));
  EXPECT_FALSE(Reads(lexeme.dfa(), meter,
                     "a\xC3\xA9"
                     "a"));
}

TEST(LengthMeter, EscapesAreCountedOnce) {
  Lexeme lexeme(R"(([a-z0-9] | "\\" (["\\nt] | "u00" [01] [0-9a-f]))*)");
  const LengthMeter meter(lexeme.dfa(), Characters::kEscaped, 0, 3);
  EXPECT_TRUE(Reads(lexeme.dfa(), meter, R"(\u001f\\\n)"));
  EXPECT_TRUE(Reads(lexeme.dfa(), meter, R"(u\"1)"));
  EXPECT_FALSE(Reads(lexeme.dfa(), meter, R"(u001)"));
  EXPECT_FALSE(Reads(lexeme.dfa(), meter, R"(\n\n\n\n)"));
  EXPECT_FALSE(meter.IsFar(0, 4));
  EXPECT_TRUE(meter.IsFar(0, 2));
}

TEST(LengthMeter, EscapesWithTwoDigits) {
  Lexeme lexeme(R"(([a-z0-9] | "\\" ("x" [0-9a-f] [0-9a-f] | "t"))*)");
  const LengthMeter meter(lexeme.dfa(), Characters::kEscaped, 0, 2);
  EXPECT_TRUE(Reads(lexeme.dfa(), meter, R"(\x1f\x00)"));
  EXPECT_TRUE(Reads(lexeme.dfa(), meter, R"(\t1)"));
  EXPECT_FALSE(Reads(lexeme.dfa(), meter, R"(\x1f00)"));
}

TEST(LengthMeter, NoTextIsBegunThatIsTooShort) {
  // After the b only one more character can follow.
  Lexeme lexeme("\"a\"* (\"b\" \"c\"?)?");
  for (const int64_t max : {LengthMeter::kNoMax, int64_t{5}}) {
    const LengthMeter meter(lexeme.dfa(), Characters::kCodePoints, 4, max);
    for (const char* text : {"aaaa", "aaab", "aabc"}) EXPECT_TRUE(Reads(lexeme.dfa(), meter, text));
    EXPECT_EQ(Reads(lexeme.dfa(), meter, "aaaabc"), max == LengthMeter::kNoMax);
    EXPECT_FALSE(Reads(lexeme.dfa(), meter, "ab"));
    uint32_t count = 0;
    EXPECT_FALSE(meter.FirstBytes(lexeme.dfa(), 0, count).Contains('b'));
    EXPECT_FALSE(meter.MayEnd(count));
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(meter.Read(lexeme.dfa().Next(0, 'a'), 'a', &count));
    EXPECT_TRUE(meter.MayEnd(count));
  }
}

TEST(LengthMeter, RoomUntilTheEnd) {
  // Until the x is read it is needed; afterwards a text may end anywhere.
  Lexeme lexeme("\"a\"* \"x\" \"a\"*");
  const ByteDfa& dfa = lexeme.dfa();
  const LengthMeter meter(dfa, Characters::kCodePoints, 2, 5);
  uint32_t count = 0;
  ASSERT_TRUE(meter.RoomAt(0, count));
  EXPECT_EQ(meter.RoomAt(0, count)->left, 5u);
  EXPECT_EQ(meter.RoomAt(0, count)->needed, 1u);
  const uint32_t after = dfa.Next(0, 'x');
  ASSERT_TRUE(meter.Read(after, 'x', &count));
  ASSERT_TRUE(meter.RoomAt(after, count));
  EXPECT_EQ(meter.RoomAt(after, count)->left, 4u);
  EXPECT_EQ(meter.RoomAt(after, count)->needed, 0u);
  EXPECT_FALSE(LengthMeter(dfa, Characters::kCodePoints, 0, LengthMeter::kNoMax).RoomAt(0, 0));

  // The lower bound forbids to read the b at first, whatever room there is.
  Lexeme ending("\"a\"* (\"b\" \"c\"?)?");
  const LengthMeter least(ending.dfa(), Characters::kCodePoints, 4, 6);
  EXPECT_FALSE(least.RoomAt(0, 0));
  EXPECT_TRUE(least.RoomAt(0, 4));

  Lexeme escapes(R"(([a-z0-9] | "\\" "u00" [01] [0-9a-f])*)");
  const LengthMeter escaped(escapes.dfa(), Characters::kEscaped, 0, 3);
  count = 0;
  ASSERT_TRUE(escaped.Read(escapes.dfa().Next(0, '\\'), '\\', &count));
  EXPECT_FALSE(escaped.RoomAt(escapes.dfa().Next(0, '\\'), count)) << "within an escape";
}

TEST(LengthMeter, LengthsThatNoTextHas) {
  Lexeme lexeme("(\"abc\" | \"defghi\")*");
  EXPECT_FALSE(LengthMeter(lexeme.dfa(), Characters::kCodePoints, 100, 101).HasText());
  EXPECT_TRUE(LengthMeter(lexeme.dfa(), Characters::kCodePoints, 100, 102).HasText());
  EXPECT_FALSE(LengthMeter(lexeme.dfa(), Characters::kCodePoints, 102, 101).HasText());
}

TEST(LengthMeter, CountsThatAreAlike) {
  Lexeme lexeme("([a-z]+ \" \")* [a-z]+");
  const LengthMeter meter(lexeme.dfa(), Characters::kCodePoints, 100, 200);
  EXPECT_TRUE(meter.IsShort(0, 8));
  EXPECT_EQ(meter.NormalCount(50, 8), 0u);
  EXPECT_EQ(meter.NormalCount(95, 8), 95u);
  EXPECT_EQ(meter.NormalCount(150, 8), 100u);
  EXPECT_EQ(meter.NormalCount(195, 8), 195u);
  EXPECT_TRUE(meter.TakesAllInside(95, 8));
  EXPECT_FALSE(meter.TakesAllInside(195, 8));
  // Without an upper bound the count stays at the lower one.
  const LengthMeter open(lexeme.dfa(), Characters::kCodePoints, 2, LengthMeter::kNoMax);
  uint32_t count = 0;
  uint32_t state = 0;
  for (int i = 0; i < 5; ++i) {
    state = lexeme.dfa().Next(state, 'a');
    ASSERT_TRUE(open.Read(state, 'a', &count));
  }
  EXPECT_EQ(count, 2u);
}

TEST(LengthMeter, BoundsThatLeaveNoText) {
  EXPECT_FALSE(LengthMeter(Lexeme("\"abc\"").dfa(), Characters::kCodePoints, 0, 2).HasText());
  for (const char* bound : {"max_length=2", "min_length=4", "min_length=3, max_length=2",
                            "max_length=3", "min_escaped_length=4", "min_length=3"}) {
    GrammarPtr grammar = ParseEbnf("root ::= text\ntext[" + std::string(bound) + "] ::= \"abc\"");
    DfaCache cache;
    UnitTable table(grammar, &cache, nullptr);
    const bool expected = std::string(bound).find("=3") + 2 == std::string(bound).size();
    EXPECT_EQ(table.LeavesText(1), expected) << bound;
  }
}

}  // namespace
}  // namespace xgrammar
