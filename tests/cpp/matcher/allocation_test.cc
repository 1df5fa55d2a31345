// No allocation on the warm path: once a matcher has been somewhere, filling masks, accepting
// tokens, rolling back and asking for the state take no memory.
//
// The global operators new and delete of this binary count, or under the address sanitizer, which
// has its own, a hook of the sanitizer; the count is per thread, so that other tests do not matter.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "frontend/json_schema/json_schema.h"
#include "matcher/batch.h"
#include "matcher/grammar_matcher.h"
#include "matcher/matcher_fixtures.h"
#include "support/thread_pool.h"

#ifdef __SANITIZE_ADDRESS__
// As in the sanitizers' <sanitizer/allocator_interface.h>, which not every package of GCC has.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void*,
                                                                             std::size_t),
                                                         void (*free_hook)(const volatile void*));
#endif

namespace {

thread_local int64_t num_allocations = 0;

#ifdef __SANITIZE_ADDRESS__
[[maybe_unused]] const int kHooks = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, size_t) { ++num_allocations; }, [](const volatile void*) {});
#else
void* Allocate(std::size_t size, std::size_t alignment) {
  ++num_allocations;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* place = alignment <= alignof(std::max_align_t)
                    ? std::malloc(size == 0 ? 1 : size)
                    : std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (place == nullptr) throw std::bad_alloc();
  return place;
}
#endif

}  // namespace

#ifndef __SANITIZE_ADDRESS__

void* operator new(std::size_t size) { return Allocate(size, alignof(std::max_align_t)); }
void* operator new[](std::size_t size) { return Allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* place) noexcept { std::free(place); }
void operator delete[](void* place) noexcept { std::free(place); }
void operator delete(void* place, std::size_t) noexcept { std::free(place); }
void operator delete[](void* place, std::size_t) noexcept { std::free(place); }
void operator delete(void* place, std::align_val_t) noexcept { std::free(place); }
void operator delete[](void* place, std::align_val_t) noexcept { std::free(place); }
void operator delete(void* place, std::size_t, std::align_val_t) noexcept { std::free(place); }
void operator delete[](void* place, std::size_t, std::align_val_t) noexcept { std::free(place); }
#endif

namespace xgrammar {
namespace {

TokenizerInfoPtr BytesAndPieces() {
  std::vector<std::string> texts;
  for (int byte = 0; byte < 256; ++byte) texts.emplace_back(1, static_cast<char>(byte));
  for (const char* text : {"{\"", "\": ", "\", \"", "abc", "12", "]}", "}}", "true", "\xc3\xa9x"})
    texts.emplace_back(text);
  return SmallTokenizer(texts);
}

/// The token that is longest among those the text begins with.
int64_t NextToken(const std::vector<std::string>& vocab, std::string_view text) {
  int64_t best = -1;
  for (size_t id = 2; id < vocab.size(); ++id) {
    const bool fits = text.substr(0, vocab[id].size()) == vocab[id];
    if (fits && (best < 0 || vocab[id].size() > vocab[static_cast<size_t>(best)].size()))
      best = static_cast<int64_t>(id);
  }
  return best;
}

std::vector<int64_t> Tokenize(const TokenizerInfoPtr& tokenizer, std::string_view text) {
  std::vector<int64_t> tokens;
  while (!text.empty()) {
    tokens.push_back(NextToken(tokenizer->decoded_vocab(), text));
    text.remove_prefix(tokenizer->decoded_vocab()[static_cast<size_t>(tokens.back())].size());
  }
  tokens.push_back(0);
  return tokens;
}

/// One generation with draft steps that are taken back; false if a token is refused.
bool Generate(const std::vector<int64_t>& tokens, std::span<int32_t> row, GrammarMatcher* matcher) {
  matcher->Reset();
  for (int64_t token : tokens) {
    matcher->FillNextTokenBitmask(row);
    if (!matcher->AcceptToken(token)) return false;
    matcher->Rollback(1);
    if (matcher->AcceptToken(1) || !matcher->AcceptToken(token)) return false;
    if (matcher->IsCompleted() && matcher->IsTerminated()) return token == 0;
  }
  return false;
}

class AllocationTest : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(AllocationTest, WarmStepsTakeNoMemory) {
  const auto [schema, text] = GetParam();
  const TokenizerInfoPtr tokenizer = BytesAndPieces();
  const CompiledGrammarPtr compiled =
      Compile(JsonSchemaToGrammar(schema, JsonSchemaOptions{}, Limits{}).grammar, tokenizer);
  const std::vector<int64_t> tokens = Tokenize(tokenizer, text);
  GrammarMatcher matcher(compiled, MatcherOptions{});
  std::vector<int32_t> row(NumWords(matcher));
  ASSERT_TRUE(Generate(tokens, row, &matcher)) << text;
  const int64_t before = num_allocations;
  const bool accepted = Generate(tokens, row, &matcher);
  EXPECT_EQ(num_allocations - before, 0);
  EXPECT_TRUE(accepted);
}

INSTANTIATE_TEST_SUITE_P(
    Schemas, AllocationTest,
    testing::Values(
        std::pair{R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"array",)"
                  R"("items":{"type":"integer"}}},"required":["a","b"]})",
                  R"({"a": "abc d)"
                  "\xc3\xa9"
                  R"(x \n", "b": [1, 22, -3]})"},
        std::pair{R"({"type":"array","items":{"type":"string","maxLength":40}})",
                  R"(["abc", "", "abcabc"])"},
        std::pair{R"({"$ref":"#/$defs/t","$defs":{"t":{"type":"object","properties":)"
                  R"({"c":{"$ref":"#/$defs/t"}}}}})",
                  R"({"c": {"c": {"c": {}}}})"},
        std::pair{R"({"type":"string","pattern":"^([a-c]+ ?){1,9}$"})", R"("abc ab c")"}));

TEST(AllocationTest, TheCounterCounts) {
  const int64_t before = num_allocations;
  const auto value = std::make_unique<std::vector<int>>(100);
  EXPECT_EQ(num_allocations - before, 2);
  EXPECT_EQ(value->size(), 100u);
}

TEST(AllocationTest, AColdStepTakesMemory) {
  const TokenizerInfoPtr tokenizer = BytesAndPieces();
  const CompiledGrammarPtr compiled = Compile("root ::= [a-z]+ \"(\" root? \")\"", tokenizer);
  GrammarMatcher matcher(compiled, MatcherOptions{});
  const int64_t before = num_allocations;
  ASSERT_TRUE(matcher.AcceptString("ab(c"));
  EXPECT_GT(num_allocations, before);
}

}  // namespace
}  // namespace xgrammar
