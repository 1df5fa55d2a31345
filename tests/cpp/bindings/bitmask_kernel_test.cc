// The bitmask kernel with every set of vector instructions that this processor has, against the
// definition, with guards on both sides of the row: any width up to four words and a bit, any
// alignment, strides of both signs, elements of every size.
//
// Knows nothing of Python: checks of arrays and the choice of rows are tests/python/test_bitmask.py
// and test_kernels.py. Instructions that the machine lacks are not run.
#include "bindings/bitmask_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace xgrammar::bindings {
namespace {

constexpr int64_t kGuard = 40;

std::vector<VectorSet> SupportedSets() {
  std::vector<VectorSet> sets = {VectorSet::kPortable};
  if (BestVectorSet() >= VectorSet::kAvx2) sets.push_back(VectorSet::kAvx2);
  if (BestVectorSet() >= VectorSet::kAvx512) sets.push_back(VectorSet::kAvx512);
  return sets;
}

// Whole words as they come in practice, and mixed ones.
std::vector<int32_t> RandomWords(size_t num_words, std::mt19937& random) {
  std::vector<int32_t> words(num_words);
  for (int32_t& word : words) {
    const uint32_t kind = static_cast<uint32_t>(random()) % 3;
    word = kind == 0 ? 0 : kind == 1 ? -1 : static_cast<int32_t>(random());
  }
  return words;
}

template <typename Element>
class BitmaskKernel : public testing::Test {
 protected:
  static constexpr Element kMasked = static_cast<Element>(0xFF80FF80FF80FF80);

  // Masks a row that begins `offset` elements behind an aligned place and compares all around it.
  void Check(int64_t width, int64_t offset, int64_t logits_stride, int64_t bitmask_stride) {
    const size_t num_words = static_cast<size_t>((width + 31) / 32 * bitmask_stride + 1);
    const std::vector<int32_t> words = RandomWords(num_words, random_);
    std::vector<Element> before(static_cast<size_t>(width * logits_stride + 2 * kGuard));
    for (Element& element : before) element = static_cast<Element>(random_());
    std::vector<Element> expected = before;
    const int64_t first = kGuard + offset;
    for (int64_t i = 0; i < width; ++i) {
      const uint32_t word =
          static_cast<uint32_t>(words[static_cast<size_t>(i / 32 * bitmask_stride)]);
      if ((word >> (i % 32) & 1u) != 0) continue;
      expected[static_cast<size_t>(first + i * logits_stride)] = kMasked;
    }
    for (VectorSet vectors : SupportedSets()) {
      std::vector<Element> logits = before;
      const BitmaskRow<Element> row{logits.data() + first, logits_stride, words.data(),
                                    bitmask_stride};
      ApplyBitmaskToRow(row, width, kMasked, vectors);
      EXPECT_EQ(logits, expected) << "set " << static_cast<int>(vectors) << ", width " << width
                                  << ", offset " << offset << ", strides " << logits_stride << " "
                                  << bitmask_stride;
    }
  }

  std::mt19937 random_{7};
};

using Elements = testing::Types<uint16_t, uint32_t, uint64_t>;
TYPED_TEST_SUITE(BitmaskKernel, Elements);

TYPED_TEST(BitmaskKernel, AnyWidthAndAlignment) {
  for (int64_t width = 0; width <= 130; ++width) {
    for (int64_t offset = 0; offset < 8; ++offset) this->Check(width, offset, 1, 1);
  }
}

TYPED_TEST(BitmaskKernel, LongRows) {
  for (int64_t width : {4096, 4099, 131072}) this->Check(width, 1, 1, 1);
}

TYPED_TEST(BitmaskKernel, Strides) {
  for (int64_t width : {1, 31, 32, 33, 100}) {
    this->Check(width, 0, 2, 1);
    this->Check(width, 0, 1, 3);
    this->Check(width, 3, 5, 2);
  }
}

TYPED_TEST(BitmaskKernel, NegativeStrides) {
  std::vector<TypeParam> logits(64, 1);
  const int32_t words[] = {-1, 0};  // Read backwards: the first 32 columns are blocked.
  const BitmaskRow<TypeParam> row{logits.data() + 63, -1, words + 1, -1};
  ApplyBitmaskToRow(row, 64, TypeParam{9}, BestVectorSet());
  EXPECT_EQ(std::count(logits.begin(), logits.begin() + 32, TypeParam{1}), 32);
  EXPECT_EQ(std::count(logits.begin() + 32, logits.end(), TypeParam{9}), 32);
}

}  // namespace
}  // namespace xgrammar::bindings
