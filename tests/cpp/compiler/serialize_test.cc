// Serialised compiled grammars: random grammars come back equal, with their report; the text is
// linear in the grammar and holds no states; another tokenizer or version is refused with its own
// kind.
//
// Thousands of damaged texts are loaded or refused with an error, never worse. The forms as Python
// sees them, binary ones included, are tests/python/test_serialization.py.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "compiler/compiled_grammar.h"
#include "frontend/ebnf/parser.h"
#include "grammar/printer.h"
#include "parser/random_grammar.h"
#include "support/error.h"

namespace xgrammar {
namespace {

TokenizerInfoPtr Tokenizer(const std::string& last = "c", std::vector<int64_t> stop = {0}) {
  TokenizerOptions options;
  options.stop_token_ids = std::move(stop);
  return TokenizerInfo::Make({"</s>", "a", "b", last}, options);
}

CompiledGrammarPtr Make(const GrammarPtr& grammar, const TokenizerInfoPtr& tokenizer,
                        std::vector<JsonSchemaReportRecord> report = {}) {
  return CompiledGrammar::Make(grammar, tokenizer, std::make_shared<LocalMaskCache>(tokenizer),
                               Limits{}, std::move(report));
}

ErrorKind KindOfLoading(const std::string& text, const TokenizerInfoPtr& tokenizer,
                        const Limits& limits = {}) {
  try {
    CompiledGrammar::DeserializeJson(text, tokenizer, limits);
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorKind::kInternal;
}

std::string Replace(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Serialize, ComesBackEqual) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const GrammarPtr grammar = RandomGrammar(seed).Make();
    CompiledGrammarPtr compiled;
    try {
      compiled = Make(grammar, Tokenizer());
    } catch (const Error&) {
      continue;
    }
    const std::string text = compiled->SerializeJson();
    const auto loaded = CompiledGrammar::DeserializeJson(text, Tokenizer(), Limits{});
    EXPECT_EQ(GrammarToString(*loaded->grammar()), GrammarToString(*grammar));
    EXPECT_EQ(loaded->SerializeJson(), text);
    const auto a = compiled->generation();
    const auto b = loaded->generation();
    EXPECT_EQ(a->parser.set(a->parser.start()).first.words,
              b->parser.set(b->parser.start()).first.words);
  }
}

TEST(Serialize, IsLinearInTheGrammarAndWithoutStates) {
  const auto compiled = Make(ParseEbnf("root ::= [a-c]{1,1000000} root | \"!\""), Tokenizer());
  const std::string before = compiled->SerializeJson();
  EXPECT_LT(before.size(), 500u);
  auto generation = compiled->generation();
  SetId set = generation->parser.start();
  for (int i = 0; i < 100; ++i) set = generation->parser.Next(set, 'a');
  EXPECT_EQ(compiled->SerializeJson(), before);
}

TEST(Serialize, KeepsTheReport) {
  const auto tokenizer = Tokenizer();
  const auto compiled = Make(ParseEbnf("root ::= \"a\""), tokenizer,
                             {{"/a~1\"b", "format", "why \xC3\xA9", "ignored"}});
  const auto loaded =
      CompiledGrammar::DeserializeJson(compiled->SerializeJson(), tokenizer, Limits{});
  ASSERT_EQ(loaded->report().size(), 1u);
  EXPECT_EQ(loaded->report()[0].pointer, "/a~1\"b");
  EXPECT_EQ(loaded->report()[0].reason, "why \xC3\xA9");
  EXPECT_EQ(loaded->report()[0].effect, "ignored");
}

TEST(Serialize, AnotherTokenizerIsRefused) {
  const std::string text = Make(ParseEbnf("root ::= \"a\""), Tokenizer())->SerializeJson();
  EXPECT_NE(CompiledGrammar::DeserializeJson(text, Tokenizer(), Limits{}), nullptr);
  EXPECT_EQ(KindOfLoading(text, Tokenizer("d")), ErrorKind::kDeserializeFormat);
  EXPECT_EQ(KindOfLoading(text, Tokenizer("c", {1})), ErrorKind::kDeserializeFormat);
}

TEST(Serialize, AnotherVersionIsRefused) {
  const auto tokenizer = Tokenizer();
  const std::string text = Make(ParseEbnf("root ::= \"a\""), tokenizer)->SerializeJson();
  const std::string version = "\"" + std::string(kSerializationVersion) + "\"";
  EXPECT_EQ(KindOfLoading(Replace(text, version, "\"other\""), tokenizer),
            ErrorKind::kDeserializeVersion);
  EXPECT_EQ(KindOfLoading(Replace(text, version, "5"), tokenizer), ErrorKind::kDeserializeVersion);
  EXPECT_EQ(KindOfLoading("{}", tokenizer), ErrorKind::kDeserializeVersion);
}

TEST(Serialize, WrongContentIsRefused) {
  const auto tokenizer = Tokenizer();
  const std::string text = Make(ParseEbnf("root ::= \"a\""), tokenizer)->SerializeJson();
  EXPECT_EQ(KindOfLoading("[]", tokenizer), ErrorKind::kDeserializeFormat);
  EXPECT_EQ(KindOfLoading("", tokenizer), ErrorKind::kInvalidJson);
  EXPECT_EQ(KindOfLoading(text.substr(0, text.size() - 1), tokenizer), ErrorKind::kInvalidJson);
  EXPECT_EQ(KindOfLoading(Replace(text, "root ::=", "root :="), tokenizer),
            ErrorKind::kDeserializeFormat);
  EXPECT_EQ(KindOfLoading(Replace(text, "root ::=", "rule ::="), tokenizer),
            ErrorKind::kDeserializeFormat);
  EXPECT_EQ(KindOfLoading(Replace(text, "\"report\":[]", "\"report\":[5]"), tokenizer),
            ErrorKind::kDeserializeFormat);
  EXPECT_EQ(KindOfLoading(Replace(text, "\"report\":[]", "\"rapport\":[]"), tokenizer),
            ErrorKind::kDeserializeFormat);
  EXPECT_EQ(KindOfLoading(Replace(text, "\"grammar\":", "\"grammer\":"), tokenizer),
            ErrorKind::kDeserializeFormat);
  Limits limits;
  limits.max_source_bytes = static_cast<int64_t>(text.size()) - 1;
  EXPECT_EQ(KindOfLoading(text, tokenizer, limits), ErrorKind::kLimit);
}

TEST(Serialize, ChangedTextIsLoadedOrRefused) {
  const auto tokenizer = Tokenizer();
  const std::string text =
      Make(ParseEbnf("root ::= [a-c]{1,5} x | \"!\"\nx ::= \"(\" x \")\" | \"b\"?"), tokenizer)
          ->SerializeJson();
  std::mt19937 random(1);
  int loaded = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string changed = text;
    const size_t at = random() % changed.size();
    switch (random() % 4) {
      case 0:
        changed[at] = static_cast<char>(random());
        break;
      case 1:
        changed.erase(at, 1 + random() % 9);
        break;
      case 2:
        changed.insert(at, 1, "0123456789[]{}\"\\|*("[random() % 19]);
        break;
      default:
        changed.resize(at);
    }
    try {
      CompiledGrammar::DeserializeJson(changed, tokenizer, Limits{});
      ++loaded;
    } catch (const Error&) {  // Anything else fails the test.
    }
  }
  EXPECT_GT(loaded, 0);
}

}  // namespace
}  // namespace xgrammar
