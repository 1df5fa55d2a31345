// The parser against a textbook recogniser (Earley, "An efficient context-free parsing algorithm",
// 1970): random small grammars, every text over a small alphabet up to a length, byte by byte,
// depth first.
//
// Sets that stand for others in masks must allow the same short texts. Masks themselves are
// tests/cpp/mask/random_masks_test.cc.
#include <gtest/gtest.h>

#include <string>

#include "grammar/printer.h"
#include "parser/naive_earley.h"
#include "parser/parser.h"
#include "parser/random_grammar.h"
#include "support/error.h"

namespace xgrammar {
namespace {

constexpr uint32_t kHorizon = 3;
constexpr int kMaxSteps = 600;  // Texts tried for each grammar.

class Comparison {
 public:
  Comparison(Parser* parser, NaiveEarley* naive) : parser_(*parser), naive_(*naive) {}

  /// Depth first over all viable texts; false at the first difference.
  bool Run(SetId set, int depth) {
    const EarleySet& s = parser_.set(set);
    if (s.accepting != naive_.IsComplete()) return Differ("completeness");
    if (depth == 0 || ++steps_ > kMaxSteps) return true;
    for (uint8_t byte : RandomGrammar::Alphabet()) {
      const bool allowed = naive_.Push(byte);
      const SetId next = parser_.Next(set, byte);
      if ((next != kDeadSet) != allowed) return Differ("byte " + std::to_string(byte));
      if (s.first.Contains(byte) != allowed) return Differ("first " + std::to_string(byte));
      if (!allowed) continue;
      text_.push_back(static_cast<char>(byte));
      if (!Run(next, depth - 1)) return false;
      text_.pop_back();
      naive_.Pop(1);
    }
    return true;
  }
  const std::string& difference() const { return difference_; }

 private:
  bool Differ(const std::string& what) {
    difference_ = what + " after \"" + QuoteForMessage(text_) + "\"";
    return false;
  }

  Parser& parser_;
  NaiveEarley& naive_;
  int steps_ = 0;
  std::string text_;
  std::string difference_;
};

void CompareRange(uint32_t first, uint32_t count) {
  int compared = 0;
  for (uint32_t seed = first; seed < first + count; ++seed) {
    const GrammarPtr grammar = RandomGrammar(seed).Make();
    NaiveEarley naive(*grammar);
    const auto cache = std::make_shared<DfaCache>();
    std::unique_ptr<Parser> parser;
    try {
      parser = std::make_unique<Parser>(grammar, cache, nullptr, kHorizon, Limits{});
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::kUnsatisfiable) << error.what();
      ASSERT_TRUE(naive.is_empty()) << seed << "\n" << GrammarToString(*grammar);
      continue;
    }
    ASSERT_FALSE(naive.is_empty()) << seed << "\n" << GrammarToString(*grammar);
    Comparison comparison(parser.get(), &naive);
    ASSERT_TRUE(comparison.Run(parser->start(), 9))
        << comparison.difference() << ", seed " << seed << "\n"
        << GrammarToString(*grammar);
    ++compared;
  }
  EXPECT_GT(compared, static_cast<int>(count / 2));  // Most grammars are satisfiable.
}

TEST(RandomGrammars, ParserEqualsTextbook1) { CompareRange(0, 500); }
TEST(RandomGrammars, ParserEqualsTextbook2) { CompareRange(10000, 500); }

/// Sets whose counts are normalised allow the same next bytes, as far as the horizon reaches.
TEST(RandomGrammars, MaskSetsAllowTheSameShortTexts) {
  int normalised = 0;
  for (uint32_t seed = 20000; seed < 20400; ++seed) {
    const GrammarPtr grammar = RandomGrammar(seed).Make();
    std::unique_ptr<Parser> parser;
    try {
      parser = std::make_unique<Parser>(grammar, std::make_shared<DfaCache>(), nullptr, kHorizon,
                                        Limits{});
    } catch (const Error&) {
      continue;
    }
    std::mt19937 random(seed);
    SetId set = parser->start();
    for (int step = 0; step < 25 && set != kDeadSet; ++step) {
      const SetId mask_set = parser->set(set).mask_set;
      ASSERT_EQ(parser->set(mask_set).mask_set, mask_set) << "a normal form is its own";
      if (mask_set != set) ++normalised;
      std::vector<std::pair<SetId, SetId>> level{{set, mask_set}};
      for (uint32_t depth = 0; depth < kHorizon && mask_set != set; ++depth) {
        std::vector<std::pair<SetId, SetId>> next_level;
        for (const auto& [a, b] : level) {
          for (uint8_t byte : RandomGrammar::Alphabet()) {
            const SetId next_a = parser->Next(a, byte);
            const SetId next_b = parser->Next(b, byte);
            ASSERT_EQ(next_a == kDeadSet, next_b == kDeadSet) << "seed " << seed << "\n"
                                                              << GrammarToString(*grammar);
            if (next_a != kDeadSet) next_level.emplace_back(next_a, next_b);
          }
        }
        level.swap(next_level);
        if (level.size() > 200) level.resize(200);
      }
      std::vector<uint8_t> bytes;
      for (int b = 0; b < 256; ++b) {
        if (parser->set(set).first.Contains(static_cast<uint8_t>(b))) {
          bytes.push_back(static_cast<uint8_t>(b));
        }
      }
      if (bytes.empty()) break;
      set = parser->Next(set, bytes[random() % bytes.size()]);
    }
  }
  EXPECT_GT(normalised, 50);
}

}  // namespace
}  // namespace xgrammar
