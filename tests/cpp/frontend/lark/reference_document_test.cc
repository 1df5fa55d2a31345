// The examples of docs/reference/lark.md: each block is one grammar, whose `accepts:`, `rejects:`
// and `error:` lines are checked by the reference recogniser and the compiler.
//
// Guards that the page is true. Its prose and tables are not read, and examples have neither a
// tokenizer nor named grammars.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "expectations.h"
#include "json/parser.h"

namespace xgrammar::lark {
namespace {

struct Example {
  std::string grammar;
  std::vector<std::string> accepts;
  std::vector<std::string> rejects;
  std::string error;
};

/// The bodies of JSON strings between back quotes.
std::vector<std::string> DecodeList(const std::string& line) {
  std::vector<std::string> texts;
  size_t open = line.find('`');
  while (open != std::string::npos) {
    const size_t close = line.find('`', open + 1);
    const JsonDocument json = ParseJson(line.substr(open + 1, close - open - 1));
    texts.emplace_back(json.text(json.root()));
    open = line.find('`', close + 1);
  }
  return texts;
}

std::vector<Example> ReadExamples() {
  std::ifstream file(XGRAMMAR_SOURCE_DIR "/docs/reference/lark.md");
  std::vector<Example> examples;
  bool in_block = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "```lark") {
      in_block = true;
      examples.emplace_back();
    } else if (line == "```") {
      in_block = false;
    } else if (in_block) {
      examples.back().grammar += line + "\n";
    } else if (line.rfind("accepts: ", 0) == 0) {
      examples.back().accepts = DecodeList(line);
    } else if (line.rfind("rejects: ", 0) == 0) {
      examples.back().rejects = DecodeList(line);
    } else if (line.rfind("error: ", 0) == 0) {
      examples.back().error = line.substr(7);
    }
  }
  return examples;
}

std::string ErrorOf(const std::string& grammar) {
  try {
    LarkToGrammar(grammar, {}, nullptr);
  } catch (const Error& error) {
    return std::to_string(error.line()) + ":" + std::to_string(error.column()) + " " +
           error.message();
  }
  return "no error";
}

TEST(LarkReference, ExamplesAreTrue) {
  const std::vector<Example> examples = ReadExamples();
  EXPECT_GE(examples.size(), 12U);
  for (const Example& example : examples) {
    if (!example.error.empty()) {
      EXPECT_EQ(ErrorOf(example.grammar), example.error) << example.grammar;
      continue;
    }
    EXPECT_FALSE(example.accepts.empty()) << example.grammar;
    ExpectLanguage({example.grammar,
                    {example.accepts.begin(), example.accepts.end()},
                    {example.rejects.begin(), example.rejects.end()}});
  }
}

}  // namespace
}  // namespace xgrammar::lark
