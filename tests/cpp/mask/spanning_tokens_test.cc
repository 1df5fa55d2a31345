// SpanningTokens: which texts may end an item and separate it from the next, read from within a
// string and from outside.
//
// What is refused in the end is tests/property/test_distinct.py.
#include "mask/spanning_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "mask/mask_fixtures.h"

namespace xgrammar {
namespace {

TEST(SpanningTokens, KindsFollowTheText) {
  // Ids:                              0     1      2       3        4       5    6      7
  const std::vector<std::string> texts{",", "\",", "\",\"", ",\"a\"", "a, b", " ", "[1,", "\\\",",
                                       // 8    9
                                       "1", "</s>"};
  const SpanningTokens spanning(*MakeTokenizer(texts, {9}, {}));
  const auto sorted = [](std::vector<int32_t> ids) {
    std::sort(ids.begin(), ids.end());
    return ids;
  };
  EXPECT_EQ(sorted(spanning.outside.ending), (std::vector<int32_t>{0, 5}));
  EXPECT_EQ(sorted(spanning.outside.to_strings), (std::vector<int32_t>{}));
  EXPECT_EQ(sorted(spanning.outside.other), (std::vector<int32_t>{3, 4, 6}));
  EXPECT_EQ(sorted(spanning.in_string.ending), (std::vector<int32_t>{1}));
  EXPECT_EQ(sorted(spanning.in_string.to_strings), (std::vector<int32_t>{2}));
  EXPECT_EQ(sorted(spanning.in_string.other), (std::vector<int32_t>{}));
  EXPECT_EQ(sorted(spanning.opening), (std::vector<int32_t>{6}));
}

}  // namespace
}  // namespace xgrammar
