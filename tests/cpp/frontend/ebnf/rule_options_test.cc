// Rule options: slips are syntax errors at their place, well-formed options are named as not
// available.
#include "frontend/ebnf/rule_options.h"

#include <gtest/gtest.h>

#include "syntax_error_expectation.h"

namespace xgrammar::ebnf {
namespace {

TEST(RuleOptions, WellFormedOnesAreUnsupported) {
  for (const char* options :
       {"lazy", " lazy ", "max_tokens=5", "max_chars = 5, lazy", "capture", "capture=\"a\\\"]\"",
        "temperature=1e-2", "temperature=.5", "stop_capture=\"x\""}) {
    std::string text = std::string("root[") + options + "] ::= \"a\"";
    ExpectSyntaxError(text, 1, 5, "The rule option \"", ErrorKind::kUnsupported);
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
  ExpectSyntaxError("root[max_tokens=x] ::= \"a\"", 1, 17, "Expect a number or a string");
  ExpectSyntaxError("root[temperature=-0.1] ::= \"a\"", 1, 18,
                    "The value of a rule option is negative");
  ExpectSyntaxError("root[capture=\"\"] ::= \"a\"", 1, 14, "The value of a rule option is empty");
  ExpectSyntaxError("root[lazy max_tokens=1] ::= \"a\"", 1, 11, "Expect , or ] in rule options");
  ExpectSyntaxError("root [lazy] ::= \"a\"", 1, 13, "Assign should be preceded by an identifier");
}

}  // namespace
}  // namespace xgrammar::ebnf
