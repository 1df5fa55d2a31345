// UTF-8: decoding against the table of RFC 3629 written out as arithmetic, for all code points and
// for random and all short byte strings; encoding back; counts; prefixes that end between
// characters.
//
// Overlong forms, surrogates and values past U+10FFFF are refused. Automata over UTF-8 are
// tests/cpp/automata/utf8_class_test.cc.
#include "support/utf8.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace xgrammar {
namespace {

/// The code point of exactly these bytes, or -1; straight from the bit layout.
int64_t Reference(const std::string& bytes) {
  const auto at = [&](size_t i) {
    return static_cast<uint32_t>(static_cast<unsigned char>(bytes[i]));
  };
  const size_t n = bytes.size();
  uint32_t value = 0;
  if (n == 1 && at(0) < 0x80) return at(0);
  if (n == 2 && at(0) >> 5 == 6) {
    value = at(0) & 31;
  } else if (n == 3 && at(0) >> 4 == 14) {
    value = at(0) & 15;
  } else if (n == 4 && at(0) >> 3 == 30) {
    value = at(0) & 7;
  } else {
    return -1;
  }
  for (size_t i = 1; i < n; ++i) {
    if (at(i) >> 6 != 2) return -1;
    value = value << 6 | (at(i) & 63);
  }
  const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < least[n] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return -1;
  return value;
}

TEST(Utf8, EveryScalarValueSurvives) {
  for (uint32_t c = 0; c <= kMaxCodePoint; ++c) {
    if (c >= kSurrogateFirst && c <= kSurrogateLast) continue;
    std::string bytes;
    AppendUtf8(c, &bytes);
    ASSERT_EQ(Reference(bytes), c);
    const DecodedCodePoint d = DecodeUtf8(bytes, 0);
    ASSERT_TRUE(d.valid);
    ASSERT_EQ(d.code_point, c);
    ASSERT_EQ(d.size, bytes.size());
  }
}

TEST(Utf8, AgreesWithTheTableOnRandomBytes) {
  std::mt19937 random(7);
  const unsigned char interesting[] = {0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1,
                                       0xC2, 0xDF, 0xE0, 0xEC, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF};
  for (int round = 0; round < 200000; ++round) {
    std::string bytes(1 + random() % 4, '\0');
    for (char& c : bytes) c = static_cast<char>(interesting[random() % sizeof(interesting)]);
    bool prefix_valid = false;
    for (size_t n = 1; n <= bytes.size(); ++n) {
      if (Reference(bytes.substr(0, n)) < 0) continue;
      const DecodedCodePoint d = DecodeUtf8(bytes, 0);
      ASSERT_TRUE(d.valid && d.size == n);
      prefix_valid = true;
      break;
    }
    if (!prefix_valid) {
      const DecodedCodePoint d = DecodeUtf8(bytes, 0);
      ASSERT_FALSE(d.valid);
      ASSERT_EQ(d.size, 1);
      ASSERT_FALSE(IsValidUtf8(bytes));
    }
  }
}

TEST(Utf8, RefusesWhatRfc3629Refuses) {
  for (const char* bytes : {"\xED\xA0\x80", "\xED\xBF\xBF", "\xC0\x80", "\xE0\x80\x80",
                            "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\x80", "\xFF", "\xC3"}) {
    EXPECT_FALSE(IsValidUtf8(bytes));
  }
  EXPECT_TRUE(IsValidUtf8(""));
  EXPECT_TRUE(IsValidUtf8("\xF4\x8F\xBF\xBF"));
}

TEST(Utf8, CountsCodePoints) {
  EXPECT_EQ(CountCodePoints(""), 0);
  EXPECT_EQ(CountCodePoints("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"), 4);
}

TEST(Utf8, CompletePrefixEndsBetweenCharacters) {
  const std::string text = "a\xC3\xA9\xF0\x9F\x98\x80";
  const size_t expected[] = {0, 1, 1, 3, 3, 3, 3, 7};
  for (size_t n = 0; n <= text.size(); ++n) {
    EXPECT_EQ(CompletePrefixSize(std::string_view(text).substr(0, n)), expected[n]) << n;
  }
}

}  // namespace
}  // namespace xgrammar
