// Limits: each field of Limits just inside and just over its bound. While compiling an error that
// names the field; while matching the failed state, which only stop tokens leave and a rollback
// recovers from.
#include <gtest/gtest.h>

#include "compiler/grammar_compiler.h"
#include "matcher/grammar_matcher.h"
#include "matcher/matcher_fixtures.h"

namespace xgrammar {
namespace {

// --- compiling ----------------------------------------------------------------------------------

/// The name of the limit that compiling exceeds, or "".
template <typename Call>
std::string Exceeded(const Limits& limits, const Call& call) {
  CompilerOptions options;
  options.limits = limits;
  GrammarCompiler compiler(SmallTokenizer({"a"}), options);
  try {
    call(&compiler);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kLimit) << error.what();
    EXPECT_GT(error.limit_value(), error.limit_maximum());
    return error.limit_name();
  }
  return "";
}

TEST(Limits, SourceBytes) {
  Limits limits;
  limits.max_source_bytes = 40;
  for (size_t size : {40u, 41u}) {
    const std::string expected = size == 40 ? "" : "max_source_bytes";
    EXPECT_EQ(Exceeded(limits, [&](auto* c) { c->CompileRegex(std::string(size, 'a')); }),
              expected);
    const std::string text(size - 11, 'a');
    EXPECT_EQ(
        Exceeded(limits, [&](auto* c) { c->CompileEbnf("root ::= \"" + text + "\"", "root"); }),
        expected);
    const std::string title(size - 12, 'a');
    EXPECT_EQ(Exceeded(limits,
                       [&](auto* c) { c->CompileJsonSchema("{\"title\":\"" + title + "\"}", {}); }),
              expected);
  }
}

TEST(Limits, Nesting) {
  Limits limits;
  limits.max_nesting = 20;
  const auto nested = [](int depth) {
    const auto n = static_cast<size_t>(depth);
    return std::string(n, '(') + "a" + std::string(n, ')');
  };
  const auto array = [](int depth) {
    std::string text = "{}";
    for (int i = 1; i < depth; ++i) text = "{\"items\":" + text + "}";
    return text;
  };
  EXPECT_EQ(Exceeded(limits, [&](auto* c) { c->CompileRegex(nested(15)); }), "");
  EXPECT_EQ(Exceeded(limits, [&](auto* c) { c->CompileRegex(nested(25)); }), "max_nesting");
  const auto quoted = [&](int depth) {
    const auto n = static_cast<size_t>(depth);
    return "root ::= " + std::string(n, '(') + "\"a\"" + std::string(n, ')');
  };
  EXPECT_EQ(Exceeded(limits, [&](auto* c) { c->CompileEbnf(quoted(15), "root"); }), "");
  EXPECT_EQ(Exceeded(limits, [&](auto* c) { c->CompileEbnf(quoted(25), "root"); }), "max_nesting");
  EXPECT_EQ(Exceeded(limits, [&](auto* c) { c->CompileJsonSchema(array(15), {}); }), "");
  // A level of a schema takes two of JSON, so its text may nest twice the limit.
  EXPECT_EQ(Exceeded(limits, [&](auto* c) { c->CompileJsonSchema(array(45), {}); }), "max_nesting");
}

TEST(Limits, DefaultNestingWorksAtAThousand) {
  const auto n = size_t{1000};
  const std::string regex = std::string(n, '(') + "a" + std::string(n, ')');
  std::string ebnf = "root ::= " + std::string(n, '(') + "\"a\"" + std::string(n, ')');
  std::string schema = "{}";
  for (size_t i = 0; i < n; ++i) schema = "{\"type\":\"array\",\"items\":" + schema + "}";
  EXPECT_EQ(Exceeded({}, [&](auto* c) { c->CompileRegex(regex); }), "");
  EXPECT_EQ(Exceeded({}, [&](auto* c) { c->CompileEbnf(ebnf, "root"); }), "");
  EXPECT_EQ(Exceeded({}, [&](auto* c) { c->CompileJsonSchema(schema, {}); }), "");
}

TEST(Limits, Rules) {
  Limits limits;
  limits.max_rules = 10;
  for (int rules : {10, 11}) {
    std::string ebnf = "root ::= \"a\"";
    for (int i = 1; i < rules; ++i) ebnf += "\nr" + std::to_string(i) + " ::= \"b\"";
    EXPECT_EQ(Exceeded(limits, [&](auto* c) { c->CompileEbnf(ebnf, "root"); }),
              rules == 10 ? "" : "max_rules");
  }
}

TEST(Limits, Repeat) {
  Limits limits;
  limits.max_repeat = 100;
  for (int bound : {100, 101}) {
    const std::string text = std::to_string(bound);
    const std::string expected = bound == 100 ? "" : "max_repeat";
    EXPECT_EQ(Exceeded(limits, [&](auto* c) { c->CompileRegex("a{0," + text + "}"); }), expected);
    EXPECT_EQ(
        Exceeded(limits, [&](auto* c) { c->CompileEbnf("root ::= \"a\"{" + text + ",}", "root"); }),
        expected);
    EXPECT_EQ(Exceeded(limits,
                       [&](auto* c) {
                         c->CompileJsonSchema("{\"type\":\"string\",\"maxLength\":" + text + "}",
                                              {});
                       }),
              expected);
  }
  const Limits defaults;
  EXPECT_EQ(Exceeded(defaults, [&](auto* c) { c->CompileRegex("a{0,2147483647}"); }), "");
  EXPECT_EQ(Exceeded(defaults, [&](auto* c) { c->CompileRegex("a{0,2147483648}"); }), "max_repeat");
  // No text is that long: the same as no maximum.
  EXPECT_EQ(Exceeded(defaults, [&](auto* c) { c->CompileJsonSchema(R"({"maxLength":9e18})", {}); }),
            "");
}

TEST(Limits, GrammarSize) {
  Limits limits;
  limits.max_grammar_size = 400;
  const auto words = [](int count) {
    std::string ebnf = "root ::= \"w0\"";
    for (int i = 1; i < count; ++i) ebnf += " | \"w" + std::to_string(i) + "\" [a-z]";
    return ebnf;
  };
  EXPECT_EQ(Exceeded(limits, [&](auto* c) { c->CompileEbnf(words(50), "root"); }), "");
  EXPECT_EQ(Exceeded(limits, [&](auto* c) { c->CompileEbnf(words(1000), "root"); }),
            "max_grammar_size");
}

TEST(Limits, DfaStates) {
  Limits limits;
  limits.max_dfa_states = 500;
  // A pattern that must become an automaton: it meets another.
  const auto schema = [](int n) {
    const std::string count = std::to_string(n);
    return "{\"type\":\"string\",\"allOf\":[{\"pattern\":\"^[a-z]{" + count +
           "}\"},{\"pattern\":\"[0-9]{2}$\"}]}";
  };
  EXPECT_EQ(Exceeded(limits, [&](auto* c) { c->CompileJsonSchema(schema(20), {}); }), "");
  EXPECT_EQ(Exceeded(limits, [&](auto* c) { c->CompileJsonSchema(schema(2000), {}); }),
            "max_dfa_states");
}

TEST(Limits, SchemaExpansion) {
  Limits limits;
  limits.max_schema_expansion = 200;
  const auto schema = [](int n) {
    std::string text;
    for (int i = 0; i < n; ++i) {
      text += std::string(i == 0 ? "" : ",") + "{\"anyOf\":[{\"required\":[\"a" +
              std::to_string(i) + "\"]},{\"required\":[\"b" + std::to_string(i) + "\"]}]}";
    }
    return "{\"type\":\"object\",\"allOf\":[" + text + "]}";
  };
  EXPECT_EQ(Exceeded(limits, [&](auto* c) { c->CompileJsonSchema(schema(2), {}); }), "");
  EXPECT_EQ(Exceeded(limits, [&](auto* c) { c->CompileJsonSchema(schema(14), {}); }),
            "max_schema_expansion");
}

// --- matching -----------------------------------------------------------------------------------

/// Every letter may end any number of parts of two kinds that wait for each other, so the items
/// grow with the text.
const char* const kAmbiguous = "root ::= s \"c\"\ns ::= \"a\" | t t\nt ::= \"a\" | s s";

class FailedStateTest : public testing::Test {
 protected:
  static CompiledGrammarPtr CompileNarrow(const std::string& last_token = "!") {
    Limits limits;
    limits.max_items = 60;
    return Compile(kAmbiguous, SmallTokenizer({"a", "b", "c", "!", last_token}), limits);
  }
  /// Accepts letters until the limit is reached; returns how many were accepted.
  static int Exhaust(GrammarMatcher* matcher) {
    for (int i = 0; i < 1000; ++i) {
      if (!matcher->AcceptToken(2)) return i;
    }
    ADD_FAILURE() << "the limit was not reached";
    return 0;
  }
};

TEST_F(FailedStateTest, AcceptingFailsAndOnlyStopTokensAreAllowed) {
  GrammarMatcher matcher(CompileNarrow(), {});
  const int accepted = Exhaust(&matcher);
  EXPECT_GT(accepted, 3);
  EXPECT_EQ(matcher.num_steps(), accepted);
  EXPECT_NE(matcher.limit_error().find("max_items"), std::string::npos);
  EXPECT_NE(matcher.DebugString().find("failed"), std::string::npos);
  EXPECT_EQ(MaskIds(&matcher), std::set<int32_t>{0});
  for (int64_t token : {1, 2, 3, 4, 5, 6}) EXPECT_FALSE(matcher.AcceptToken(token));
  EXPECT_FALSE(matcher.AcceptString("a"));
  EXPECT_EQ(matcher.FindJumpForwardString(), "");
  EXPECT_TRUE(matcher.AcceptToken(0));
  EXPECT_TRUE(matcher.IsTerminated());
}

TEST_F(FailedStateTest, ForcedTextEndsWhereALimitDoes) {
  Limits limits;
  limits.max_items = 4;
  const char* const grammar =
      "root ::= \"ab\" (p | q | r | s)\np ::= p \"c\" | \"c\"\nq ::= q \"d\" | \"c\"\n"
      "r ::= r \"e\" | \"c\"\ns ::= s \"f\" | \"c\"";
  GrammarMatcher matcher(Compile(grammar, SmallTokenizer({"a", "b", "c"}), limits), {});
  EXPECT_EQ(matcher.FindJumpForwardString(), "a");
  EXPECT_TRUE(matcher.AcceptToken(2));
  EXPECT_FALSE(matcher.AcceptToken(3));
  EXPECT_NE(matcher.limit_error().find("max_items"), std::string::npos);
}

TEST_F(FailedStateTest, RollbackRecovers) {
  GrammarMatcher matcher(CompileNarrow(), {});
  ASSERT_TRUE(matcher.AcceptToken(2));
  const auto early = MaskIds(&matcher);
  const int accepted = Exhaust(&matcher);
  matcher.Rollback(accepted);
  EXPECT_TRUE(matcher.limit_error().empty());
  EXPECT_EQ(matcher.num_steps(), 1);
  EXPECT_EQ(MaskIds(&matcher), early);
  EXPECT_TRUE(matcher.AcceptToken(4));
  EXPECT_TRUE(matcher.AcceptToken(0));
}

TEST_F(FailedStateTest, RollingBackTheStopTokenLeavesItFailed) {
  GrammarMatcher matcher(CompileNarrow(), {});
  Exhaust(&matcher);
  ASSERT_TRUE(matcher.AcceptToken(0));
  matcher.Rollback(1);
  EXPECT_FALSE(matcher.IsTerminated());
  EXPECT_EQ(MaskIds(&matcher), std::set<int32_t>{0});
  EXPECT_FALSE(matcher.limit_error().empty());
}

TEST_F(FailedStateTest, AMaskThatCannotBeMadeFailsToo) {
  // The long token cannot be followed to its end, so its bit cannot be known.
  GrammarMatcher matcher(CompileNarrow(std::string(1000, 'a')), {});
  EXPECT_EQ(MaskIds(&matcher), std::set<int32_t>{0});
  EXPECT_FALSE(matcher.limit_error().empty());
  matcher.Reset();
  EXPECT_TRUE(matcher.limit_error().empty());
  EXPECT_TRUE(matcher.AcceptToken(2));
}

TEST_F(FailedStateTest, OthersGoOn) {
  const auto compiled = CompileNarrow();
  GrammarMatcher failed(compiled, {});
  Exhaust(&failed);
  GrammarMatcher fork = failed.Fork();
  EXPECT_EQ(MaskIds(&fork), std::set<int32_t>{0});
  fork.Reset();
  GrammarMatcher other(compiled, {});
  for (GrammarMatcher* matcher : {&fork, &other}) {
    EXPECT_TRUE(matcher->AcceptString("aac"));
    EXPECT_TRUE(matcher->IsCompleted());
  }
}

TEST_F(FailedStateTest, DraftTreesLeaveTheMatcherAsItWas) {
  GrammarMatcher matcher(CompileNarrow(std::string(1000, 'a')), {});
  ASSERT_TRUE(matcher.AcceptToken(2));
  const std::vector<int64_t> next{1, -1};
  const std::vector<int64_t> sibling{-1, -1};
  const std::vector<int64_t> tokens{0, 6};
  std::vector<int32_t> rows(2, -1);
  EXPECT_TRUE(matcher.TraverseDraftTree(next, sibling, tokens, rows.data(), 1, -1));
  EXPECT_TRUE(matcher.limit_error().empty());
  EXPECT_TRUE(matcher.AcceptToken(2));
}

TEST(Limits, StateBytesFailTheMatcherAndTheNextOneIsFresh) {
  Limits limits;
  limits.max_state_bytes = 60000;
  const auto compiled =
      Compile("root ::= \"(\" root \")\" | \"a\"", SmallTokenizer({"(", "a", ")"}), limits);
  GrammarMatcher matcher(compiled, {});
  int depth = 0;
  while (depth < 100000 && matcher.AcceptToken(2)) ++depth;
  EXPECT_LT(depth, 100000);
  EXPECT_NE(matcher.limit_error().find("max_state_bytes"), std::string::npos);
  EXPECT_EQ(MaskIds(&matcher), std::set<int32_t>{0});
  GrammarMatcher next(compiled, {});
  EXPECT_TRUE(next.AcceptToken(2) && next.AcceptToken(3) && next.AcceptToken(4));
  matcher.Reset();
  EXPECT_TRUE(matcher.AcceptToken(2));
}

// Every text makes states that no other does: the bits of a number, and who waits for each.
constexpr char kNumbers[] = "root ::= item*\nitem ::= \"(\" item \")\" | \"[\" item \"]\" | \"a\"";

/// An item that no other number has.
std::string ItemOf(int number) {
  std::string open;
  std::string close;
  for (int bits = number; bits > 0; bits /= 2) {
    open += bits % 2 == 0 ? "(" : "[";
    close = (bits % 2 == 0 ? ")" : "]") + close;
  }
  return open + "a" + close;
}

TEST(Limits, AMatcherLeavesStatesThatItDoesNotNeedBehind) {
  Limits limits;
  limits.max_state_bytes = 200000;
  const auto compiled = Compile(kNumbers, SmallTokenizer({"(", ")", "[", "]", "a"}), limits);
  GrammarMatcher matcher(compiled, {});
  GrammarMatcher other(compiled, {});
  ASSERT_TRUE(matcher.AcceptToken(4) && matcher.AcceptToken(6));
  const auto first = compiled->generation();
  const auto mask = MaskIds(&matcher);
  for (int i = 1; i < 3000; ++i) {
    ASSERT_TRUE(other.AcceptString(ItemOf(i))) << i << other.limit_error();
    other.Rollback(1);
  }
  EXPECT_NE(compiled->generation(), first);
  EXPECT_EQ(MaskIds(&matcher), mask);
  EXPECT_TRUE(matcher.AcceptToken(5));
  EXPECT_TRUE(matcher.IsCompleted());
  EXPECT_TRUE(matcher.AcceptString("(a"));
  matcher.Rollback(2);
  EXPECT_EQ(MaskIds(&matcher), mask);
  EXPECT_EQ(matcher.num_steps(), 2);
  EXPECT_TRUE(matcher.AcceptString("]"));
}

}  // namespace
}  // namespace xgrammar
