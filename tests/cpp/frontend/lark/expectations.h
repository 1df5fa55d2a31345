// What the tests of the Lark front end ask: which texts a grammar accepts, and which error a text
// gives.
//
// Languages are judged by the reference recogniser; an error is checked by kind, line, column and
// the begin of its message, so that no error can move unnoticed.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "frontend/lark/lark.h"
#include "grammar/reference_recognizer.h"
#include "support/error.h"

namespace xgrammar::lark {

struct LanguageCase {
  std::string_view grammar;
  std::vector<std::string_view> accepts;
  std::vector<std::string_view> rejects;
};

inline void ExpectLanguage(const LanguageCase& expected,
                           const std::vector<NamedGrammar>& named = {}) {
  const GrammarPtr grammar = LarkToGrammar(expected.grammar, named, nullptr).grammar;
  for (std::string_view text : expected.accepts) {
    EXPECT_TRUE(Accepts(*grammar, text)) << expected.grammar << "\nmust accept '" << text << "'";
  }
  for (std::string_view text : expected.rejects) {
    EXPECT_FALSE(Accepts(*grammar, text)) << expected.grammar << "\nmust reject '" << text << "'";
  }
}

struct ErrorCase {
  std::string_view grammar;
  int64_t line;
  int64_t column;
  std::string_view message;  ///< How the message begins.
  ErrorKind kind = ErrorKind::kGrammarSyntax;
};

inline void ExpectLarkError(const ErrorCase& expected,
                            const std::vector<NamedGrammar>& named = {}) {
  try {
    LarkToGrammar(expected.grammar, named, nullptr);
  } catch (const Error& error) {
    EXPECT_EQ(error.message().substr(0, expected.message.size()), expected.message)
        << expected.grammar;
    EXPECT_EQ(error.line(), expected.line) << expected.grammar << "\n" << error.what();
    EXPECT_EQ(error.column(), expected.column) << expected.grammar << "\n" << error.what();
    EXPECT_EQ(error.kind(), expected.kind) << expected.grammar;
    return;
  }
  ADD_FAILURE() << "no error was raised for " << expected.grammar;
}

}  // namespace xgrammar::lark
