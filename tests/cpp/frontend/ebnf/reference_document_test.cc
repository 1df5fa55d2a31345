// The examples of docs/reference/ebnf.md: each block is one grammar, whose `accepts:`, `rejects:`
// and `error:` lines are checked by the reference recogniser and the parser.
//
// Guards that the page is true. Its prose and tables are not read; a block without lines below it
// would only have to parse.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "frontend/ebnf/parser.h"
#include "grammar/reference_recognizer.h"
#include "support/utf8.h"
#include "syntax_error_expectation.h"

namespace xgrammar::ebnf {
namespace {

struct Example {
  std::string grammar;
  std::vector<std::string> accepts;
  std::vector<std::string> rejects;
  std::string error;
};

// The body of a JSON string; a string of EBNF is a superset of it.
std::string DecodeJsonString(const std::string& quoted) {
  GrammarPtr grammar = ParseEbnf("root ::= " + quoted);
  ExprId body = grammar->rule(grammar->root()).body;
  return grammar->kind(body) == ExprKind::kEmpty ? "" : std::string(grammar->bytes(body));
}

// Strings between back quotes.
std::vector<std::string> DecodeList(const std::string& line) {
  std::vector<std::string> texts;
  size_t open = line.find('`');
  while (open != std::string::npos) {
    size_t close = line.find('`', open + 1);
    texts.push_back(DecodeJsonString(line.substr(open + 1, close - open - 1)));
    open = line.find('`', close + 1);
  }
  return texts;
}

std::vector<Example> ReadExamples() {
  std::ifstream file(XGRAMMAR_SOURCE_DIR "/docs/reference/ebnf.md");
  std::vector<Example> examples;
  bool in_block = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "```ebnf") {
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

void CheckError(const Example& example) {
  std::istringstream expected(example.error);
  int64_t line = 0;
  int64_t column = 0;
  char colon = 0;
  expected >> line >> colon >> column;
  std::string message;
  std::getline(expected >> std::ws, message);
  // The closing line end of the block is not part of the example.
  std::string text = example.grammar.substr(0, example.grammar.size() - 1);
  ExpectSyntaxError(text, line, column, message);
}

TEST(EbnfReference, ExamplesAreTrue) {
  std::vector<Example> examples = ReadExamples();
  ASSERT_GT(examples.size(), 15u);
  for (const Example& example : examples) {
    ASSERT_TRUE(!example.error.empty() || !example.accepts.empty()) << example.grammar;
    if (!example.error.empty()) {
      CheckError(example);
      continue;
    }
    GrammarPtr grammar = ParseEbnf(example.grammar);
    for (const std::string& text : example.accepts) {
      EXPECT_TRUE(Accepts(*grammar, text)) << example.grammar << text;
    }
    for (const std::string& text : example.rejects) {
      EXPECT_FALSE(Accepts(*grammar, text)) << example.grammar << text;
    }
  }
}

}  // namespace
}  // namespace xgrammar::ebnf
