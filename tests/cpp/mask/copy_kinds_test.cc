// CopyKinds: which kinds of bytes are whole copies, on classes written by hand.
//
// What masks make of it is compared with the definition in local_mask_builder_test.cc.
#include "mask/copy_kinds.h"

#include <gtest/gtest.h>

#include <string>

#include "mask/mask_fixtures.h"
#include "tokenizer/byte_kind.h"

namespace xgrammar {
namespace {

uint16_t KindsOf(const std::string& copy) {
  const ByteDfaPtr dfa = FoldedDfa("root ::= " + copy);
  EXPECT_TRUE(dfa != nullptr && dfa->is_prefix_free()) << copy;
  return KindsOfCopies(*dfa);
}

constexpr uint16_t kLetters = KindBit('a') | KindBit('A');
constexpr uint16_t kAll = static_cast<uint16_t>(~kIllFormedBelow);

TEST(CopyKinds, AsciiKindsAreWholeOrNot) {
  EXPECT_EQ(KindsOf("[a-zA-Z]"), kLetters);
  EXPECT_EQ(KindsOf("[a-zA-Y]"), KindBit('a')) << "not all of a kind";
  EXPECT_EQ(KindsOf("[a-z_]"), KindBit('a')) << "a hyphen is of the kind of the underscore";
  EXPECT_EQ(KindsOf("[a-z] [0-9]"), 0) << "a copy of two characters";
  EXPECT_EQ(KindsOf("[a-z] | [0-9] \"!\""), KindBit('a'));
}

TEST(CopyKinds, OtherCharactersByTheirFirstByte) {
  EXPECT_EQ(KindsOf("[\\x00-\\U0010ffff]"), kAll);
  EXPECT_EQ(KindsOf(R"([^"\\\x00-\x1f] | "\\" ["\\nrt])"),
            static_cast<uint16_t>(kAll & ~(KindBit('"') | KindBit('\\') | KindBit('\n'))));
  const uint16_t mixed = KindBit(0xE2);
  ASSERT_NE(mixed, KindBit(0xE4));
  EXPECT_EQ(KindsOf("[^\\u2028]"), static_cast<uint16_t>(kAll & ~mixed));
  EXPECT_EQ(KindsOf("[a-z\\u4e00]"), KindBit('a')) << "one of many with its first byte";
  EXPECT_EQ(KindsOf("[^\\u4e00\\u2028]") & kNonAsciiKinds, KindBit(0xF0)) << "above U+FFFF";
}

}  // namespace
}  // namespace xgrammar
