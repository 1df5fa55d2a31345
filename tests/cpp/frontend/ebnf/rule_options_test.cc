// Rule options of EBNF (`name[...] ::=`): what is read into the grammar and printed again, bounds
// of lengths, options that are refused, and slips as syntax errors at their place.
//
// What limits do to masks is tests/cpp/mask and tests/cpp/lowering/length_meter_test.cc, captures
// tests/cpp/matcher.
#include "frontend/ebnf/rule_options.h"

#include <gtest/gtest.h>

#include "grammar/printer.h"
#include "syntax_error_expectation.h"

namespace xgrammar::ebnf {
namespace {

TEST(RuleOptions, LimitsAreKept) {
  const GrammarPtr grammar =
      ParseEbnf("root ::= x\nx[ max_chars = 0, max_tokens=2147483647] ::= [^]*");
  EXPECT_EQ(grammar->rule(1).options.max_chars, 0);
  EXPECT_EQ(grammar->rule(1).options.max_tokens, 2147483647);
  EXPECT_EQ(GrammarToString(*grammar),
            "root ::= x\nx[max_tokens=2147483647, max_chars=0] ::= [^]*\n");
}

TEST(RuleOptions, BoundsOfLengths) {
  const std::string text =
      "root ::= x y\nx[max_length=7] ::= [^]*\ny[max_escaped_length=2147483647] ::= [^]*\n";
  const GrammarPtr grammar = ParseEbnf(text);
  EXPECT_EQ(grammar->rule(1).options.max_length, 7);
  EXPECT_EQ(grammar->rule(2).options.max_escaped_length, 2147483647);
  EXPECT_EQ(GrammarToString(*grammar), text);
  const std::string least =
      "root ::= x y\nx[min_length=3, max_length=7] ::= [^]*\ny[min_escaped_length=1] ::= [^]*\n";
  const GrammarPtr lower = ParseEbnf(least);
  EXPECT_EQ(lower->rule(1).options.min_length, 3);
  EXPECT_EQ(lower->rule(2).options.min_escaped_length, 1);
  EXPECT_EQ(GrammarToString(*lower), least);
  ExpectSyntaxError("root[max_length=-1] ::= \"a\"", 1, 17,
                    "The value of a rule option is negative");
}

TEST(RuleOptions, NotesArePrintedAndReadBack) {
  const std::pair<const char*, const char*> kPrinted[] = {
      {"capture", "root[capture=\"\\x72oot\"]"},
      {"capture=\"a\\\"]\\u00e9\"", "root[capture=\"a\\\"]\\xe9\"]"},
      {"temperature=1e-2", "root[temperature=0.01]"},
      {"temperature=.5, capture = \"n\"", "root[capture=\"n\", temperature=0.5]"},
      {"temperature=+1", "root[temperature=1]"},
      {"temperature=0.7", "root[temperature=0.7]"},
      {"temperature=1e-999", "root[temperature=0]"},
      {"stop_capture=\"x\", capture_hidden_stop_bytes=2, capture_hidden_suffix_bytes=1",
       "root[capture_hidden_suffix_bytes=1, capture_hidden_stop_bytes=2, stop_capture=\"x\"]"},
  };
  for (const auto& [options, printed] : kPrinted) {
    const GrammarPtr grammar = ParseEbnf(std::string("root[") + options + "] ::= \"a\"");
    const std::string text = std::string(printed) + " ::= \"a\"\n";
    EXPECT_EQ(GrammarToString(*grammar), text);
    EXPECT_EQ(GrammarToString(*ParseEbnf(text)), text);
    EXPECT_EQ(*ParseEbnf(text)->rule(0).notes, *grammar->rule(0).notes);
  }
}

TEST(RuleOptions, UnsupportedOnes) {
  ExpectSyntaxError(
      "root[capture_hidden_body_rule_id=1, capture_hidden_marker_rule_id=2] ::= \"a\"", 1, 6,
      "The rule option \"capture_hidden_body_rule_id\" is not supported", ErrorKind::kUnsupported);
  ExpectSyntaxError("root[capture_hidden_body_rule_id=1] ::= \"a\"", 1, 6,
                    "The capture-hidden body and marker rule ids must be specified together");
}

TEST(RuleOptions, Slips) {
  ExpectSyntaxError("root[] ::= \"a\"", 1, 6, "Expect the name of a rule option");
  ExpectSyntaxError("root[lazy,] ::= \"a\"", 1, 11, "Expect the name of a rule option");
  ExpectSyntaxError("root[lazy, lazy] ::= \"a\"", 1, 12, "The rule option \"lazy\" is given twice");
  ExpectSyntaxError("root[foo] ::= \"a\"", 1, 6, "Unknown rule option \"foo\"");
  ExpectSyntaxError("root[lazy=1] ::= \"a\"", 1, 10, "The rule option \"lazy\" takes no value");
  ExpectSyntaxError("root[max_tokens] ::= \"a\"", 1, 16,
                    "The rule option \"max_tokens\" needs a value");
  ExpectSyntaxError("root[max_tokens=] ::= \"a\"", 1, 17, "Expect the value");
  ExpectSyntaxError("root[max_tokens=x] ::= \"a\"", 1, 17, "Expect a number");
  ExpectSyntaxError("root[max_tokens=\"5\"] ::= \"a\"", 1, 17, "Expect a number");
  ExpectSyntaxError("root[max_tokens=1.5] ::= \"a\"", 1, 17, "Expect a number");
  ExpectSyntaxError("root[capture=5] ::= \"a\"", 1, 14, "Expect a string");
  for (const char* value : {"0", "2147483648", "99999999999999999999"}) {
    ExpectSyntaxError(std::string("root[max_tokens=") + value + "] ::= \"a\"", 1, 17,
                      "The rule option \"max_tokens\" must be from 1 to 2147483647");
  }
  for (const char* value : {"-0.1", "1e999", "inf", "nan"}) {
    ExpectSyntaxError(std::string("root[temperature=") + value + "] ::= \"a\"", 1, 18,
                      "The temperature must be a finite non-negative number");
  }
  ExpectSyntaxError("root[temperature=0x1] ::= \"a\"", 1, 18, "Expect a number");
  ExpectSyntaxError("root[temperature=1+] ::= \"a\"", 1, 18, "Expect a number");
  ExpectSyntaxError("root[capture=\"\"] ::= \"a\"", 1, 14, "The capture name must not be empty");
  ExpectSyntaxError("root[capture=\"\\q\"] ::= \"a\"", 1, 15, "Invalid escape sequence");
  ExpectSyntaxError("root[stop_capture=\"\"] ::= \"a\"", 1, 19,
                    "The stop capture name must not be empty");
  ExpectSyntaxError("root[lazy max_tokens=1] ::= \"a\"", 1, 11, "Expect , or ] in rule options");
  ExpectSyntaxError("root [lazy] ::= \"a\"", 1, 13, "Assign should be preceded by an identifier");
}

}  // namespace
}  // namespace xgrammar::ebnf
