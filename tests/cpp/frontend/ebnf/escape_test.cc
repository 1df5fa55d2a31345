// Escape sequences of EBNF: the value of each form, greedy hexadecimal digits, surrogate pairs that
// are joined and lone ones that are refused, and what each context (string, class) allows.
//
// Errors point at the backslash. Writing escapes is tests/cpp/grammar/literal_writer_test.cc;
// escapes of regular expressions are another language, tests/cpp/frontend/regex/escape_test.cc.
#include "frontend/ebnf/escape.h"

#include <gtest/gtest.h>

#include <string>

#include "syntax_error_expectation.h"

namespace xgrammar::ebnf {
namespace {

constexpr EscapeContext kString = EscapeContext::kString;
constexpr EscapeContext kClass = EscapeContext::kCharClass;

void ExpectValue(std::string_view source, uint32_t code_point, size_t size,
                 EscapeContext context = kString) {
  Escape escape = ReadEscape(source, 0, context);
  EXPECT_EQ(escape.problem, nullptr) << source;
  EXPECT_EQ(escape.code_point, code_point) << source;
  EXPECT_EQ(escape.size, size) << source;
}

void ExpectInvalid(std::string_view source, EscapeContext context = kString) {
  Escape escape = ReadEscape(source, 0, context);
  EXPECT_EQ(escape.size, 0u) << source;
  EXPECT_NE(escape.problem, nullptr) << source;
}

TEST(Escape, Letters) {
  const std::pair<const char*, uint32_t> letters[] = {
      {R"(\n)", 0x0A}, {R"(\r)", 0x0D}, {R"(\t)", 0x09}, {R"(\b)", 0x08},  {R"(\f)", 0x0C},
      {R"(\a)", 0x07}, {R"(\v)", 0x0B}, {R"(\e)", 0x1B}, {R"(\01)", 0x00},
  };
  for (const auto& [source, code_point] : letters) {
    ExpectValue(source, code_point, 2, kString);
    ExpectValue(source, code_point, 2, kClass);
  }
}

TEST(Escape, Punctuation) {
  for (char c : std::string("\"\\/'?[]-")) {
    ExpectValue(std::string("\\") + c, static_cast<uint32_t>(c), 2, kString);
    ExpectValue(std::string("\\") + c, static_cast<uint32_t>(c), 2, kClass);
  }
  for (char c : std::string("^$.*+(){}|")) {
    ExpectInvalid(std::string("\\") + c, kString);
    ExpectValue(std::string("\\") + c, static_cast<uint32_t>(c), 2, kClass);
  }
}

TEST(Escape, Hexadecimal) {
  ExpectValue(R"(\x4g)", 0x4, 3);
  ExpectValue(R"(\x41BC)", 0x41BC, 6);
  ExpectValue(R"(\x1F600)", 0x1F600, 7);
  ExpectValue(R"(\x0000000000041)", 0x41, 15);
  ExpectValue(R"(\u00e9a)", 0xE9, 6);
  ExpectValue(R"(\U0001F6001)", 0x1F600, 10);
}

TEST(Escape, SurrogatesAreJoinedOrRefused) {
  ExpectValue(R"(\uD83D\uDE00)", 0x1F600, 12);
  ExpectValue(R"(\uD83D\uDE00)", 0x1F600, 12, kClass);
  ExpectValue(R"(\U0000d83d\xde00)", 0x1F600, 16);
  ExpectInvalid(R"(\uD83D)");
  ExpectInvalid(R"(\uDE00\uD83D)");
  ExpectInvalid(R"(\uD83D\n)");
  ExpectInvalid(R"(\uD83D\u0041)");
}

TEST(Escape, Invalid) {
  for (const char* source :
       {R"(\@)", R"(\)", R"(\x)", R"(\xg)", R"(\u123)", R"(\U0001F60)", R"(\u{41})",
        R"(\U00110000)", R"(\xFFFFFFFFFF)", R"(\x110000)", R"(\N)", R"(\1)"}) {
    ExpectInvalid(source, kString);
    ExpectInvalid(source, kClass);
  }
}

TEST(Escape, ErrorsPointAtTheBackslash) {
  ExpectSyntaxError(R"(root ::= "ab\@")", 1, 13, "Invalid escape sequence");
  ExpectSyntaxError(R"(root ::= [ab\@])", 1, 13, "Invalid escape sequence");
  ExpectSyntaxError(R"(root ::= "\uD800")", 1, 11, "Invalid escape sequence: a lone surrogate");
  ExpectSyntaxError(R"(root ::= "\U00110000")", 1, 11,
                    "Invalid escape sequence: the value is above");
  for (const char* shorthand : {"d", "w", "s", "D", "W", "S"}) {
    ExpectSyntaxError(std::string("root ::= [a\\") + shorthand + "]", 1, 12,
                      "Character class escape is not supported yet in EBNF");
  }
}

}  // namespace
}  // namespace xgrammar::ebnf
