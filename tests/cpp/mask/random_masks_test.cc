// Masks against a textbook recogniser: random small grammars times random small vocabularies, along
// random texts. A bit must be set if and only if the grammar allows all bytes of the token.
//
// Beside the random ones: counts near their bounds, nested and neighbouring counts, limits of code
// points, bounds of lengths, words forbidden within a loop. Several grammars share one cache, as in
// a compiler. Whole tokens are mask_table_test.cc.
#include <gtest/gtest.h>

#include <initializer_list>
#include <set>
#include <string>

#include "grammar/builder.h"
#include "grammar/printer.h"
#include "mask/kind_masks.h"
#include "mask/live_kinds.h"
#include "mask/mask_fixtures.h"
#include "mask/mask_table.h"
#include "parser/naive_earley.h"
#include "parser/random_grammar.h"
#include "support/error.h"

namespace xgrammar {
namespace {

struct Engine {
  Engine(const GrammarPtr& grammar, const TokenizerInfoPtr& info,
         std::shared_ptr<LocalMaskCache> cache, int64_t mask_bytes = 1 << 20)
      : tokenizer(info),
        local_masks(std::move(cache)),
        parser(grammar, local_masks->dfa_cache(), &local_masks->markers().trie(),
               info->trie().max_token_bytes(), Limits{}),
        masks(&parser, info, local_masks, mask_bytes) {}

  std::set<int32_t> Mask(SetId set) {
    std::vector<uint32_t> row = MakeRow(*tokenizer);
    masks.Fill(set, row);
    return BitsOf(row);
  }
  SetId After(SetId set, std::string_view bytes) {
    for (char c : bytes) set = parser.Next(set, static_cast<uint8_t>(c));
    return set;
  }

  TokenizerInfoPtr tokenizer;
  std::shared_ptr<LocalMaskCache> local_masks;
  Parser parser;
  MaskTable masks;
};

std::set<int32_t> BruteForce(const TokenizerInfo& tokenizer, NaiveEarley* naive) {
  std::set<int32_t> allowed;
  const auto& vocab = tokenizer.decoded_vocab();
  for (size_t id = 0; id < vocab.size(); ++id) {
    const auto token = static_cast<int32_t>(id);
    if (vocab[id].empty() || tokenizer.IsStopToken(token) || tokenizer.IsSpecialToken(token))
      continue;
    if (naive->Allows(vocab[id])) allowed.insert(token);
  }
  return allowed;
}

/// Follows random allowed tokens; every mask on the way must be exact. Returns the masks compared.
int Walk(Engine* engine, NaiveEarley* naive, std::mt19937* random, int max_steps,
         const std::string& about) {
  SetId set = engine->parser.start();
  std::string text;
  naive->Reset();
  int compared = 0;
  for (int step = 0; step < max_steps; ++step) {
    const std::set<int32_t> mask = engine->Mask(set);
    const std::set<int32_t> expected = BruteForce(*engine->tokenizer, naive);
    EXPECT_EQ(mask, expected) << about << "\nafter \"" << QuoteForMessage(text, 400) << "\"";
    EXPECT_EQ(engine->Mask(set), expected) << "the second time";
    ++compared;
    if (mask != expected || mask.empty()) break;
    auto it = mask.begin();
    std::advance(it, static_cast<ptrdiff_t>((*random)() % mask.size()));
    const std::string& bytes = engine->tokenizer->decoded_vocab()[static_cast<size_t>(*it)];
    set = engine->After(set, bytes);
    naive->PushAll(bytes);
    text += bytes;
  }
  return compared;
}

void CompareRange(uint32_t first, uint32_t count, const PartSizes& sizes = {}) {
  int compared = 0;
  for (uint32_t seed = first; seed < first + count && !testing::Test::HasFailure();) {
    // Several grammars share one cache of local masks, as in a compiler.
    std::mt19937 random(seed);
    const auto tokenizer = MakeTokenizer(RandomVocabulary(&random), {0}, {5});
    const auto cache =
        std::make_shared<LocalMaskCache>(tokenizer, LocalMaskCache::kDefaultMaxBytes, sizes);
    for (int i = 0; i < 5; ++i, ++seed) {
      const GrammarPtr grammar = RandomGrammar(seed).Make();
      NaiveEarley naive(*grammar);
      if (naive.is_empty()) continue;
      Engine engine(grammar, tokenizer, cache);
      for (int walk = 0; walk < 2; ++walk) {
        compared += Walk(&engine, &naive, &random, 8,
                         "seed " + std::to_string(seed) + "\n" + GrammarToString(*grammar));
      }
    }
  }
  EXPECT_GT(compared, static_cast<int>(count));
}

TEST(RandomMasks, EqualBruteForce1) { CompareRange(0, 300); }
TEST(RandomMasks, EqualBruteForce2) { CompareRange(50000, 300); }
// Every node is large enough for what is done with large ones.
TEST(RandomMasks, EqualBruteForceInParts) { CompareRange(0, 300, {0, 0, 0, 0}); }
TEST(RandomMasks, EqualBruteForceInRuns) { CompareRange(50000, 300, {2048, 256, 17, 0}); }
// From the first part on, and from one in the middle of others.
TEST(RandomMasks, EqualBruteForceByWholeSets) { CompareRange(0, 200, {2048, 256, 17, 16, 0}); }
TEST(RandomMasks, EqualBruteForceByWholeSetsLater) { CompareRange(50000, 200, {0, 0, 0, 0, 3}); }

// --- counts near their bounds -------------------------------------------------------------------

void CompareEbnf(const std::string& ebnf, const std::vector<std::string>& vocab, int walks,
                 int steps, uint32_t seed) {
  std::mt19937 random(seed);
  const auto grammar = ParseEbnf(ebnf);
  NaiveEarley naive(*grammar);
  const auto tokenizer = MakeTokenizer(vocab);
  Engine engine(grammar, tokenizer, std::make_shared<LocalMaskCache>(tokenizer));
  for (int walk = 0; walk < walks; ++walk) Walk(&engine, &naive, &random, steps, ebnf);
}

TEST(RandomMasks, CountsNearTheirBounds) {
  std::vector<std::string> vocab{"a",
                                 "b",
                                 "\"",
                                 "aa",
                                 "ab",
                                 "aaa",
                                 "aaaa",
                                 "a\"",
                                 "aa\"",
                                 "aaa\"",
                                 "\"\"",
                                 "aa\"b",
                                 "\xC3",
                                 "\xA9",
                                 "\xC3\xA9",
                                 "a\xC3\xA9",
                                 "\xA9"
                                 "a",
                                 "\xC3\xA9\"",
                                 "aab\"a",
                                 "ba\"aa"};
  uint32_t seed = 1;
  for (const char* count :
       {"{0,1}", "{1,2}", "{2,5}", "{3}", "{4,}", "{0,9}", "{7,9}", "{9}", "{0,12}"}) {
    for (const char* copy : {"[ab\xC3\xA9]", "([a] [b\xC3\xA9] | [b])",
                             "(\"ab\" | \"b\" | \"\xC3\xA9\" \"a\")", "x", "(x | \"bb\")"}) {
      const std::string ebnf = std::string("root ::= \"\\\"\" ") + copy + count +
                               " \"\\\"\" tail\ntail ::= [ab]{1,2} \"\\\"\" | \"\\\"\"\n"
                               "x ::= \"a\" x \"a\" | \"b\" | \"\xC3\xA9\"";
      CompareEbnf(ebnf, vocab, 4, 16, seed++);
    }
  }
}

TEST(RandomMasks, NestedAndNeighbouringCounts) {
  std::mt19937 random(9);
  std::vector<std::string> vocab = RandomVocabulary(&random);
  for (const char* ebnf :
       {"root ::= ([ab]{1,3} \"c\"){2,4}", "root ::= [ab]{2,7} [bc]{2,7}",
        "root ::= ([a]{0,2} [b]{0,2}){3,5}",
        "root ::= (x{1,3} \"c\"){2,4} x{2,}\nx ::= \"a\" | \"b\" x \"b\"",
        "root ::= [a]{5} [a]{0,5} [ab]{0,5} \"c\"", "root ::= ([ab]{2}){2,3} | [a-c]{5,9}"}) {
    CompareEbnf(ebnf, vocab, 6, 20, 3);
  }
}

// --- where what follows could also have been read inside (soft exits) ---------------------------

TEST(RandomMasks, AutomataThatCompeteWithWhatFollows) {
  std::mt19937 random(10);
  std::vector<std::string> vocab = RandomVocabulary(&random);
  for (const char* ebnf :
       {"root ::= word \"ab\" x | word x\nword ::= [a-c]*\nx ::= \"(\" x \")\" | \"c\"",
        "root ::= word x\nword ::= [ab]+\nx ::= \"b\" x \"c\" | \"a\"",
        "root ::= n n x\nn ::= \"a\"* \"b\"*\nx ::= \"c\" x | \"z\"",
        "root ::= (word sep)*\nsep ::= x word\nx ::= \"a\" | \"c\" x\nword ::= [^z]*"}) {
    CompareEbnf(ebnf, vocab, 6, 12, 4);
  }
}

// Most tokens are words, which are known to stay inside; others may leave for what follows.
TEST(RandomMasks, WordsThatMayBeginWhatFollows) {
  std::mt19937 random(13);
  std::vector<std::string> vocab;
  while (vocab.size() < 600) {
    std::string word(random() % 3 == 0 ? " " : "");
    const size_t length = 1 + random() % 4;
    for (size_t i = 0; i < length; ++i) word.push_back("abctf"[random() % 5]);
    vocab.push_back(word);
  }
  for (const char* text : {"]", "cab]", "a]b", "<", "<a", "b<ab", "a<a>", "\xC3",
                           "\xA9"
                           "b",
                           "\n"})
    vocab.emplace_back(text);
  const auto tokenizer = MakeTokenizer(vocab);
  ASSERT_NE(KindMasks(*tokenizer, LiveKinds::kMaxSteps).Get(KindBit('a') | KindBit(' ')), nullptr);
  for (const char* ebnf :
       {"root ::= text \"cab]\" x\ntext ::= [^\\]]*\nx ::= \"a\" x | \"b\"",
        "root ::= text (\"<a\" x text)*\ntext ::= ([^<] | \"<\" [^a<])*\nx ::= \"b\" x \">\" | "
        "\"a\"",
        "root ::= text x\ntext ::= [^\\]\\n]*\nx ::= \"b\" x \"c\" | \"a\" \"]\""}) {
    CompareEbnf(ebnf, vocab, 4, 8, 6);
  }
}

// What follows white space is white space again, and more or less than it.
TEST(RandomMasks, WhiteSpaceTwiceInARow) {
  std::mt19937 random(12);
  std::vector<std::string> vocab = RandomVocabulary(&random);
  for (const char* text : {"aab", "aaa", "aba", "baab", "caac", "caa", "aaaac", "acaa", "bab"})
    vocab.emplace_back(text);
  const std::string rules =
      "x ::= \"c\" w (x (\"z\" w x)* w)? \"z\" | \"b\"\nw ::= [ab]*\ns ::= [ab]+\nn ::= \"a\"*\n";
  for (const char* root : {"root ::= w x w", "root ::= (s x)? s (x | w \"z\")", "root ::= n w n x",
                           "root ::= w (w x | n \"z\" | s \"c\")", "root ::= w w w (w (x | w))? w",
                           "root ::= (w | s x)* x", "root ::= (\"c\" w | x)* w x"}) {
    CompareEbnf(rules + root, vocab, 8, 12, 5);
  }
}

// Operands are read from every operator, each time for another caller (text_runs.h).
TEST(RandomMasks, TextsBeforeTheSameOperand) {
  const std::vector<std::string> vocab{
      "a",  "b",   "ab",  "1",     "-",  "--",   "---",  "-a",  "-1",  "-(",  "(-",
      "(",  ")",   "((",  "))",    "a)", "-a)",  "-a))", "+",   "*",   "+-",  "*-a",
      "a+", "a-a", "-a-", "-a b",  " ",  "  ",   " -",   "- ",  "- a", "-a ", "a ",
      ";",  "a;",  "-a;", "-a;a",  "[",  "]",    "[-a]", "a[-", "-a[", "]-",  "-if",
      "if", "if-", "if(", "-a if", "fa", "-ab;", "-b)",  "-a,", ",",   ",-",  "-a,-a)"};
  const char* const grammars[] = {
      // What follows an operand may begin like the rest of one.
      R"g(root ::= (sum ";" | "if" "(" sum ")" root)+
sum ::= product ("+" product | "-" product)*
product ::= unary ("*" unary)*
unary ::= "-" unary | atom
atom ::= [ab]+ | [0-9] | "(" sum ("," sum)* ")" | atom "[" sum "]")g",
      R"g(root ::= (sum ws ";" ws | "if" ws "(" ws sum ws ")" ws root)+
sum ::= unary (ws ("+" | "-" | "*") ws unary)*
unary ::= "-" ws unary | [ab]+ ws? | "(" ws sum ws ")"
ws ::= " "*)g",
      R"g(root ::= item ("a" item | "," item)* ";"
item ::= "-" item | "(" item "b"? ")" | name | name "if" item
name ::= [ab]+)g",
  };
  std::mt19937 random(7);
  for (const char* ebnf : grammars) {
    const auto grammar = ParseEbnf(ebnf);
    NaiveEarley naive(*grammar);
    const auto tokenizer = MakeTokenizer(vocab);
    const PartSizes sizes{2048, 256, 17, 0};
    Engine engine(
        grammar, tokenizer,
        std::make_shared<LocalMaskCache>(tokenizer, LocalMaskCache::kDefaultMaxBytes, sizes));
    for (int walk = 0; walk < 30; ++walk) Walk(&engine, &naive, &random, 12, ebnf);
    EXPECT_GT(engine.masks.num_runs(), 0) << ebnf;
  }
}

// --- differences from a base --------------------------------------------------------------------

TEST(RandomMasks, ForbiddenWordsInALoop) {
  // A trie of excluded keys inside the loop of a string body: the case that differences are for.
  CodePointNfa nfa;
  const int32_t start = nfa.AddState();
  nfa.AddEdge(start, CodePointSet({{0x20, 0x7E}, {0xA0, 0x2FFF}}), start);
  nfa.SetAccept(start);
  const CodePointDfa any = Determinize(nfa, 10);
  CodePointNfa words;
  words.AddState();
  for (const std::string word : {"abc", "ab", "bca", "cab"}) {
    int32_t state = 0;
    for (char c : word) {
      const int32_t next = words.AddState();
      words.AddEdge(state, CodePointSet::Single(static_cast<uint32_t>(c)), next);
      state = next;
    }
    words.SetAccept(state);
  }
  const CodePointDfa allowed = Intersect(any, Complement(Determinize(words, 100)), 1000);
  GrammarBuilder builder;
  const RuleId root = builder.AddRule("root");
  const RuleId key = builder.AddRule("key", RuleKind::kLexeme);
  builder.SetBody(key, builder.AddAutomaton(std::make_shared<const CodePointDfa>(allowed)));
  const ExprId zero = builder.AddByteString(std::string(1, '\0'));
  builder.SetBody(root, builder.AddSequence({builder.AddRuleRef(key), zero,
                                             builder.AddOptional(builder.AddRuleRef(root))}));
  const GrammarPtr grammar = builder.Build(root);
  NaiveEarley naive(*grammar);
  for (uint32_t seed = 0; seed < 12; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::string> vocab = RandomVocabulary(&random);
    for (const char* text : {"abc", "ab", "abca", "bca", "cab", "ca"}) vocab.emplace_back(text);
    for (const std::string text : {"ab", "abc", "bc", "a"})
      vocab.push_back(text + std::string(1, '\0') + text);
    const auto tokenizer = MakeTokenizer(vocab);
    Engine engine(grammar, tokenizer, std::make_shared<LocalMaskCache>(tokenizer));
    for (int walk = 0; walk < 6; ++walk) Walk(&engine, &naive, &random, 10, "keys");
  }
}

// --- limits of code points ----------------------------------------------------------------------

TEST(RandomMasks, LimitsOfCodePointsNearTheirEnd) {
  for (int64_t limit : {0, 1, 2, 5, 30}) {
    GrammarBuilder builder;
    const RuleId text = builder.AddRule("text");
    const RuleId root = builder.AddRule("root");
    builder.SetBody(text, builder.AddStar(builder.AddCharClass(
                              CodePointSet({{'a', 'c'}, {0xE9, 0xE9}, {0x20AC, 0x20AC}}))));
    RuleOptions options;
    options.max_chars = limit;
    builder.SetOptions(text, options);
    builder.SetBody(root,
                    builder.AddSequence({builder.AddRuleRef(text), builder.AddByteString("z")}));
    const GrammarPtr grammar = builder.Build(root);
    // The recogniser knows no options: a count says the same for this rule.
    const auto counted =
        ParseEbnf("root ::= [a-c\xC3\xA9\xE2\x82\xAC]{0," + std::to_string(limit) + "} \"z\"");
    NaiveEarley naive(*counted);
    for (uint32_t seed = 0; seed < 4; ++seed) {
      std::mt19937 random(seed);
      const auto tokenizer = MakeTokenizer(RandomVocabulary(&random));
      Engine engine(grammar, tokenizer, std::make_shared<LocalMaskCache>(tokenizer));
      for (int walk = 0; walk < 4; ++walk)
        Walk(&engine, &naive, &random, 14, "limit " + std::to_string(limit));
    }
  }
}

// --- bounds of lengths --------------------------------------------------------------------------

// A rule of an automaton with a bound, and "z"; and the same without the bound. `space`: any
// number of these stand around the rule.
GrammarPtr WithBound(const CodePointDfa& text, const RuleOptions& bound,
                     std::string_view space = "") {
  GrammarBuilder builder;
  const RuleId rule = builder.AddRule("text", RuleKind::kLexeme);
  const RuleId root = builder.AddRule("root");
  builder.SetBody(rule, builder.AddAutomaton(std::make_shared<const CodePointDfa>(text)));
  builder.SetOptions(rule, bound);
  const ExprId spaces = builder.AddStar(builder.AddByteString(space));
  builder.SetBody(root, builder.AddSequence({spaces, builder.AddRuleRef(rule), spaces,
                                             builder.AddByteString("z")}));
  return builder.Build(root);
}

void WalkBoth(const GrammarPtr& counted, const GrammarPtr& product, const std::string& label,
              const PartSizes& sizes = {}) {
  NaiveEarley naive(*product);
  for (uint32_t seed = 0; seed < 4; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::string> vocab = RandomVocabulary(&random);
    for (const char* text : {"ab", "abab", "b\\", "\\u", "\\na", "00", "\xC3\xA9\xC3"})
      vocab.emplace_back(text);
    const auto tokenizer = MakeTokenizer(vocab);
    const auto cache =
        std::make_shared<LocalMaskCache>(tokenizer, LocalMaskCache::kDefaultMaxBytes, sizes);
    Engine engine(counted, tokenizer, cache);
    for (int walk = 0; walk < 4; ++walk) Walk(&engine, &naive, &random, 14, label);
  }
}

// (ab | \xC3\xA9 \xC3\xA9 \u20ac)*, in which most places are some characters from the end.
TEST(RandomMasks, BoundsOfLengths) {
  std::vector<CodePointDfa::State> states(4);
  states[0].accept = true;
  states[0].edges = {{'a', 'a', 1}, {0xE9, 0xE9, 2}};
  states[1].edges = {{'b', 'b', 0}};
  states[2].edges = {{0xE9, 0xE9, 3}};
  states[3].edges = {{0x20AC, 0x20AC, 0}};
  const CodePointDfa text(std::move(states));
  for (const int64_t max : {0, 1, 2, 3, 7, 12, 100}) {
    for (const int64_t min : {0, 1, 2, 4, 9}) {
      RuleOptions bound;
      bound.min_length = min;
      // 100 is no bound for these walks.
      bound.max_length = max == 100 ? kUnbounded : max;
      const CodePointDfa both = Intersect(text, LengthRange(min, max, 1000), 1000);
      if (both.IsEmpty()) continue;
      WalkBoth(WithBound(text, bound), WithBound(both, {}),
               "length " + std::to_string(min) + " to " + std::to_string(max));
    }
  }
}

// Texts with ends of several lengths, in any of which a token may end or begin.
TEST(RandomMasks, BoundsOfLengthsOfRandomAutomata) {
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    const uint32_t num_states = 2 + random() % 4;
    std::vector<CodePointDfa::State> states(num_states);
    for (auto& state : states) {
      state.accept = random() % 2 == 0;
      for (const uint32_t c : {uint32_t{'a'}, uint32_t{'b'}, uint32_t{0xE9}}) {
        if (random() % 3 != 0)
          state.edges.push_back({c, c, static_cast<int32_t>(random() % num_states)});
      }
    }
    const CodePointDfa text(states);
    const auto min = static_cast<int64_t>(random() % 12);
    const int64_t max = random() % 3 == 0 ? kUnbounded : min + static_cast<int64_t>(random() % 4);
    const CodePointDfa both = Intersect(text, LengthRange(min, max, 1000), 1000);
    if (both.IsEmpty()) continue;
    RuleOptions bound;
    bound.min_length = min;
    bound.max_length = max;
    WalkBoth(WithBound(text, bound), WithBound(both, {}),
             "round " + std::to_string(round) + " length " + std::to_string(min) + " to " +
                 std::to_string(max));
  }
}

/// With several least lengths and texts between, in large parts and small ones.
void CompareLengths(const CodePointDfa& text, std::initializer_list<int64_t> maxima) {
  for (const int64_t max : maxima) {
    for (const int64_t min : {0, 1, 4}) {
      if (min > max) continue;
      RuleOptions bound;
      bound.min_length = min;
      bound.max_length = max;
      const CodePointDfa both = Intersect(text, LengthRange(min, max, 1000), 1000);
      for (const char* space : {"", "c", "a"}) {
        for (const PartSizes& sizes : {PartSizes{}, PartSizes{0, 0, 0, 0}}) {
          WalkBoth(WithBound(text, bound, space), WithBound(both, {}, space),
                   "length " + std::to_string(min) + " to " + std::to_string(max) + space, sizes);
        }
      }
    }
  }
}

// Texts without "ba" and of any other characters, which may end anywhere; what is read around them
// they read as well, but not at no cost.
TEST(RandomMasks, BoundsOfTextsThatMayEndAnywhere) {
  std::vector<CodePointDfa::State> states(2);
  states[0].edges = {{'a', 'a', 0}, {'b', 'b', 1}, {'c', 'y', 0}, {0x80, 0x10FFFF, 0}};
  states[1].edges = {{'b', 'b', 1}, {'c', 'y', 0}, {0x80, 0x10FFFF, 0}};
  for (auto& state : states) state.accept = true;
  const CodePointDfa text(std::move(states));
  CompareLengths(text, {1, 2, 4, 7, 11});
}

// Texts that end with "ab", or hold a `c`: until the end up to two characters more are needed, or
// none for the rest of the text. Which tokens fit is not a question of their lengths alone.
TEST(RandomMasks, BoundsOfTextsThatNeedMoreToEnd) {
  std::vector<CodePointDfa::State> states(4);
  states[0].edges = {{'a', 'a', 1}, {'b', 'b', 0}, {'c', 'c', 3}, {'d', 'y', 0}};
  states[1].edges = {{'a', 'a', 1}, {'b', 'b', 2}, {'c', 'c', 3}, {'d', 'y', 0}};
  states[2] = states[0];
  states[2].accept = true;
  states[3].edges = {{'a', 'y', 3}};
  states[3].accept = true;
  const CodePointDfa text(std::move(states));
  CompareLengths(text, {1, 2, 3, 5, 8, 11});
}

// After U+20A9 and U+00EC two characters more are needed, after U+20AC and U+00E9, which begin with
// the same bytes, none: tokens that hold only the last byte of a character are not of one length.
TEST(RandomMasks, BoundsOfTextsThatNeedMoreAfterOneLastByte) {
  std::vector<CodePointDfa::State> states(3);
  states[0].edges = {
      {'a', 'c', 0}, {0xE9, 0xE9, 0}, {0xEC, 0xEC, 1}, {0x20A9, 0x20A9, 1}, {0x20AC, 0x20AC, 0}};
  states[0].accept = true;
  states[1].edges = {{'a', 'c', 2}};
  states[2].edges = {{'a', 'c', 0}};
  CompareLengths(CodePointDfa(std::move(states)), {1, 2, 3, 5, 8, 11});
}

// Characters `a`, `b` and the escapes of U+000A, U+000B and U+001F; `\u001f` counts as one.
TEST(RandomMasks, BoundsOfJsonLengths) {
  std::vector<CodePointDfa::State> states(6);
  states[0].accept = true;
  states[0].edges = {{'\\', '\\', 1}, {'a', 'b', 0}};
  states[1].edges = {{'n', 'n', 0}, {'u', 'u', 2}};
  states[2].edges = {{'0', '0', 3}};
  states[3].edges = {{'0', '0', 4}};
  states[4].edges = {{'0', '1', 5}};
  states[5].edges = {{'b', 'b', 0}, {'f', 'f', 0}};
  const CodePointDfa text(std::move(states));
  for (const int64_t max : {0, 1, 2, 5, 9, 100}) {
    for (const int64_t min : {0, 1, 4}) {
      if (min > max) continue;
      RuleOptions bound;
      bound.min_escaped_length = min;
      bound.max_escaped_length = max == 100 ? kUnbounded : max;
      const std::string count = "{" + std::to_string(min) + "," + std::to_string(max) + "}";
      const GrammarPtr product =
          ParseEbnf(R"(root ::= ([ab] | "\\" ("n" | "u00" [01] [bf])))" + count + " \"z\"");
      WalkBoth(WithBound(text, bound), product, "json length " + count);
    }
  }
}

}  // namespace
}  // namespace xgrammar
