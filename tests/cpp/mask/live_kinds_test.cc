// LiveKinds and KindMasks: what they promise, against reading every token below a node byte by
// byte; and that what they are for is found: strings, names, chains of a bounded length. Whole
// masks that are made with them are local_mask_builder_test.cc.
#include "mask/live_kinds.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <utility>

#include "mask/kind_masks.h"
#include "mask/mask_fixtures.h"

namespace xgrammar {
namespace {

std::string BytesOf(const TokenTrie& trie, const TokenizerInfo& tokenizer, uint32_t node) {
  const int32_t token = trie.subtree_tokens(node)[0];
  return tokenizer.decoded_vocab()[static_cast<size_t>(token)].substr(0, trie.node(node).depth);
}

uint32_t After(const ByteDfa& dfa, uint32_t state, std::string_view bytes) {
  for (char c : bytes) {
    if (state == ByteDfa::kDead) break;
    state = dfa.Next(state, static_cast<uint8_t>(c));
  }
  return state;
}

uint16_t KindsAtTheStart(const ByteDfa& dfa) { return LiveKinds(dfa).Of(0).kinds; }

/// So many letters and then a full stop.
ByteDfa Chain(int length) {
  ByteNfa nfa;
  for (int i = 0; i < length + 2; ++i) nfa.AddState();
  for (int i = 0; i < length; ++i) {
    nfa.AddEdge(i, 'a', 'z', i + 1);
    nfa.AddEdge(i, 'A', 'Z', i + 1);
  }
  nfa.AddEdge(length, '.', '.', length + 1);
  return *DeterminizeBytes(nfa, 0, length + 1, 500);
}

/// Ranges of which the lower end is remembered, as in a character class.
std::string RangesInOrder() {
  std::string ebnf = "root ::= \"[\" (";
  for (const auto& [first, last] :
       {std::pair('a', 'z'), std::pair('A', 'Z'), std::pair('0', '9')}) {
    for (char c = first; c <= last; ++c)
      ebnf += std::string("\"") + c + "\" (\"-\" [" + c + "-" + last + "])? | ";
  }
  for (int c = 0x410; c < 0x450; ++c) {
    char hex[8];
    std::snprintf(hex, sizeof(hex), "\\u%04x", static_cast<unsigned>(c));
    ebnf += std::string("[") + hex + "] (\"-\" [" + hex + "-\\u0450])? | ";
  }
  return ebnf + "\" \")* \"]\"";
}

TEST(LiveKinds, ASubtreeThatIsTakenIsAlive) {
  int taken = 0;
  const std::string ranges = RangesInOrder();
  for (const char* ebnf :
       {ranges.c_str(), R"(root ::= "\"" ([^"\\\x00-\x1f] | "\\" [nrt"\\/])* "\"")",
        R"(root ::= [a-z]+ "@" [a-z.]+)",
        R"(root ::= ([a-zA-Z0-9] [a-zA-Z0-9-]{0,20} ".")+ [a-z]{2,6})",
        R"(root ::= [^a]* "a" [^,]*)", R"(root ::= ([a-z] [0-9 ])* | [A-Z]{3,40} "!")",
        R"(root ::= ([^\n]{2})* "\n")"}) {
    const ByteDfaPtr dfa = FoldedDfa(ebnf);
    ASSERT_NE(dfa, nullptr) << ebnf;
    std::mt19937 random(static_cast<uint32_t>(dfa->num_states()));
    const auto tokenizer = MakeTokenizer(WideVocabulary(&random, 1500));
    const TokenTrie& trie = tokenizer->trie();
    LiveKinds live(*dfa);
    for (uint32_t state = 0; state < dfa->num_states(); ++state) {
      for (uint32_t node = 0; node < trie.num_nodes(); ++node) {
        if (node + 1 == trie.node(node).subtree_end) continue;
        if (!live.TakesAllBelow(trie, node, state)) continue;
        ++taken;
        const std::string prefix = BytesOf(trie, *tokenizer, node);
        for (int32_t token : trie.subtree_tokens(node)) {
          const std::string& bytes = tokenizer->decoded_vocab()[static_cast<size_t>(token)];
          uint32_t at = state;
          for (size_t i = prefix.size(); i < bytes.size(); ++i) {
            EXPECT_TRUE(live.Of(state).may_end || !dfa->IsAccept(at)) << ebnf;
            at = After(*dfa, at, bytes.substr(i, 1));
            ASSERT_NE(at, ByteDfa::kDead) << ebnf << " state " << state << " token " << token;
          }
        }
      }
    }
  }
  EXPECT_GT(taken, 1000);
}

TEST(LiveKinds, FindsWhatItIsFor) {
  const uint16_t letters = KindBit('a') | KindBit('Z');
  const ByteDfaPtr text = FoldedDfa(R"(root ::= "\"" ([^"\\\x00-\x1f] | "\\" [nrt"\\/])* "\"")");
  const uint32_t body = text->Next(0, '"');
  const uint16_t in_text = LiveKinds(*text).Of(body).kinds;
  EXPECT_EQ(in_text, static_cast<uint16_t>(~(KindBit('"') | KindBit('\\') | KindBit('\n') |
                                             KindBit(1) | kIllFormedBelow)));
  EXPECT_FALSE(LiveKinds(*text).Of(body).may_end);
  const ByteDfaPtr name = FoldedDfa(R"(root ::= [a-zA-Z_-] [a-zA-Z0-9_-]*)");
  LiveKinds of_name(*name);
  EXPECT_EQ(of_name.Of(0).kinds, letters | KindBit('_'));
  EXPECT_TRUE(of_name.Of(0).may_end);
  EXPECT_EQ(KindsAtTheStart(Chain(63)), letters) << "longer than any token";
  const ByteDfaPtr no_colon_before_space = FoldedDfa(R"(root ::= ([^:] | ":"+ [^: ])* ":"*)");
  EXPECT_EQ(KindsAtTheStart(*no_colon_before_space),
            static_cast<uint16_t>(~(KindBit(':') | kIllFormedBelow)))
      << "not without spaces, which most tokens hold";
  const ByteDfa chain = Chain(20);
  LiveKinds of_chain(chain);
  EXPECT_EQ(of_chain.Of(0).kinds, letters);
  EXPECT_EQ(of_chain.Of(0).steps, 20);
  EXPECT_GE(of_chain.Of(chain.Next(0, 'a')).steps, 19);
  EXPECT_EQ(KindsAtTheStart(Chain(3)), 0);
  const ByteDfaPtr ranges = FoldedDfa(RangesInOrder());
  ASSERT_NE(ranges, nullptr);
  ASSERT_GT(ranges->num_states(), 200u);
  LiveKinds in_ranges(*ranges);
  for (const char* before : {"[", "[a", "[a-z", "[zZ0"}) {
    EXPECT_EQ(in_ranges.Of(After(*ranges, 0, before)).kinds, letters | KindBit('0') | KindBit(' '))
        << before << ": a state for each character";
  }
}

TEST(KindMasks, HoldTheTokensOfTheKinds) {
  std::mt19937 random(7);
  const auto tokenizer = MakeTokenizer(WideVocabulary(&random, 1000), {3}, {300});
  KindMasks masks(*tokenizer, 20, 1);
  for (const uint16_t kinds :
       {uint16_t{0}, static_cast<uint16_t>(~(KindBit(1) | kIllFormedBelow)),
        uint16_t{KindBit('a') | KindBit(' ')}, static_cast<uint16_t>(0xFFFF & ~kIllFormedBelow),
        static_cast<uint16_t>(KindBit('7') | kNonAsciiKinds)}) {
    std::set<int32_t> expected;
    for (int32_t token = 0; token < tokenizer->vocab_size(); ++token) {
      const std::string& bytes = tokenizer->decoded_vocab()[static_cast<size_t>(token)];
      if (bytes.size() > 20 || token == 3 || token == 300) continue;
      Utf8State utf8 = Utf8State::kBoundary;
      bool matches = true;
      for (char c : bytes) {
        matches = matches && (KindBit(static_cast<uint8_t>(c)) & ~kinds) == 0;
        utf8 = NextUtf8State(utf8, static_cast<uint8_t>(c));
      }
      if (matches && utf8 != Utf8State::kIllFormed) expected.insert(token);
    }
    const auto found = masks.Get(kinds);
    EXPECT_EQ(found, masks.Get(kinds));
    const std::span<const int32_t> all = tokenizer->trie().all_tokens();
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(BitsOf(found->words), expected) << kinds;
    const std::set<int32_t> rest(found->rest.all_tokens().begin(), found->rest.all_tokens().end());
    std::set<int32_t> others(all.begin(), all.end());
    for (int32_t token : expected) others.erase(token);
    EXPECT_EQ(rest, others) << kinds;
  }
  EXPECT_EQ(KindMasks(*tokenizer, 20).Get(KindBit('7')), nullptr) << "all but a few are others";
  EXPECT_GT(masks.SizeBytes(), 0);
  masks.Clear();
  EXPECT_EQ(masks.SizeBytes(), 0);
}

}  // namespace
}  // namespace xgrammar
