// ExpectError: an action raises an Error of a kind, at a line and column, whose text begins with a
// message. ExpectSyntaxError does so for an EBNF text.
//
// Used by the tests of this folder. Only the beginning of the message is compared, so that hints
// may change.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>

#include "frontend/ebnf/parser.h"
#include "support/error.h"

namespace xgrammar::ebnf {

struct ExpectedError {
  int64_t line;
  int64_t column;
  std::string message;
  ErrorKind kind = ErrorKind::kGrammarSyntax;
};

inline void ExpectError(const std::function<void()>& action, const ExpectedError& expected,
                        std::string_view label) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.message().substr(0, expected.message.size()), expected.message) << label;
    EXPECT_EQ(error.line(), expected.line) << label << ": " << error.what();
    EXPECT_EQ(error.column(), expected.column) << label << ": " << error.what();
    EXPECT_EQ(error.kind(), expected.kind) << label;
    return;
  }
  ADD_FAILURE() << "no error was raised for " << label;
}

inline void ExpectSyntaxError(std::string_view text, int64_t line, int64_t column,
                              const std::string& message,
                              ErrorKind kind = ErrorKind::kGrammarSyntax) {
  ExpectError([&] { ParseEbnf(text); }, {line, column, message, kind}, text);
}

}  // namespace xgrammar::ebnf
