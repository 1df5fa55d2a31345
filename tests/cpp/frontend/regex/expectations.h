// What the tests of the regular expression front end have in common: building, membership, and
// expected errors.
//
// Errors are compared by kind and, where one is given, by position; a pattern that is accepted by
// mistake fails the test as well.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "frontend/regex/regex.h"
#include "support/error.h"

namespace xgrammar {

inline RegexOptions Searching() {
  RegexOptions options;
  options.match = RegexOptions::Match::kSearch;
  options.dot = RegexOptions::Dot::kNotLineEnd;
  return options;
}

inline void ExpectLanguage(std::string_view pattern,
                           std::initializer_list<std::string_view> accepted,
                           std::initializer_list<std::string_view> rejected,
                           const RegexOptions& options = {}) {
  try {
    const CodePointDfa dfa = RegexToDfa(pattern, options);
    for (std::string_view text : accepted)
      EXPECT_TRUE(dfa.Accepts(text)) << pattern << " accepts " << text;
    for (std::string_view text : rejected)
      EXPECT_FALSE(dfa.Accepts(text)) << pattern << " rejects " << text;
  } catch (const Error& error) {
    ADD_FAILURE() << pattern << ": " << error.what();
  }
}

/// Expects an error of RegexToGrammar; position 0 means any.
inline void ExpectError(std::string_view pattern, ErrorKind kind, int64_t position = 0) {
  try {
    RegexToGrammar(pattern);
    ADD_FAILURE() << "accepted: " << pattern;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << pattern << ": " << error.what();
    if (position > 0) {
      EXPECT_EQ(error.position(), position) << pattern << ": " << error.what();
      const std::string start =
          "Regex parsing error at position " + std::to_string(position) + ": ";
      EXPECT_TRUE(error.message().starts_with(start)) << error.what();
    }
  }
}

}  // namespace xgrammar
