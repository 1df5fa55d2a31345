// LocalMaskBuilder and LocalMask: whole masks and differences against what the definition says of
// every token, read byte by byte: stays inside (with how many copies), leaves for good, could
// leave.
#include "mask/local_mask_builder.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>
#include <tuple>
#include <utility>

#include "automata/byte_nfa.h"
#include "mask/local_mask.h"
#include "mask/mask_fixtures.h"

namespace xgrammar {
namespace {

/// Next byte, rest of the token from it on, token.
using Exit = std::tuple<uint8_t, std::string, int32_t>;

struct Expected {
  std::map<int32_t, uint32_t> inside;  ///< Copies needed, by token.
  std::map<Exit, uint32_t> exits;      ///< Copies completed before.
  std::set<uint8_t> soft;
};

/// Of the tokens that begin with `prefix`, which something else has read.
Expected ByDefinition(const TokenizerInfo& tokenizer, const ByteDfa& dfa, uint32_t start,
                      bool counted, const std::string& prefix = "") {
  Expected out;
  for (size_t id = 0; id < tokenizer.decoded_vocab().size(); ++id) {
    const std::string& bytes = tokenizer.decoded_vocab()[id];
    const auto token = static_cast<int32_t>(id);
    if (bytes.empty() || tokenizer.IsSpecialToken(token) || tokenizer.IsStopToken(token)) continue;
    if (bytes.size() == prefix.size() || bytes.compare(0, prefix.size(), prefix) != 0) continue;
    uint32_t state = start;
    uint32_t copies = 0;
    for (size_t i = prefix.size(); i < bytes.size(); ++i) {
      state = dfa.Next(state, static_cast<uint8_t>(bytes[i]));
      if (state == ByteDfa::kDead) break;
      const bool may_end = dfa.IsAccept(state);
      if (counted && may_end) {
        ++copies;
        state = 0;
      }
      if (i + 1 == bytes.size()) {
        out.inside[token] = counted ? copies + (state != 0 ? 1 : 0) : 0;
      } else if (may_end) {
        const auto next = static_cast<uint8_t>(bytes[i + 1]);
        if (dfa.Next(state, next) != ByteDfa::kDead) {
          out.soft.insert(next);
        } else {
          out.exits[{next, bytes.substr(i + 1), token}] = copies;
        }
      }
    }
  }
  return out;
}

void ReadTree(const TokenTrie& tree, std::set<std::pair<std::string, int32_t>>* out) {
  std::string path;
  for (uint32_t i = 0; i < tree.num_nodes(); ++i) {
    path.resize(tree.node(i).depth - 1);
    path.push_back(static_cast<char>(tree.node(i).byte));
    for (int32_t token : tree.tokens(i)) out->insert({path, token});
  }
}

/// Of wide exits, bytes of soft exits say nothing.
bool IsUnsure(const LocalMask& mask, uint8_t byte) {
  const bool is_wide =
      !mask.wide_exits().empty() || (mask.base() != nullptr && !mask.base()->wide_exits().empty());
  return is_wide && mask.soft_exits().Contains(byte);
}

std::set<Exit> ExitsOf(const LocalMask& mask, const TokenizerInfo& tokenizer,
                       const CopyBounds& bounds) {
  std::set<Exit> exits;
  for (bool of_base : {false, true}) {
    const LocalMask* owner = of_base ? mask.base() : &mask;
    if (owner == nullptr) continue;
    for (const TailGroup& group : owner->tail_groups()) {
      if (IsUnsure(mask, group.byte())) continue;
      std::set<std::pair<std::string, int32_t>> tails;
      ReadTree(group.Tree(tokenizer), &tails);
      for (const auto& [tail, token] : tails) {
        EXPECT_EQ(static_cast<uint8_t>(tail[0]), group.byte());
        const bool has = mask.HasExit(token, of_base, bounds);
        if (!mask.FiltersExits(of_base, bounds)) {
          EXPECT_TRUE(has);
        }
        if (!has) continue;
        EXPECT_TRUE(exits.insert({group.byte(), tail, token}).second) << "twice";
      }
    }
    const TokenTrie& trie = tokenizer.trie();
    for (uint32_t node : owner->wide_exits()) {
      for (int32_t token : trie.subtree_tokens(node).subspan(trie.tokens(node).size())) {
        const std::string tail =
            tokenizer.decoded_vocab()[static_cast<size_t>(token)].substr(trie.node(node).depth);
        const auto byte = static_cast<uint8_t>(tail[0]);
        if (IsUnsure(mask, byte) || !mask.HasExit(token, of_base, bounds)) continue;
        EXPECT_TRUE(exits.insert({byte, tail, token}).second) << "twice";
      }
    }
  }
  return exits;
}

void ExpectExact(const LocalMask& mask, const TokenizerInfo& tokenizer, const Expected& expected,
                 bool counted, bool exact_soft_exits = true) {
  for (uint32_t room : {0u, 1u, 2u, 3u, 7u, CopyBounds::kManyCopies}) {
    if (!counted && room != CopyBounds::kManyCopies) continue;
    std::set<int32_t> inside;
    for (const auto& [token, needs] : expected.inside) {
      if (needs <= room) inside.insert(token);
    }
    std::vector<uint32_t> row = MakeRow(tokenizer, 0xFFFFFFFFu);
    if (!mask.is_dense()) std::fill(row.begin(), row.end(), 0u);
    mask.AddTo(row, true, room);
    EXPECT_EQ(BitsOf(row), inside) << "room " << room;
    // On top of other tokens: theirs stay.
    row = MakeRow(tokenizer, 0u);
    row[0] = 0xF0u;
    std::set<int32_t> united = inside;
    united.insert({4, 5, 6, 7});
    mask.AddTo(row, false, room);
    EXPECT_EQ(BitsOf(row), united) << "room " << room;
    for (uint32_t owed : {0u, 1u, 2u, 4u}) {
      if (!counted && owed != 0) continue;
      std::set<Exit> exits;
      for (const auto& [exit, copies] : expected.exits) {
        if (IsUnsure(mask, std::get<uint8_t>(exit))) continue;
        if (copies >= owed && copies <= room) exits.insert(exit);
      }
      EXPECT_EQ(ExitsOf(mask, tokenizer, {room, owed}), exits)
          << "room " << room << " owed " << owed;
    }
  }
  for (uint8_t byte : expected.soft) EXPECT_TRUE(mask.soft_exits().Contains(byte));
  if (mask.base() == nullptr && exact_soft_exits) {
    EXPECT_EQ(mask.soft_exits().size(), static_cast<int>(expected.soft.size()));
  }
}

/// Subtrees that a builder may take unread; then soft exits are all bytes of the kinds below.
bool HasLargeSubtrees(const TokenTrie& trie) {
  constexpr uint32_t kReadAlways = 8;
  for (uint32_t i = 0; i < trie.num_nodes(); ++i) {
    if (trie.node(i).subtree_end - i >= kReadAlways) return true;
  }
  return false;
}

/// A trim random automaton over the alphabet of RandomGrammar.
ByteDfa RandomDfa(std::mt19937* random, bool loops) {
  for (;;) {
    ByteNfa nfa;
    const auto n = static_cast<uint32_t>(3 + (*random)() % 5);
    for (uint32_t s = 0; s < n; ++s) nfa.AddState();
    const uint8_t bytes[] = {'a', 'b', 'c', 0xC3, 0xA9, 'z'};
    for (uint32_t i = 0; i < 6 + (*random)() % 10; ++i) {
      const uint8_t byte = bytes[(*random)() % 6];
      // One after the other: the order of arguments is the compiler's.
      const auto from = static_cast<int32_t>((*random)() % n);
      const auto to = static_cast<int32_t>((*random)() % n);
      nfa.AddEdge(from, byte, byte, to);
    }
    if (loops) {
      // Most bytes lead to one loop, as in a string body.
      for (uint32_t s = 0; s < n; ++s) {
        if (s == 1) continue;
        nfa.AddEdge(static_cast<int32_t>(s), 0x00, 0x60, 2);
        if ((*random)() % 2 == 0) nfa.AddEdge(static_cast<int32_t>(s), 'b', 0xFF, 2);
      }
    }
    auto dfa = DeterminizeBytes(nfa, 0, 1, 500);
    if (dfa && !dfa->is_empty()) return std::move(*dfa);
  }
}

TEST(LocalMaskBuilder, WholeMasksEqualTheDefinition) {
  for (uint32_t seed = 0; seed < 150; ++seed) {
    std::mt19937 random(seed);
    const auto tokenizer = MakeTokenizer(RandomVocabulary(&random), {3}, {7});
    const ByteDfa dfa = RandomDfa(&random, seed % 3 == 0);
    LocalMaskBuilder builder(*tokenizer);
    for (uint32_t state = 0; state < dfa.num_states(); ++state) {
      const auto mask = builder.BuildWhole(dfa, state, false);
      EXPECT_EQ(mask->base(), nullptr);
      ExpectExact(*mask, *tokenizer, ByDefinition(*tokenizer, dfa, state, false), false,
                  !HasLargeSubtrees(tokenizer->trie()));
      if (testing::Test::HasFailure()) FAIL() << "seed " << seed << " state " << state;
    }
  }
}

TEST(LocalMaskBuilder, MasksOverAWideVocabularyEqualTheDefinition) {
  int dense = 0;
  int differences = 0;
  for (const char* ebnf :
       {R"(root ::= "\"" ([^"\\\x00-\x1f] | "\\" [nrt"\\/])* "\"")",
        R"(root ::= [a-z]+ "@" [a-z.]+)",
        R"(root ::= ([a-zA-Z0-9] [a-zA-Z0-9-]{0,20} ".")+ [a-z]{2,6})",
        R"(root ::= [^a]* "a" [^,]*)", R"(root ::= ([a-z] [0-9 ])* | [A-Z]{3,40} "!")",
        R"(root ::= "-"? [0-9]+ ("." [0-9]+)?)", R"(root ::= ([^\n]{2})* "\n")",
        R"(root ::= " "* ("key" | "keys" | "keyboard") ":" [\x80-\u20ff]*)",
        R"(root ::= [^"t]* ("t" [^"e] [^"t]*)* "\"")",
        R"(root ::= [a-zA-Z_] [a-zA-Z0-9_]* ("." [a-z_]+)* " "?)",
        R"(root ::= " " [a-zA-Z] [a-zA-Z-]* | [0-9a-z]+ "!" " "?)"}) {
    const ByteDfaPtr dfa = FoldedDfa(ebnf);
    ASSERT_NE(dfa, nullptr) << ebnf;
    std::mt19937 random(static_cast<uint32_t>(dfa->num_states()));
    const auto tokenizer = MakeTokenizer(WideVocabulary(&random, 3000), {3}, {7});
    KindMasks kind_masks(*tokenizer, LiveKinds::kMaxSteps, 1);
    LocalMaskBuilder with_kinds(*tokenizer, &kind_masks);
    LocalMaskBuilder without_kinds(*tokenizer);
    std::shared_ptr<const LocalMask> base;
    uint32_t base_state = 0;
    for (uint32_t state = 0; state < dfa->num_states(); ++state) {
      const Expected expected = ByDefinition(*tokenizer, *dfa, state, false);
      const auto mask = with_kinds.BuildWhole(*dfa, state, false);
      dense += mask->is_dense() ? 1 : 0;
      ExpectExact(*mask, *tokenizer, expected, false, false);
      ExpectExact(*without_kinds.BuildWhole(*dfa, state, false), *tokenizer, expected, false,
                  false);
      if (base != nullptr) {
        ++differences;
        ExpectExact(*with_kinds.BuildDifference(*dfa, state, base_state, base), *tokenizer,
                    expected, false, false);
      }
      if (mask->is_dense()) {
        base = mask;
        base_state = state;
      }
      if (testing::Test::HasFailure()) FAIL() << ebnf << " state " << state;
    }
  }
  EXPECT_GT(dense, 20);
  EXPECT_GT(differences, 100);
}

TEST(LocalMaskBuilder, WideExitsAndMasksBelowNodesEqualTheDefinition) {
  int wide = 0;
  int below = 0;
  for (const char* ebnf : {"root ::= [ab ]* [a-z]*", "root ::= [ \t]+", "root ::= [a-z]+ \"=\"",
                           "root ::= \"\" | [ab] [c-z]* | [0-9]+ (\".\" [0-9]+)?"}) {
    const ByteDfaPtr dfa = FoldedDfa(ebnf);
    ASSERT_NE(dfa, nullptr) << ebnf;
    std::mt19937 random(7);
    const auto tokenizer = MakeTokenizer(WideVocabulary(&random, 2000), {3}, {7});
    const TokenTrie& trie = tokenizer->trie();
    LocalMaskBuilder builder(*tokenizer, nullptr, {20, 20, 0});
    std::shared_ptr<const LocalMask> base;
    uint32_t base_state = 0;
    for (uint32_t state = 0; state < dfa->num_states(); ++state) {
      const auto whole = builder.BuildWhole(*dfa, state, false);
      wide += static_cast<int>(whole->wide_exits().size());
      const Expected expected = ByDefinition(*tokenizer, *dfa, state, false);
      ExpectExact(*whole, *tokenizer, expected, false, false);
      if (base != nullptr) {
        ExpectExact(*builder.BuildDifference(*dfa, state, base_state, base), *tokenizer, expected,
                    false, false);
      }
      if (whole->is_dense()) {
        base = whole;
        base_state = state;
      }
      for (uint32_t node = 0; node < trie.num_nodes(); ++node) {
        if (trie.node(node).subtree_end - node < 40) continue;
        const std::string& text =
            tokenizer->decoded_vocab()[static_cast<size_t>(trie.subtree_tokens(node)[0])];
        const std::string prefix = text.substr(0, trie.node(node).depth);
        const auto mask = builder.BuildBelow(*dfa, state, node);
        ExpectExact(*mask, *tokenizer, ByDefinition(*tokenizer, *dfa, state, false, prefix), false,
                    false);
        ++below;
        if (testing::Test::HasFailure()) FAIL() << ebnf << " state " << state << " " << prefix;
      }
    }
  }
  EXPECT_GT(wide, 5);
  EXPECT_GT(below, 100);
}

TEST(LocalMaskBuilder, CopiesOverAWideVocabularyEqualTheDefinition) {
  int dense = 0;
  for (const char* copy :
       {R"(root ::= [a-zA-Z0-9_])", R"(root ::= [^"\\\x00-\x1f] | "\\" [nrt"\\/])",
        R"(root ::= [^\n])", R"(root ::= [a-z ] | "--" | "0" [0-9])",
        R"(root ::= [\u00e0-\u2030a])", R"(root ::= [a-z0-9] ".")", R"(root ::= [^\u2028-\u2029])",
        R"(root ::= " " [a-z])", R"(root ::= [A-Z] [a-z]{1,5} " ")",
        R"(root ::= [a-z0-9-]{1,3} ("." | "@" [a-z]+ "!"))"}) {
    const ByteDfaPtr dfa = FoldedDfa(copy);
    ASSERT_NE(dfa, nullptr) << copy;
    ASSERT_TRUE(dfa->is_prefix_free()) << copy;
    std::mt19937 random(static_cast<uint32_t>(dfa->num_states()));
    const auto tokenizer = MakeTokenizer(WideVocabulary(&random, 3000), {3}, {7});
    KindMasks kind_masks(*tokenizer, LiveKinds::kMaxSteps, 1);
    LocalMaskBuilder with_kinds(*tokenizer, &kind_masks);
    LocalMaskBuilder without_kinds(*tokenizer);
    for (uint32_t state = 0; state < dfa->num_states(); ++state) {
      if (dfa->IsFinal(state)) continue;
      const Expected expected = ByDefinition(*tokenizer, *dfa, state, true);
      const auto mask = with_kinds.BuildWhole(*dfa, state, true);
      dense += mask->is_dense() ? 1 : 0;
      ExpectExact(*mask, *tokenizer, expected, true, false);
      ExpectExact(*without_kinds.BuildWhole(*dfa, state, true), *tokenizer, expected, true, false);
      if (testing::Test::HasFailure()) FAIL() << copy << " state " << state;
    }
  }
  EXPECT_GT(dense, 3);
}

TEST(LocalMaskBuilder, MasksBeforeALoopEqualTheDefinition) {
  // One byte, then a loop: alone, and with names that it must not spell.
  for (const char* ebnf : {R"(root ::= "x" [^t]* "t")", R"(root ::= "\"" [^"]* "\"")"}) {
    const ByteDfaPtr loop = FoldedDfa(ebnf);
    ASSERT_NE(loop, nullptr) << ebnf;
    std::mt19937 random(5);
    const auto tokenizer = MakeTokenizer(WideVocabulary(&random, 3000), {3}, {7});
    LocalMaskBuilder builder(*tokenizer);
    const uint8_t byte = loop->first_bytes(0).First();
    const auto before = builder.BuildBefore(*loop, byte, loop->Next(0, byte));
    ExpectExact(*before, *tokenizer, ByDefinition(*tokenizer, *loop, 0, false), false, false);
  }
  const ByteDfaPtr names = FoldedDfa(
      R"(root ::= "\"" ([^"a] [^"]* | "a" [^"n] [^"]* | "an" [^"d] [^"]* | "and" [^"]+ | "an"?) "\"")");
  ASSERT_NE(names, nullptr);
  const uint32_t after = names->Next(0, '"');
  const uint32_t loop = names->Next(after, 'z');
  ASSERT_EQ(names->Next(loop, 'a'), loop);
  ASSERT_NE(after, loop);
  std::mt19937 random(6);
  std::vector<std::string> vocabulary = WideVocabulary(&random, 3000);
  for (const char* token : {"\"and\"", "\"and\":", "\"a", "\"", "\"an\"x", "\"andy\"-", "\"\"!"})
    vocabulary.push_back(token);
  const auto tokenizer = MakeTokenizer(vocabulary, {3}, {7});
  LocalMaskBuilder builder(*tokenizer);
  const auto base = builder.BuildBefore(*names, '"', loop);
  const auto mask = builder.BuildDifferenceBefore(*names, '"', after, loop, base);
  EXPECT_EQ(mask->base(), base.get());
  ExpectExact(*mask, *tokenizer, ByDefinition(*tokenizer, *names, 0, false), false, false);
}

TEST(LocalMaskBuilder, DifferencesEqualTheDefinition) {
  int differences = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const auto tokenizer = MakeTokenizer(RandomVocabulary(&random), {3}, {7});
    const ByteDfa dfa = RandomDfa(&random, true);
    LocalMaskBuilder builder(*tokenizer);
    for (uint32_t base_state = 0; base_state < dfa.num_states(); ++base_state) {
      const auto base = builder.BuildWhole(dfa, base_state, false);
      if (!base->is_dense()) continue;
      for (uint32_t state = 0; state < dfa.num_states(); ++state) {
        const auto mask = builder.BuildDifference(dfa, state, base_state, base);
        EXPECT_EQ(mask->base(), base.get());
        ++differences;
        ExpectExact(*mask, *tokenizer, ByDefinition(*tokenizer, dfa, state, false), false);
        if (testing::Test::HasFailure()) FAIL() << "seed " << seed << " state " << state;
      }
    }
  }
  EXPECT_GT(differences, 500);
}

TEST(LocalMaskBuilder, CountedMasksEqualTheDefinition) {
  for (const char* ebnf :
       {"root ::= [abc]", "root ::= \"a\" [bc] | \"b\"", "root ::= [a-c\xC3\xA9]",
        "root ::= \"a\"* \"b\"", "root ::= \"\xC3\xA9\" | \"ab\" \"c\"* \"z\""}) {
    const ByteDfaPtr dfa = FoldedDfa(ebnf);
    ASSERT_TRUE(dfa != nullptr && dfa->is_prefix_free()) << ebnf;
    for (uint32_t seed = 0; seed < 40; ++seed) {
      std::mt19937 random(seed);
      const auto tokenizer = MakeTokenizer(RandomVocabulary(&random));
      LocalMaskBuilder builder(*tokenizer);
      for (uint32_t state = 0; state < dfa->num_states(); ++state) {
        if (dfa->IsAccept(state)) continue;  // A copy that is complete is state 0 again.
        const auto mask = builder.BuildWhole(*dfa, state, true);
        ExpectExact(*mask, *tokenizer, ByDefinition(*tokenizer, *dfa, state, true), true);
        if (testing::Test::HasFailure()) FAIL() << ebnf << " seed " << seed << " state " << state;
      }
    }
  }
}

TEST(LocalMask, EqualTailsShareANode) {
  const auto tokenizer = MakeTokenizer({"a,x", "aa,x", ",x", "a,", "aaa"});
  const auto mask =
      LocalMaskBuilder(*tokenizer).BuildWhole(*FoldedDfa("root ::= \"a\"+"), 0, false);
  ASSERT_EQ(mask->tail_groups().size(), 1u);
  const TokenTrie& tree = mask->tail_groups()[0].Tree(*tokenizer);
  EXPECT_EQ(tree.num_nodes(), 2u);  // "," and ",x".
  EXPECT_EQ(tree.subtree_tokens(0).size(), 3u);
  EXPECT_EQ(tree.tokens(1).size(), 2u);
}

TEST(LocalMask, ThreadsGetOneTree) {
  const auto tokenizer = MakeTokenizer({"a,x", "aa,x", "a,", "aaa", "b,"});
  const auto mask = LocalMaskBuilder(*tokenizer).BuildWhole(*FoldedDfa("root ::= [ab]+"), 0, false);
  std::vector<const TokenTrie*> trees(8, nullptr);
  std::vector<std::thread> threads;
  for (auto& tree : trees) {
    threads.emplace_back([&] { tree = &mask->tail_groups()[0].Tree(*tokenizer); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const TokenTrie* tree : trees) EXPECT_EQ(tree, trees[0]);
}

}  // namespace
}  // namespace xgrammar
