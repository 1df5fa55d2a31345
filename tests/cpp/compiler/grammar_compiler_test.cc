// GrammarCompiler: every kind of source compiles, equal requests are one object, and keys of the
// cache tell all options and all kinds of sources apart.
//
// Limits reach the front ends and errors keep their kinds on the way out; threads share one
// compiler. What a source means is the matter of the front ends' tests, how the cache evicts that
// of compile_cache_test.cc.
#include "compiler/grammar_compiler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <set>
#include <thread>
#include <vector>

#include "frontend/ebnf/parser.h"
#include "support/error.h"

namespace xgrammar {
namespace {

TokenizerInfoPtr Tokenizer() {
  return TokenizerInfo::Make({"a", "b", "{", "}", "\"", "[", "]", "1"}, {});
}

bool Accepts(const CompiledGrammarPtr& compiled, std::string_view text) {
  const auto generation = compiled->generation();
  SetId set = generation->parser.start();
  for (char c : text) set = generation->parser.Next(set, static_cast<uint8_t>(c));
  return generation->parser.set(set).accepting;
}

ErrorKind KindOfError(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorKind::kInternal;
}

TEST(GrammarCompiler, CompilesEveryKindOfSource) {
  GrammarCompiler compiler(Tokenizer(), {});
  const auto schema = compiler.CompileJsonSchema(R"({"type":"integer"})", {});
  EXPECT_TRUE(Accepts(schema, "12"));
  EXPECT_FALSE(Accepts(schema, "\"a\""));
  EXPECT_TRUE(Accepts(compiler.CompileBuiltinJsonGrammar(), "[1]"));
  EXPECT_TRUE(Accepts(compiler.CompileRegex("a+b"), "aab"));
  EXPECT_TRUE(Accepts(compiler.CompileEbnf("start ::= \"x\"", "start"), "x"));
  EXPECT_TRUE(Accepts(compiler.CompileGrammar(ParseEbnf("root ::= \"y\"")), "y"));
  EXPECT_EQ(schema->tokenizer_info(), compiler.tokenizer_info());
}

TEST(GrammarCompiler, EqualRequestsAreOneObject) {
  GrammarCompiler compiler(Tokenizer(), {});
  EXPECT_EQ(compiler.CompileRegex("a+"), compiler.CompileRegex("a+"));
  EXPECT_EQ(compiler.CompileBuiltinJsonGrammar(), compiler.CompileBuiltinJsonGrammar());
  const auto grammar = ParseEbnf("root ::= \"y\"");
  EXPECT_EQ(compiler.CompileGrammar(grammar), compiler.CompileGrammar(ParseEbnf("root ::= \"y\"")));
  EXPECT_GT(compiler.CacheSizeBytes(), 0);
  const auto held = compiler.CompileRegex("a+");
  compiler.ClearCache();
  EXPECT_EQ(compiler.CacheSizeBytes(), 0);
  EXPECT_NE(compiler.CompileRegex("a+"), held);
}

TEST(GrammarCompiler, KeysTellAllArgumentsApart) {
  GrammarCompiler compiler(Tokenizer(), {});
  const std::string schema = R"({"type":"array","items":{"type":"integer"}})";
  std::vector<JsonSchemaOptions> all(1);
  const auto add = [&](auto change) {
    all.emplace_back();
    change(all.back());
  };
  add([](auto& o) { o.any_whitespace = false; });
  add([](auto& o) { o.strict_mode = false; });
  add([](auto& o) { o.any_order = true; });
  add([](auto& o) { o.lenient = true; });
  add([](auto& o) { o.any_whitespace = false, o.indent = 0; });
  add([](auto& o) { o.any_whitespace = false, o.indent = 2; });
  add([](auto& o) { o.any_whitespace = false, o.separators = {",", ":"}; });
  add([](auto& o) { o.any_whitespace = false, o.separators = {", ", ":"}; });
  add([](auto& o) { o.max_whitespace_cnt = 1; });
  add([](auto& o) { o.max_whitespace_cnt = 2; });
  std::set<CompiledGrammarPtr> distinct;
  for (const JsonSchemaOptions& options : all)
    distinct.insert(compiler.CompileJsonSchema(schema, options));
  EXPECT_EQ(distinct.size(), all.size());
  for (const JsonSchemaOptions& options : all)
    distinct.insert(compiler.CompileJsonSchema(schema, options));
  EXPECT_EQ(distinct.size(), all.size());
  // The same text as different kinds of source.
  const std::string text = "root ::= \"a\"\nb ::= \"c\"";
  distinct = {compiler.CompileEbnf(text, "root"), compiler.CompileEbnf(text, "b"),
              compiler.CompileRegex("a"), compiler.CompileEbnf("a ::= \"a\"", "a")};
  EXPECT_EQ(distinct.size(), 4u);
}

TEST(GrammarCompiler, LocalMasksAreSharedBetweenGrammars) {
  GrammarCompiler compiler(Tokenizer(), {});
  const auto a =
      compiler.CompileJsonSchema(R"({"type":"object","properties":{"a":{"type":"string"}}})", {});
  const auto b =
      compiler.CompileJsonSchema(R"({"type":"object","properties":{"b":{"type":"string"}}})", {});
  EXPECT_EQ(a->generation()->local_masks, b->generation()->local_masks);
}

TEST(GrammarCompiler, TheCacheKeepsToItsLimit) {
  CompilerOptions options;
  options.cache_limit_bytes = 60000;
  GrammarCompiler compiler(Tokenizer(), options);
  EXPECT_EQ(compiler.cache_limit_bytes(), 60000);
  for (int i = 0; i < 40; ++i) {
    compiler.CompileRegex("a{" + std::to_string(i) + "}");
    EXPECT_LE(compiler.CacheSizeBytes(), 60000);
  }
  options.cache_limit_bytes = -2;
  EXPECT_EQ(KindOfError([&] { GrammarCompiler(Tokenizer(), options); }), ErrorKind::kUsage);
}

TEST(GrammarCompiler, LimitsReachTheFrontEnds) {
  CompilerOptions options;
  options.limits.max_source_bytes = 30;
  GrammarCompiler compiler(Tokenizer(), options);
  EXPECT_NE(compiler.CompileRegex(std::string(30, 'a')), nullptr);
  const std::string long_text(31, 'a');
  EXPECT_EQ(KindOfError([&] { compiler.CompileRegex(long_text); }), ErrorKind::kLimit);
  EXPECT_EQ(KindOfError([&] { compiler.CompileEbnf("root ::= \"" + long_text + "\"", "root"); }),
            ErrorKind::kLimit);
  EXPECT_EQ(
      KindOfError([&] { compiler.CompileJsonSchema("{\"title\":\"" + long_text + "\"}", {}); }),
      ErrorKind::kLimit);
}

TEST(GrammarCompiler, ErrorsKeepTheirKinds) {
  GrammarCompiler compiler(Tokenizer(), {});
  EXPECT_EQ(KindOfError([&] { compiler.CompileRegex("("); }), ErrorKind::kGrammarSyntax);
  EXPECT_EQ(KindOfError([&] { compiler.CompileEbnf("root ::= a", "root"); }),
            ErrorKind::kGrammarSyntax);
  EXPECT_EQ(KindOfError([&] { compiler.CompileEbnf("root ::= \"a\" root", "root"); }),
            ErrorKind::kUnsatisfiable);
  EXPECT_EQ(KindOfError([&] { compiler.CompileJsonSchema("{", {}); }), ErrorKind::kInvalidJson);
  EXPECT_EQ(KindOfError([&] { compiler.CompileJsonSchema(R"({"type":5})", {}); }),
            ErrorKind::kJsonSchema);
  EXPECT_EQ(compiler.CacheSizeBytes(), 0);
}

TEST(GrammarCompiler, ThreadsShareOneCompiler) {
  CompilerOptions options;
  options.cache_limit_bytes = 80000;
  GrammarCompiler compiler(Tokenizer(), options);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        const int n = (i * 5 + t) % 9;
        const auto regex = compiler.CompileRegex("a{" + std::to_string(n) + "}b");
        if (!Accepts(regex, std::string(static_cast<size_t>(n), 'a') + "b")) ++wrong;
        const auto schema = compiler.CompileJsonSchema("{\"const\":" + std::to_string(n) + "}", {});
        if (!Accepts(schema, std::to_string(n)) || Accepts(schema, "x")) ++wrong;
        if (i == 12) compiler.ClearCache();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace xgrammar
