// The examples of docs/reference/lark.md: each block is one grammar, whose `accepts:`, `rejects:`
// and `error:` lines are checked by the reference recogniser and the compiler.
//
// Guards that the page is true. Its prose and tables are not read, and examples have neither a
// tokenizer nor named grammars.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "expectations.h"
#include "frontend/document_examples.h"

namespace xgrammar::lark {
namespace {

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
  const std::vector<DocumentExample> examples =
      ReadDocumentExamples(XGRAMMAR_SOURCE_DIR "/docs/reference/lark.md", "lark");
  EXPECT_GE(examples.size(), 12U);
  for (const DocumentExample& example : examples) {
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
