// DecodeToken and KindOfVocabulary: raw spellings are unchanged, byte fallback reads its one-byte
// spellings and marks spaces, the byte-level table is a bijection, and the kind is told from the
// spellings.
//
// Spellings are known and generated ones; tokens of real tokenizers are decoded in
// tests/python/test_huggingface.py.
#include "tokenizer/vocab.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "support/utf8.h"

namespace xgrammar {
namespace {

TEST(DecodeToken, RawIsUnchanged) {
  EXPECT_EQ(DecodeToken("\xE2\x96\x81"
                        "a<0x0A>\xFF",
                        VocabType::kRaw),
            "\xE2\x96\x81"
            "a<0x0A>\xFF");
}

TEST(DecodeToken, ByteFallbackReadsOneByteSpellings) {
  EXPECT_EQ(DecodeToken("<0x0A>", VocabType::kByteFallback), "\n");
  EXPECT_EQ(DecodeToken("<0xfF>", VocabType::kByteFallback), "\xFF");
  EXPECT_EQ(DecodeToken("<0x00>", VocabType::kByteFallback), std::string(1, '\0'));
  for (const char* text : {"<0x0A>b", "<0x0>", "<0xGG>", "<0X0A>", "0x0A", "<0x0A", "<0x+1>"}) {
    EXPECT_EQ(DecodeToken(text, VocabType::kByteFallback), text);
  }
}

TEST(DecodeToken, ByteFallbackMarksSpaces) {
  EXPECT_EQ(DecodeToken("\xE2\x96\x81\xE2\x96\x81"
                        "a\xE2\x96\x81",
                        VocabType::kByteFallback),
            "  a ");
  EXPECT_EQ(DecodeToken("\xFF", VocabType::kByteFallback), "\xFF");
  EXPECT_EQ(DecodeToken("\xE2\x96", VocabType::kByteFallback), "\xE2\x96");
}

TEST(DecodeToken, ByteLevelTableIsABijection) {
  std::string all;
  for (uint32_t c = 0; c < 0x144; ++c) {
    std::string text;
    AppendUtf8(c, &text);
    const std::string decoded = DecodeToken(text, VocabType::kByteLevel);
    if (decoded.size() == 1 && (c >= 0x80 || decoded == text)) {
      if (c < 0x80 && !(c >= 0x21 && c <= 0x7E)) continue;  // A control keeps its own text.
      all += decoded;
    }
  }
  EXPECT_EQ(all.size(), 256u);
  std::sort(all.begin(), all.end(), [](char a, char b) {
    return static_cast<unsigned char>(a) < static_cast<unsigned char>(b);
  });
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(static_cast<unsigned char>(all[i]), i);
}

TEST(DecodeToken, ByteLevelKnownCharacters) {
  EXPECT_EQ(DecodeToken("\xC4\xA0"
                        "a",
                        VocabType::kByteLevel),
            " a");                                                    // U+0120
  EXPECT_EQ(DecodeToken("\xC4\x8A", VocabType::kByteLevel), "\n");    // U+010A
  EXPECT_EQ(DecodeToken("\xC5\x83", VocabType::kByteLevel), "\xAD");  // U+0143, the last one
  EXPECT_EQ(DecodeToken("\xC3\xA9", VocabType::kByteLevel), "\xE9");
}

TEST(DecodeToken, ByteLevelKeepsOtherSpellingsWhole) {
  const std::string marker =
      "<\xEF\xBD\x9C"
      "end\xE2\x96\x81of\xEF\xBD\x9C>";
  EXPECT_EQ(DecodeToken(marker, VocabType::kByteLevel), marker);
  EXPECT_EQ(DecodeToken("\xC4\xA0 a", VocabType::kByteLevel), "\xC4\xA0 a");  // A plain space.
  EXPECT_EQ(DecodeToken("\xC5\x84", VocabType::kByteLevel), "\xC5\x84");      // U+0144
  EXPECT_EQ(DecodeToken("\xFF\xC4\xA0", VocabType::kByteLevel), "\xFF\xC4\xA0");
  EXPECT_EQ(DecodeToken("", VocabType::kByteLevel), "");
}

TEST(DecodeToken, ByteLevelTakesLongSpellings) {
  std::string spelling;
  std::string bytes;
  for (int i = 0; i < 100; ++i) {
    spelling += "a\xC4\xA0";
    bytes += "a ";
    EXPECT_EQ(DecodeToken(spelling, VocabType::kByteLevel), bytes);
    EXPECT_EQ(DecodeToken(spelling + "\xC4", VocabType::kByteLevel), spelling + "\xC4");
  }
}

std::optional<VocabType> KindOf(const std::vector<std::string>& spellings) {
  return KindOfVocabulary(std::vector<std::string_view>(spellings.begin(), spellings.end()));
}

TEST(KindOfVocabulary, HalfOfTheByteTokensAreByteFallback) {
  std::vector<std::string> spellings = {"a", ""};
  for (int i = 0; i < 127; ++i) {
    char text[8];
    std::snprintf(text, sizeof(text), "<0x%02X>", i);
    spellings.emplace_back(text);
  }
  spellings.emplace_back(spellings.back());  // The same byte again.
  EXPECT_EQ(KindOf(spellings), std::nullopt);
  spellings.emplace_back("<0xab>");  // Lower case is no byte token of SentencePiece.
  EXPECT_EQ(KindOf(spellings), std::nullopt);
  spellings.emplace_back("<0xAB>");
  EXPECT_EQ(KindOf(spellings), VocabType::kByteFallback);
}

TEST(KindOfVocabulary, TheAlphabetAndFewOthersAreByteLevel) {
  std::vector<std::string> spellings(50);
  for (uint32_t c = 0x21; c < 0x144 && spellings.size() < 50 + 127; ++c) {
    std::string text;
    AppendUtf8(c, &text);
    if (c != 0x7F && DecodeToken(text, VocabType::kByteLevel).size() == 1) {
      spellings.push_back(text);  // DEL is no character of the table, and stands for itself.
    }
  }
  EXPECT_EQ(KindOf(spellings), std::nullopt);
  spellings.emplace_back("\xC4\xA0");
  EXPECT_EQ(KindOf(spellings), VocabType::kByteLevel);
  spellings.emplace_back("<\xEF\xBD\x9C>");  // One in 129 tokens.
  EXPECT_EQ(KindOf(spellings), VocabType::kByteLevel);
  spellings.emplace_back("a b");  // Two in 130.
  EXPECT_EQ(KindOf(spellings), std::nullopt);
  spellings.resize(spellings.size() + 1000);  // Ids without a token say nothing.
  EXPECT_EQ(KindOf(spellings), std::nullopt);
}

}  // namespace
}  // namespace xgrammar
