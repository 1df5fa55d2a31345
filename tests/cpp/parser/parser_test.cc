// Parser: which texts come back to the same set (loops, recursion of both sides, counts in the
// middle, members in another order), since time and memory rest on it; token items, literal steps,
// limits.
//
// Deep nesting needs no native stack, and threads find the same sets. Whether the parser accepts
// the right texts is in random_grammars_test.cc.
#include "parser/parser.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "frontend/ebnf/parser.h"
#include "grammar/builder.h"
#include "support/error.h"

namespace xgrammar {
namespace {

std::unique_ptr<Parser> Make(GrammarPtr grammar, uint32_t horizon = 3, const Limits& limits = {}) {
  return std::make_unique<Parser>(std::move(grammar), std::make_shared<DfaCache>(), nullptr,
                                  horizon, limits);
}
std::unique_ptr<Parser> Make(const std::string& ebnf, uint32_t horizon = 3,
                             const Limits& limits = {}) {
  return Make(ParseEbnf(ebnf), horizon, limits);
}
SetId After(Parser* parser, SetId set, std::string_view text) {
  for (char c : text) set = parser->Next(set, static_cast<uint8_t>(c));
  return set;
}
SetId After(const std::unique_ptr<Parser>& parser, std::string_view text) {
  return After(parser.get(), parser->start(), text);
}
bool Accepts(const std::unique_ptr<Parser>& parser, std::string_view text) {
  return parser->set(After(parser, text)).accepting;
}

TEST(Parser, TheDeadSetStaysDead) {
  const auto parser = Make("root ::= \"ab\"");
  EXPECT_EQ(After(parser, "b"), kDeadSet);
  EXPECT_EQ(After(parser, "bab"), kDeadSet);
  EXPECT_FALSE(parser->set(kDeadSet).accepting);
  EXPECT_TRUE(parser->set(kDeadSet).first.empty());
  EXPECT_EQ(After(parser, "aba"), kDeadSet);
  EXPECT_TRUE(Accepts(parser, "ab"));
}

TEST(Parser, LoopsComeBackToTheSameSet) {
  // Calls keep the loop from being folded into an automaton.
  const auto parser = Make("root ::= (x \",\")*\nx ::= \"(\" x \")\" | [0-9]");
  EXPECT_EQ(After(parser, "1,"), After(parser, "2,(3),4,"));
  EXPECT_EQ(After(parser, "1,("), After(parser, "1,1,1,("));
}

TEST(Parser, RightRecursionIsFlat) {
  const auto parser = Make("root ::= [a-z] root | \".\" x\nx ::= \"(\" x \")\" | \"y\"");
  const SetId once = After(parser, "abc");
  const int64_t sets = parser->num_sets();
  EXPECT_EQ(After(parser, std::string(20000, 'q')), once);
  EXPECT_LE(parser->num_sets(), sets + 2);
}

TEST(Parser, RightRecursionThroughSeveralRulesIsFlat) {
  const auto parser = Make(
      "root ::= item rest | \"!\" nest\nrest ::= \",\" again | \";\"\nagain ::= root\n"
      "item ::= \"<\" nest \">\"\nnest ::= \"(\" nest \")\" | \"y\"");
  const SetId once = After(parser, "<y>,");
  std::string text;
  for (int i = 0; i < 300; ++i) text += i % 2 == 0 ? "<y>," : "<((y))>,";
  EXPECT_EQ(After(parser, text), once);
}

TEST(Parser, LeftRecursionIsFlat) {
  const auto parser = Make("root ::= root \",\" x | x\nx ::= \"(\" root \")\" | [0-9]");
  const SetId two = After(parser, "1,2,3");
  const int64_t sets = parser->num_sets();
  std::string text = "1";
  for (int i = 0; i < 2000; ++i) text += ",7";
  EXPECT_EQ(After(parser, text), two);
  EXPECT_LE(parser->num_sets(), sets + 2);
  EXPECT_TRUE(Accepts(parser, text));
}

TEST(Parser, AmbiguousGrammarsAreMatched) {
  const auto parser = Make("root ::= \"a\" | root root");
  const SetId few = After(parser, "aaaa");
  EXPECT_TRUE(parser->set(few).accepting);
  EXPECT_TRUE(Accepts(parser, std::string(100, 'a')));
}

TEST(Parser, NullableLoopsEnd) {
  const auto parser = Make(
      "root ::= (a b c)* \"x\" \na ::= \"a\"* root2\nb ::= \"b\"*\nc ::= \"c\"* | root2\n"
      "root2 ::= \"(\" root2 \")\" | \"\"");
  EXPECT_TRUE(Accepts(parser, "aabbccabcx"));
  EXPECT_TRUE(Accepts(parser, "x"));
  EXPECT_FALSE(Accepts(parser, "aa"));
}

TEST(Parser, DeepNestingNeedsNoNativeStack) {
  const auto parser = Make("root ::= \"[\" root \"]\" | \"x\"");
  constexpr size_t kDepth = 100000;
  const SetId inside = After(parser, std::string(kDepth, '[') + "x");
  EXPECT_EQ(parser->set(inside).first.size(), 1);
  const SetId end = After(parser.get(), inside, std::string(kDepth, ']'));
  EXPECT_TRUE(parser->set(end).accepting);
  EXPECT_EQ(parser->Next(end, ']'), kDeadSet);
}

TEST(Parser, EqualContextsReachedByDifferentTextsAreOne) {
  const auto parser = Make("root ::= \"a\" x | \"b\" x\nx ::= \"(\" x \")\" | \"y\"");
  EXPECT_EQ(After(parser, "a("), After(parser, "b("));
  EXPECT_EQ(After(parser, "a((y)"), After(parser, "b((y)"));
  EXPECT_NE(After(parser, "a("), After(parser, "a(("));
}

// --- counts -------------------------------------------------------------------------------------

TEST(Parser, CountsInTheMiddleShareOneMask) {
  constexpr uint32_t kHorizon = 4;
  const auto parser = Make("root ::= [a-z]{20,60} \"!\"", kHorizon);
  const auto mask_set = [&](size_t n) {
    return parser->set(After(parser, std::string(n, 'q'))).mask_set;
  };
  const SetId owing = mask_set(1);
  for (size_t n = 1; n + kHorizon + 1 < 20; ++n) EXPECT_EQ(mask_set(n), owing) << n;
  const SetId free = mask_set(20);
  for (size_t n = 20; n + kHorizon + 1 < 60; ++n) EXPECT_EQ(mask_set(n), free) << n;
  EXPECT_NE(owing, free);
  std::set<SetId> near_the_end;
  for (size_t n = 60 - kHorizon; n <= 60; ++n) near_the_end.insert(mask_set(n));
  EXPECT_EQ(near_the_end.size(), kHorizon + 1);
}

TEST(Parser, CountsAreExact) {
  for (const char* ebnf : {"root ::= [a-c]{2,5}", "root ::= x{2,5}\nx ::= \"(\" x \")\" | [a-c]"}) {
    const auto parser = Make(ebnf);
    for (size_t n = 0; n < 8; ++n) {
      const std::string text(n, 'b');
      EXPECT_EQ(Accepts(parser, text), n >= 2 && n <= 5) << ebnf << n;
      EXPECT_EQ(After(parser, text) != kDeadSet, n <= 5) << ebnf << n;
    }
  }
}

TEST(Parser, CopiesThatLoopAtTheirStartAreCounted) {
  // The automaton of a copy comes back to its start before the copy is complete.
  const auto parser = Make("root ::= (\"a\"* \"b\"){2,900}");
  EXPECT_TRUE(Accepts(parser, "abb"));
  EXPECT_FALSE(Accepts(parser, "abba"));
  EXPECT_TRUE(Accepts(parser, "abbab"));
  EXPECT_FALSE(Accepts(parser, "aa"));
}

TEST(Parser, OpenCountsForgetPastTheMinimum) {
  const auto parser = Make("root ::= x{3,}\nx ::= \"(\" x \")\" | \"a\"");
  EXPECT_NE(After(parser, "a"), After(parser, "aa"));
  EXPECT_EQ(After(parser, "aaa"), After(parser, std::string(500, 'a')));
}

TEST(Parser, LargeCountsCostNothingUpFront) {
  const auto parser = Make("root ::= ([a-z]{0,2147483647} \"!\"){1000000000,2000000000}");
  EXPECT_LT(parser->num_automaton_states(), 100);
  EXPECT_NE(After(parser, "abc!!!d"), kDeadSet);
  EXPECT_FALSE(Accepts(parser, "abc!!!"));
}

TEST(Parser, CopiesThatCanBeEmptyFillUpTheMinimum) {
  const auto parser = Make("root ::= x{5,6}\nx ::= \"(\" x \")\" | \"a\" | \"\"");
  EXPECT_TRUE(Accepts(parser, ""));
  EXPECT_TRUE(Accepts(parser, "a()a"));
  EXPECT_TRUE(Accepts(parser, "aaaaaa"));
  EXPECT_EQ(After(parser, "aaaaaaa"), kDeadSet);
}

// --- whole tokens, literals, limits of a rule ---------------------------------------------------

TEST(Parser, OrdersOfTheSameMembersMeetInOneSet) {
  const auto parser = Make(
      "root ::= \"{\" AnyOrder(\",\", \"a=\" x, \"b=\" x, (\"bc=\" x)?, (\"d=\" x)*) \"}\"\n"
      "x ::= \"(\" x \")\" | [0-9]");
  EXPECT_EQ(After(parser, "{a=1,b=2,"), After(parser, "{b=(1),a=3,"));
  EXPECT_EQ(After(parser, "{d=1,a=1,bc=("), After(parser, "{a=1,d=1,d=2,bc=("));
  EXPECT_NE(After(parser, "{a=1,"), After(parser, "{b=1,"));
  EXPECT_EQ(After(parser, "{a=1,a"), kDeadSet);
  EXPECT_EQ(After(parser, "{b=1,b="), kDeadSet);
  EXPECT_NE(After(parser, "{b=1,bc="), kDeadSet);
  EXPECT_FALSE(Accepts(parser, "{a=1}"));
  EXPECT_TRUE(Accepts(parser, "{d=1,bc=2,b=1,a=1,d=3}"));
}

TEST(Parser, AThousandMembersInAnyOrderCostOneSetAByte) {
  std::string ebnf = "root ::= \"{\" AnyOrder(\",\"";
  std::string text = "{";
  for (int i = 999; i >= 0; --i) {
    ebnf += ", \"k" + std::to_string(i) + "=\" x";
    text += "k" + std::to_string(i) + (i == 0 ? "=1}" : "=1,");
  }
  const auto parser = Make(ebnf + ") \"}\"\nx ::= \"(\" x \")\" | [0-9]");
  EXPECT_TRUE(Accepts(parser, text));
  EXPECT_LE(parser->num_sets(), static_cast<int64_t>(text.size()) + 8);
  EXPECT_EQ(After(parser, text.substr(0, text.size() - 7) + "}"), kDeadSet);
}

TEST(Parser, TokenItemsTakeTokensAndText) {
  GrammarBuilder builder;
  const RuleId root = builder.AddRule("root");
  const ExprId listed = builder.AddTokenSet({3, 5}, false);
  const ExprId others = builder.AddTokenSet({3}, true);
  builder.SetBody(root,
                  builder.AddChoices({builder.AddSequence({listed, builder.AddByteString("x")}),
                                      builder.AddSequence({others, builder.AddByteString("y")}),
                                      builder.AddByteString("z")}));
  const auto parser = Make(builder.Build(root));
  const SetId start = parser->start();
  EXPECT_EQ(parser->set(start).token_items.size(), 2u);
  EXPECT_EQ(parser->set(start).first.size(), 1);
  const SetId three = parser->NextByToken(start, 3, false);
  EXPECT_TRUE(parser->set(three).first.Contains('x'));
  EXPECT_FALSE(parser->set(three).first.Contains('y'));
  const SetId five = parser->NextByToken(start, 5, false);
  EXPECT_EQ(parser->set(five).first.size(), 2);
  EXPECT_EQ(parser->set(parser->NextByToken(start, 5, true)).first.size(), 1);
  EXPECT_EQ(parser->NextByToken(start, 7, true), kDeadSet);
  EXPECT_TRUE(parser->set(parser->NextByToken(start, 7, false)).first.Contains('y'));
  EXPECT_EQ(parser->NextByToken(three, 3, false), kDeadSet);
}

TEST(Parser, UnitingAllowsWhatEitherAllows) {
  const auto parser = Make("root ::= \"a\" (\"b\" | \"c\" \"d\") | \"e\" \"f\"");
  const SetId a = After(parser, "a");
  const SetId e = After(parser, "e");
  const SetId both = parser->Unite(a, e);
  EXPECT_EQ(parser->Unite(e, a), both);
  EXPECT_EQ(parser->Unite(a, a), a);
  EXPECT_EQ(parser->Unite(a, kDeadSet), a);
  EXPECT_EQ(parser->Unite(kDeadSet, e), e);
  EXPECT_EQ(parser->set(both).first.size(), 3);
}

TEST(Parser, LiteralStepsLeaveClassesOut) {
  const std::vector<std::pair<std::string_view, int32_t>> tokens{{"<e>", 0}};
  const TokenTrie markers(tokens);
  // The literal holds a marker's text, so it keeps its edges; the class could read the same bytes.
  const auto grammar = ParseEbnf("root ::= \"<e>\" | [<=] [a-z] \"!\"");
  Parser parser(grammar, std::make_shared<DfaCache>(), &markers, 3, Limits{});
  EXPECT_TRUE(parser.has_marker_literals());
  const SetId any = parser.Next(parser.start(), '<');
  const SetId literal = parser.NextByLiteral(parser.start(), '<');
  EXPECT_TRUE(parser.set(any).first.Contains('z'));
  EXPECT_EQ(parser.set(literal).first.size(), 1);
  EXPECT_TRUE(parser.set(literal).first.Contains('e'));
  EXPECT_FALSE(Make("root ::= \"<e>\"")->has_marker_literals());
}

TEST(Parser, CodePointLimitsEndARuleWhereItCan) {
  GrammarBuilder builder;
  const RuleId text = builder.AddRule("text");
  const RuleId root = builder.AddRule("root");
  builder.SetBody(text,
                  builder.AddStar(builder.AddCharClass(CodePointSet({{'a', 'z'}, {0xE9, 0xE9}}))));
  RuleOptions options;
  options.max_chars = 3;
  builder.SetOptions(text, options);
  builder.SetBody(root,
                  builder.AddSequence({builder.AddRuleRef(text), builder.AddByteString("!")}));
  const auto parser = Make(builder.Build(root));
  EXPECT_TRUE(Accepts(parser, "!"));
  EXPECT_TRUE(Accepts(parser, "a\xC3\xA9z!"));
  EXPECT_EQ(After(parser, "a\xC3\xA9zz"), kDeadSet);
  EXPECT_EQ(parser->set(After(parser, "abc")).first.size(), 1);
}

TEST(Parser, LimitOfItemsIsAnError) {
  // One item for each alternative that is still possible.
  std::string ebnf = "root ::= ";
  for (int i = 0; i < 30; ++i) {
    ebnf += (i == 0 ? "" : " | ") + std::string("r") + std::to_string(i);
  }
  for (int i = 0; i < 30; ++i) {
    const std::string name = "r" + std::to_string(i);
    ebnf += "\n" + name + " ::= \"a\" " + name + " \"" + static_cast<char>('A' + i % 26) +
            std::to_string(i) + "\" | \"a\"";
  }
  Limits limits;
  const auto grammar = ParseEbnf(ebnf);
  limits.max_items = 2000;
  const auto wide = Make(grammar, 3, limits);
  EXPECT_NE(After(wide, "aa"), kDeadSet);
  limits.max_items = 20;
  try {
    After(Make(grammar, 3, limits), "aa");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kLimit);
    EXPECT_EQ(error.limit_name(), "max_items");
  }
}

TEST(Parser, UnsatisfiableGrammarsAreRefused) {
  try {
    Make("root ::= \"a\" root");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsatisfiable);
    EXPECT_NE(std::string(error.what()).find("\"root\""), std::string::npos);
  }
}

TEST(Parser, ThreadsFindTheSameSets) {
  const auto parser = Make(
      "root ::= value\nvalue ::= \"[\" (value (\",\" value)*)? \"]\" | [0-9]{1,30} | \"\\\"\" "
      "[a-z]* \"\\\"\"");
  const std::string text = "[1,[22,\"ab\",[]],333,[[[4],5],\"q\"],66666]";
  std::vector<std::vector<SetId>> paths(6);
  std::vector<std::thread> threads;
  for (auto& path : paths) {
    threads.emplace_back([&] {
      SetId set = parser->start();
      for (char c : text) path.push_back(set = parser->Next(set, static_cast<uint8_t>(c)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(parser->set(paths[0].back()).accepting);
  for (const auto& path : paths) EXPECT_EQ(path, paths[0]);
}

TEST(Parser, ExplainsItself) {
  const auto parser = Make("root ::= \"a\"");
  EXPECT_NE(parser->DebugString(parser->start()).find("unit"), std::string::npos);
  EXPECT_NE(parser->DebugString(kDeadSet).find("dead"), std::string::npos);
  EXPECT_GT(parser->MemorySizeBytes(), 0);
  EXPECT_EQ(parser->num_edges(), 0);
  After(parser, "a");
  EXPECT_EQ(parser->num_edges(), 1);
}

}  // namespace
}  // namespace xgrammar
