// TokenMask: the union of shared local masks, dense or sparse, single ids and words, in any order
// and whatever the row held before; it counts only bytes of its own.
//
// Parts are made by hand. Which parts a parser set needs is mask_table_test.cc.
#include "mask/token_mask.h"

#include <gtest/gtest.h>

#include "mask/local_mask_builder.h"
#include "mask/mask_fixtures.h"

namespace xgrammar {
namespace {

class TokenMaskTest : public testing::Test {
 protected:
  static std::vector<std::string> Vocabulary() {
    std::vector<std::string> vocab;
    for (char c = 'a'; c <= 'z'; ++c) vocab.emplace_back(1, c);
    for (char c = 'a'; c <= 'z'; ++c) vocab.push_back(std::string("0") + c);
    return vocab;
  }
  std::shared_ptr<const LocalMask> Local(const std::string& ebnf) {
    return LocalMaskBuilder(*tokenizer_).BuildWhole(*FoldedDfa(ebnf), 0, false);
  }
  std::set<int32_t> Write(const TokenMask& mask) {
    std::set<int32_t> bits;
    for (uint32_t fill : {0u, 0xFFFFFFFFu, 0xA5A5A5A5u}) {
      std::vector<uint32_t> row = MakeRow(*tokenizer_, fill);
      mask.WriteTo(row);
      if (fill == 0) {
        bits = BitsOf(row);
      } else {
        EXPECT_EQ(BitsOf(row), bits) << "what the row held must not matter";
      }
    }
    return bits;
  }

  const TokenizerInfoPtr tokenizer_ = MakeTokenizer(Vocabulary());
};

TEST_F(TokenMaskTest, EmptyClearsTheRow) { EXPECT_TRUE(Write(TokenMask({}, {}, {})).empty()); }

TEST_F(TokenMaskTest, IdsAndWordsUnite) {
  EXPECT_EQ(Write(TokenMask({}, {51, 3}, {})), (std::set<int32_t>{3, 51}));
  EXPECT_EQ(Write(TokenMask({}, {3}, {0x5u, 0x1u})), (std::set<int32_t>{0, 2, 3, 32}));
}

TEST_F(TokenMaskTest, DenseAndSparsePartsUniteInAnyOrder) {
  const auto dense = Local("root ::= [a-y]*");
  const auto sparse = Local("root ::= \"0z\"");
  ASSERT_TRUE(dense->is_dense());
  ASSERT_FALSE(sparse->is_dense());
  std::set<int32_t> expected;
  for (int32_t id = 0; id < 25; ++id) expected.insert(id);
  expected.insert(51);
  EXPECT_EQ(Write(TokenMask({{dense}, {sparse}}, {}, {})), expected);
  EXPECT_EQ(Write(TokenMask({{sparse}, {dense}}, {}, {})), expected);
  expected.insert(30);
  EXPECT_EQ(Write(TokenMask({{sparse}, {dense}}, {30}, {})), expected);
  expected.insert({32, 33});
  EXPECT_EQ(Write(TokenMask({{sparse}, {dense}}, {30}, {0u, 3u})), expected);
}

TEST_F(TokenMaskTest, CountsItsOwnBytesOnly) {
  const auto dense = Local("root ::= [a-y]*");
  const TokenMask mask({{dense}}, {1, 2, 3}, {});
  EXPECT_GE(mask.MemorySizeBytes(), static_cast<int64_t>(sizeof(TokenMask)));
  EXPECT_LT(mask.MemorySizeBytes(), 400);
}

}  // namespace
}  // namespace xgrammar
