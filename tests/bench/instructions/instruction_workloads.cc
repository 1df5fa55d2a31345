// Stage: benchmark. Fixed workloads over the whole core, one per run, for counting instructions.
//
// usage: instruction_workloads NAME (without a name: lists them). Preparation is outside of
// MeasuredSection, inside of which callgrind collects (--toggle-collect); it is run once. Sources
// and texts are fixed and small, the vocabulary is that of synthetic_vocabulary.h. Every walk
// checks that the text is accepted, so that a workload never counts an early end. Times are not
// measured here: tests/bench does that on real vocabularies.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/grammar_compiler.h"
#include "matcher/grammar_matcher.h"
#include "measured_section.h"
#include "synthetic_vocabulary.h"

namespace xgrammar::bench {
namespace {

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "id": {"type": "string", "format": "uuid"},
    "kind": {"enum": ["invoice", "order", "refund", "transfer"]},
    "created": {"type": "string", "format": "date-time"},
    "count": {"type": "integer", "minimum": 0, "maximum": 65535},
    "total": {"type": "number", "exclusiveMinimum": 0},
    "note": {"type": "string", "maxLength": 200},
    "code": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4,8}$"},
    "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 10},
    "address": {"$ref": "#/$defs/address"},
    "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}},
    "extra": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/address"}, {"type": "boolean"}]}
  },
  "required": ["id", "kind", "count", "lines"],
  "additionalProperties": {"type": ["string", "number"]},
  "$defs": {
    "address": {
      "type": "object",
      "properties": {"street": {"type": "string"}, "city": {"type": "string"},
                     "parent": {"$ref": "#/$defs/address"}},
      "required": ["city"], "additionalProperties": false
    },
    "line": {
      "type": "object",
      "properties": {"item": {"type": "string", "minLength": 1}, "amount": {"type": "integer"},
                     "price": {"type": "number"}},
      "required": ["item", "amount"], "additionalProperties": false
    }
  }
})";
constexpr std::string_view kFormats =
    R"({"items": {"anyOf": [{"type": "string", "format": "uuid"},
                            {"type": "string", "format": "date-time"}]}})";
constexpr std::string_view kInstance =
    R"({"id": "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "kind": "order", )"
    R"("created": "2026-11-30T12:00:00Z", "count": 1234, "total": 99.5, )"
    R"("note": "lorem ipsum dolor, \"quoted\" and 中文\n", "code": "AB-123456", )"
    R"("tags": ["red", "green", "blue"], "address": {"street": "Main 1", "city": "Oslo", )"
    R"("parent": {"city": "Bergen"}}, "lines": [{"item": "nut", "amount": 7, "price": 0.25}, )"
    R"({"item": "bolt", "amount": 12}], "extra": null, "more": "text", "size": 12.5e3})";
constexpr std::string_view kGrammar = R"ebnf(root ::= (statement "\n")+
statement ::= name space "=" space sum | sum
sum ::= product (space [-+] space product)*
product ::= atom (space [*/] space atom)*
atom ::= number | name | call | "(" space sum space ")"
call ::= name "(" space (sum (space "," space sum)*)? space ")"
name ::= [a-z_] [a-z0-9_]{0,31}
number ::= [0-9]+ ("." [0-9]+)?
space ::= " "*
)ebnf";
constexpr std::string_view kProgram =
    "total = (first + second) * 12.5 - f(a, b + 1)\narea=width*height\nmax( x , g(y, 3) ) / 2\n";
constexpr std::string_view kPattern =
    R"((\[(INFO|WARN|ERROR)\] [a-z_]{1,20}(\.[a-z_]{1,20}){0,5}: [^\n]{0,200}\n){1,50})";
constexpr std::string_view kLog =
    "[INFO] server.start: listening on port 8080\n[ERROR] disk.io: no space left, 97 %\n"
    "[WARN] net: slow answer from peer after 1250 ms\n";
constexpr std::string_view kTag = R"({"type": "structural_tag", "format": {
  "type": "triggered_tags", "triggers": ["<call"], "tags": [
    {"type": "tag", "begin": "<call=find>", "content": {"type": "json_schema", "json_schema": {
      "type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
      "required": ["query"], "additionalProperties": false}}, "end": "</call>"},
    {"type": "tag", "begin": "<call=add>", "content": {"type": "json_schema", "json_schema": {
      "type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
      "required": ["a", "b"], "additionalProperties": false}}, "end": "</call>"}]}})";
constexpr std::string_view kProse =
    "Here is what is found so far: nothing that would be < 5, and no <cal of any kind. "
    "The second attempt takes longer and reads the whole list, line by line.\n\n";
constexpr std::string_view kCall = R"(<call=find>{"query": "red bolt", "limit": 10}</call>)";

struct Fixture {
  SyntheticVocabulary vocabulary;
  TokenizerInfoPtr tokenizer = MakeTokenizer();
  std::unique_ptr<GrammarCompiler> compiler =
      std::make_unique<GrammarCompiler>(tokenizer, CompilerOptions{});

  TokenizerInfoPtr MakeTokenizer() const {
    TokenizerOptions options;
    options.stop_token_ids = std::vector<int64_t>{vocabulary.stop_token()};
    TokenizerInfoPtr made = TokenizerInfo::Make(vocabulary.tokens(), options);
    made->trie();
    return made;
  }
  CompiledGrammarPtr CompileSchema() const {
    JsonSchemaOptions options;
    options.strict_mode = false;
    return compiler->CompileJsonSchema(kSchema, options);
  }
  /// The automata of formats are made once per process.
  void CompileFormats() const { compiler->CompileJsonSchema(kFormats, JsonSchemaOptions{}); }
  std::vector<int32_t> Tokens(std::string_view text) const {
    std::vector<int32_t> tokens = vocabulary.Encode(text);
    tokens.push_back(vocabulary.stop_token());
    return tokens;
  }
};

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "workload broken: %s\n", what);
  std::exit(1);
}

/// Fills the mask before every token and accepts the token.
void Walk(const CompiledGrammarPtr& compiled, const std::vector<int32_t>& tokens) {
  GrammarMatcher matcher(compiled, MatcherOptions{});
  std::vector<int32_t> row((static_cast<size_t>(compiled->tokenizer_info()->vocab_size()) + 31) /
                           32);
  for (const int32_t token : tokens) {
    matcher.FillNextTokenBitmask(row);
    Require(matcher.AcceptToken(token), "a token of the text is refused");
  }
  Require(matcher.IsTerminated(), "the text is no sentence");
}

void WalkFirst(const CompiledGrammarPtr& compiled, const std::vector<int32_t>& tokens) {
  MeasuredSection([&] { Walk(compiled, tokens); });
}

void WalkAgain(const CompiledGrammarPtr& compiled, const std::vector<int32_t>& tokens) {
  Walk(compiled, tokens);
  WalkFirst(compiled, tokens);
}

void MakeTokenizer(const Fixture& fixture) {
  MeasuredSection([&] { fixture.MakeTokenizer(); });
}

void MakeFormats(const Fixture& fixture) {
  MeasuredSection([&] { fixture.CompileFormats(); });
}

void CompileSchema(const Fixture& fixture) {
  fixture.CompileFormats();
  MeasuredSection([&] { fixture.CompileSchema(); });
}

void CompileSchemaAgain(const Fixture& fixture) {
  fixture.CompileSchema();
  CompileSchema(fixture);
}

void SchemaFirstMasks(const Fixture& fixture) {
  WalkFirst(fixture.CompileSchema(), fixture.Tokens(kInstance));
}

void SchemaWarmMasks(const Fixture& fixture) {
  WalkAgain(fixture.CompileSchema(), fixture.Tokens(kInstance));
}

void SchemaAccept(const Fixture& fixture) {
  const CompiledGrammarPtr compiled = fixture.CompileSchema();
  const std::vector<int32_t> tokens = fixture.Tokens(kInstance);
  Walk(compiled, tokens);
  GrammarMatcher matcher(compiled, MatcherOptions{});
  MeasuredSection([&] {
    for (const int32_t token : tokens) matcher.AcceptToken(token);
  });
  Require(matcher.IsTerminated(), "the text is no sentence");
}

void SchemaSerialize(const Fixture& fixture) {
  const CompiledGrammarPtr compiled = fixture.CompileSchema();
  MeasuredSection([&] {
    CompiledGrammar::DeserializeJson(compiled->SerializeJson(), fixture.tokenizer, Limits{});
  });
}

void EbnfFirstMasks(const Fixture& fixture) {
  WalkFirst(fixture.compiler->CompileEbnf(kGrammar, "root"), fixture.Tokens(kProgram));
}

void EbnfWarmMasks(const Fixture& fixture) {
  WalkAgain(fixture.compiler->CompileEbnf(kGrammar, "root"), fixture.Tokens(kProgram));
}

void CompileEbnf(const Fixture& fixture) {
  MeasuredSection([&] { fixture.compiler->CompileEbnf(kGrammar, "root"); });
}

void RegexFirstMasks(const Fixture& fixture) {
  WalkFirst(fixture.compiler->CompileRegex(kPattern), fixture.Tokens(kLog));
}

void CompileTag(const Fixture& fixture) {
  MeasuredSection([&] { fixture.compiler->CompileStructuralTag(kTag); });
}

std::string TextWithCalls() {
  std::string text;
  for (int i = 0; i < 8; ++i) {
    text += kProse;
    if (i % 4 == 3) text += kCall;
  }
  return text;
}

void TagFirstMasks(const Fixture& fixture) {
  WalkFirst(fixture.compiler->CompileStructuralTag(kTag), fixture.Tokens(TextWithCalls()));
}

void TagWarmMasks(const Fixture& fixture) {
  WalkAgain(fixture.compiler->CompileStructuralTag(kTag), fixture.Tokens(TextWithCalls()));
}

constexpr auto kWorkloads = std::to_array<std::pair<std::string_view, void (*)(const Fixture&)>>({
    {"tokenizer", MakeTokenizer},
    {"formats-once", MakeFormats},
    {"schema-compile", CompileSchema},
    {"schema-compile-again", CompileSchemaAgain},
    {"schema-first-masks", SchemaFirstMasks},
    {"schema-warm-masks", SchemaWarmMasks},
    {"schema-accept", SchemaAccept},
    {"schema-serialize-and-read", SchemaSerialize},
    {"ebnf-compile", CompileEbnf},
    {"ebnf-first-masks", EbnfFirstMasks},
    {"ebnf-warm-masks", EbnfWarmMasks},
    {"regex-first-masks", RegexFirstMasks},
    {"tag-compile", CompileTag},
    {"tag-first-masks", TagFirstMasks},
    {"tag-warm-masks", TagWarmMasks},
});

int Main(int argc, char** argv) {
  for (const auto& [name, run] : kWorkloads) {
    if (argc < 2) std::printf("%.*s\n", static_cast<int>(name.size()), name.data());
    if (argc < 2 || name != argv[1]) continue;
    run(Fixture{});
    return 0;
  }
  return argc < 2 ? 0 : 2;
}

}  // namespace
}  // namespace xgrammar::bench

int main(int argc, char** argv) { return xgrammar::bench::Main(argc, argv); }
