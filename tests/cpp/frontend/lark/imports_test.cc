// The terminals of the module `common`: for each the texts that it accepts and refuses, and every
// form of `%import` with its errors.
//
// An unknown name is an error at its place. Grammars of `named_grammars` are embedded_test.cc.
#include "frontend/lark/imports.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "expectations.h"

namespace xgrammar::lark {
namespace {

struct TerminalCase {
  std::string name;
  std::vector<std::string_view> accepts;
  std::vector<std::string_view> rejects;
};

TEST(LarkImports, Languages) {
  const std::vector<TerminalCase> cases = {
      {"DIGIT", {"0", "9"}, {"", "10", "a"}},
      {"HEXDIGIT", {"a", "F", "0"}, {"g"}},
      {"INT", {"007"}, {"", "+1"}},
      {"SIGNED_INT", {"-1", "+2", "3"}, {"--1", "-"}},
      {"DECIMAL", {"1.", "1.5", ".5"}, {".", "1"}},
      {"_EXP", {"e1", "E-10"}, {"e", "1e1"}},
      {"FLOAT", {"1e5", "1.", ".5e-3"}, {"1", "e5"}},
      {"NUMBER", {"1", "1.5", ".5E+2"}, {"-1", "."}},
      {"SIGNED_FLOAT", {"-1.5", "+1e2"}, {"-1"}},
      {"SIGNED_NUMBER", {"-1", "2.5"}, {"-"}},
      {"ESCAPED_STRING", {"\"\"", "\"a\\\"b\"", "\"\\\\\""}, {"\"a\"b\"", "\"\\\"", "\"\n\""}},
      {"LCASE_LETTER", {"a"}, {"A"}},
      {"UCASE_LETTER", {"Z"}, {"z"}},
      {"LETTER", {"a", "Z"}, {"1"}},
      {"WORD", {"aZ"}, {"", "a1"}},
      {"CNAME", {"_a1", "x"}, {"1a", ""}},
      {"WS_INLINE", {" \t"}, {"", "\n"}},
      {"WS", {" \t\f\r\n"}, {"", "\v"}},
      {"CR", {"\r"}, {"\n"}},
      {"LF", {"\n"}, {"\r"}},
      {"NEWLINE", {"\n", "\r\n\n"}, {"\r", ""}},
      {"SH_COMMENT", {"#", "# x"}, {"#\n"}},
      {"CPP_COMMENT", {"//", "// x"}, {"//\n", "/"}},
      {"SQL_COMMENT", {"--x"}, {"-x"}},
      {"C_COMMENT", {"/**/", "/* * / **/"}, {"/* */ */", "/*/"}},
  };
  for (const TerminalCase& expected : cases) {
    EXPECT_FALSE(CommonTerminal(expected.name).empty()) << expected.name;
    const std::string grammar = "%import common." + expected.name + "\nstart: " + expected.name;
    ExpectLanguage({grammar, expected.accepts, expected.rejects});
  }
  EXPECT_TRUE(CommonTerminal("NOPE").empty());
}

TEST(LarkImports, Forms) {
  ExpectLanguage({"%import common (INT, WS_INLINE)\nstart: INT WS_INLINE", {"1 "}, {"1"}});
  ExpectLanguage({"start: NUM\n%import common.INT -> NUM", {"12"}, {"a"}});
  ExpectLarkError({"%import common.NOPE", 1, 9, "unknown common import 'common.NOPE'"});
  ExpectLarkError({"%import other.INT", 1, 9, "unknown common import 'other.INT'"});
  ExpectLarkError({"%import common (INT, NOPE)", 1, 22, "unknown common import 'common.NOPE'"});
}

}  // namespace
}  // namespace xgrammar::lark
