// Rule options: what is read, slips as syntax errors at their place, options that are not
// available.
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

TEST(RuleOptions, SomeAreUnsupported) {
  for (const char* options : {"capture", "capture=\"a\\\"]\"", "temperature=1e-2", "temperature=.5",
                              "temperature=+1", "stop_capture=\"x\""}) {
    const std::string text = std::string("root[") + options + "] ::= \"a\"";
    ExpectSyntaxError(text, 1, 6, "The rule option \"", ErrorKind::kUnsupported);
  }
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
  ExpectSyntaxError("root[temperature=-0.1] ::= \"a\"", 1, 18,
                    "The value of a rule option is negative");
  ExpectSyntaxError("root[capture=\"\"] ::= \"a\"", 1, 14, "The value of a rule option is empty");
  ExpectSyntaxError("root[lazy max_tokens=1] ::= \"a\"", 1, 11, "Expect , or ] in rule options");
  ExpectSyntaxError("root [lazy] ::= \"a\"", 1, 13, "Assign should be preceded by an identifier");
}

}  // namespace
}  // namespace xgrammar::ebnf
