// LengthOrder: every token on the right side of every length, against reading its bytes.
//
// With and without escapes, which count as one character.
#include "mask/length_order.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

#include "automata/escape_phase.h"
#include "mask/mask_fixtures.h"

namespace xgrammar {
namespace {

uint32_t Begun(const std::string& bytes, bool escapes) {
  uint32_t count = 0;
  uint32_t phase = 0;
  for (const char c : bytes) {
    const bool begins = (static_cast<uint8_t>(c) & 0xC0) != 0x80;
    count += phase == 0 && begins ? 1 : 0;
    if (escapes) phase = EscapePhaseAfter(phase, static_cast<uint8_t>(c));
  }
  return count;
}

void ExpectOrder(const TokenizerInfo& tokenizer, const LengthOrder& order) {
  const auto all = tokenizer.trie().all_tokens();
  for (uint32_t room = 0; room < 40; ++room) {
    std::set<int32_t> expected;
    for (int32_t token : all) {
      const std::string& bytes = tokenizer.decoded_vocab()[static_cast<size_t>(token)];
      if (Begun(bytes, order.escapes()) <= room) expected.insert(token);
    }
    const auto fitting = order.Fitting(room);
    const auto beyond = order.Beyond(room);
    EXPECT_EQ(std::set<int32_t>(fitting.begin(), fitting.end()), expected) << room;
    EXPECT_EQ(fitting.size() + beyond.size(), all.size());
    for (int32_t token : beyond) EXPECT_EQ(expected.count(token), 0u) << room;
  }
}

TEST(LengthOrder, TokensAreOnTheSideOfTheirLength) {
  std::mt19937 random(5);
  for (const size_t size : {size_t{1}, size_t{300}, size_t{2000}}) {
    std::vector<std::string> vocab = WideVocabulary(&random, size);
    for (const char* text : {"\\u00e9", "a\\n", "\\\\", "\xA9\xA9x", "\xff\xfe"})
      vocab.emplace_back(text);
    const auto tokenizer = MakeTokenizer(vocab);
    // Words are most of a vocabulary, or too few for a tree of the others.
    for (const uint32_t min_share : {1u, 8u}) {
      KindMasks kinds(*tokenizer, 32, min_share);
      for (const bool escapes : {false, true}) {
        const LengthOrder order(*tokenizer, &kinds, escapes);
        ExpectOrder(*tokenizer, order);
        EXPECT_GT(order.MemorySizeBytes(), 0);
      }
    }
  }
}

}  // namespace
}  // namespace xgrammar
