// AddSubstring against all runs of random chunks, by the reference recogniser: exactly the
// concatenations of neighbouring chunks are accepted, and the empty text.
//
// Also many chunks, and chunks that defeat the automaton of substrings (repeats, common
// beginnings). Its spelling in EBNF and Lark is tested there.
#include "grammar/substring.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "grammar/reference_recognizer.h"

namespace xgrammar {
namespace {

GrammarPtr MakeGrammar(const std::vector<std::string>& chunks) {
  GrammarBuilder builder;
  const RuleId root = builder.AddRule("root");
  builder.SetBody(root, AddSubstring(chunks, "chunk", &builder, {}));
  return builder.Build(root);
}

TEST(Substring, AgreesWithAllRuns) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> chunks(random() % 6);
    for (std::string& chunk : chunks) {
      for (size_t i = random() % 4; i > 0; --i) chunk += "ab\xC3\xA9"[random() % 2];
      if (random() % 5 == 0) chunk += "\xC3\xA9";
    }
    std::set<std::string> runs = {""};
    for (size_t i = 0; i < chunks.size(); ++i) {
      std::string run;
      for (size_t j = i; j < chunks.size(); ++j) runs.insert(run += chunks[j]);
    }
    const GrammarPtr grammar = MakeGrammar(chunks);
    std::set<std::string> candidates = runs;
    for (const std::string& run : runs) {
      if (!run.empty() && run.back() < 'c' && run.back() > 0) {
        candidates.insert(run.substr(0, run.size() - 1));
      }
      candidates.insert(run + "a");
      candidates.insert("b" + run);
    }
    for (const std::string& text : candidates) {
      ASSERT_EQ(Accepts(*grammar, text), runs.contains(text)) << text;
    }
  }
}

TEST(Substring, ManyChunks) {
  std::vector<std::string> chunks;
  for (int i = 0; i < 4000; ++i) chunks.push_back("word" + std::to_string(i % 1500) + " ");
  const GrammarPtr grammar = MakeGrammar(chunks);
  ASSERT_EQ(grammar->kind(grammar->rule(0).body), ExprKind::kAutomaton);
  const CodePointDfa& dfa = *grammar->automaton(grammar->rule(0).body);
  EXPECT_TRUE(dfa.Accepts("word1499 word0 word1 "));
  EXPECT_FALSE(dfa.Accepts("word0 word2 "));
}

}  // namespace
}  // namespace xgrammar
