// The examples of docs/reference/ebnf.md: each block is one grammar, whose `accepts:`, `rejects:`
// and `error:` lines are checked by the reference recogniser and the parser.
//
// Guards that the page is true. Its prose and tables are not read; a block without lines below it
// would only have to parse.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "frontend/document_examples.h"
#include "frontend/ebnf/parser.h"
#include "grammar/reference_recognizer.h"
#include "syntax_error_expectation.h"

namespace xgrammar::ebnf {
namespace {

void CheckError(const DocumentExample& example) {
  std::istringstream expected(example.error);
  int64_t line = 0;
  int64_t column = 0;
  char colon = 0;
  expected >> line >> colon >> column;
  std::string message;
  std::getline(expected >> std::ws, message);
  ExpectSyntaxError(example.grammar, line, column, message);
}

TEST(EbnfReference, ExamplesAreTrue) {
  const std::vector<DocumentExample> examples =
      ReadDocumentExamples(XGRAMMAR_SOURCE_DIR "/docs/reference/ebnf.md", "ebnf");
  ASSERT_GT(examples.size(), 15u);
  for (const DocumentExample& example : examples) {
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
