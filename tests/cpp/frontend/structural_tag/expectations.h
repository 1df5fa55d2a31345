// What the tests of structural tags share: languages and errors of a format given as JSON.
//
// A language is checked twice, on the grammar and on its printed form read back, so that every test
// of a language is a test of printing, too.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "frontend/ebnf/parser.h"
#include "frontend/structural_tag/structural_tag.h"
#include "grammar/printer.h"
#include "grammar/reference_recognizer.h"
#include "support/error.h"

namespace xgrammar::structural_tag {

inline GrammarPtr GrammarOf(const std::string& format) {
  return StructuralTagToGrammar("{\"format\":" + format + "}", nullptr).grammar;
}

/// Checks texts on the grammar, and on what its printed form is read back as.
inline void ExpectLanguage(const std::string& format, std::initializer_list<std::string_view> in,
                           std::initializer_list<std::string_view> out) {
  const GrammarPtr grammar = GrammarOf(format);
  const GrammarPtr again = ParseEbnf(GrammarToString(*grammar));
  for (std::string_view text : in) {
    EXPECT_TRUE(Accepts(*grammar, text)) << format << " must accept " << text;
    EXPECT_TRUE(Accepts(*again, text)) << format << " must accept after printing " << text;
  }
  for (std::string_view text : out) {
    EXPECT_FALSE(Accepts(*grammar, text)) << format << " must reject " << text;
    EXPECT_FALSE(Accepts(*again, text)) << format << " must reject after printing " << text;
  }
}

/// Checks that the whole structural tag is refused: the kind, a part of the message, the place.
inline void ExpectRefused(const std::string& text, ErrorKind kind, std::string_view phrase,
                          std::string_view pointer) {
  try {
    StructuralTagToGrammar(text, nullptr);
    ADD_FAILURE() << text << " must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << text << ": " << error.what();
    EXPECT_NE(std::string_view(error.what()).find(phrase), std::string_view::npos)
        << text << ": " << error.what();
    EXPECT_EQ(error.pointer(), pointer) << text << ": " << error.what();
  }
}

/// The same for one format.
inline void ExpectFormatRefused(const std::string& format, std::string_view phrase,
                                std::string_view pointer = "/format") {
  ExpectRefused("{\"format\":" + format + "}", ErrorKind::kStructuralTag, phrase, pointer);
}

}  // namespace xgrammar::structural_tag
