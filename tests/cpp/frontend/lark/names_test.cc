// Names that are missing, doubled, or stand where they may not; the order of terminals; heads of
// tools.
//
// Grammars are parsed for real; the order and the heads are read off this stage, errors asked
// through the whole front end.
#include "frontend/lark/names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "expectations.h"
#include "frontend/lark/parser.h"

namespace xgrammar::lark {
namespace {

TEST(LarkNames, TerminalsComeAfterTheirParts) {
  const Source source("start: A\nA: B C\nB: C\nC: \"x\"", "", Limits());
  Lexer lexer(source);
  const auto document = Parser(&lexer, Limits()).Parse();
  const Names names(*document, source);
  EXPECT_EQ(names.terminals(), (std::vector<DefinitionId>{3, 2, 1}));
}

TEST(LarkNames, HeadsAreAnyTextBeforeAFixedEnd) {
  const Source source(
      "start: a b c d\na[lazy]: T \"x\"\nb[lazy]: /[\\s\\S]*/ <[1]>\nc[lazy]: /[a-z]*/ \"x\"\n"
      "d: T \"x\"\nT: U\nU: /(.|\\n)*/",
      "", Limits());
  Lexer lexer(source);
  const auto document = Parser(&lexer, Limits()).Parse();
  const Names names(*document, source);
  EXPECT_NE(names.HeadOf(1), nullptr);
  EXPECT_NE(names.HeadOf(2), nullptr);
  EXPECT_EQ(names.HeadOf(3), nullptr);
  EXPECT_EQ(names.HeadOf(4), nullptr);
}

TEST(LarkNames, Errors) {
  const std::vector<ErrorCase> cases = {
      {"x: \"a\"", 1, 1, "no start rule found"},
      {"start: b", 1, 8, "unknown name 'b'"},
      {"start: \"a\"\nx: b", 2, 4, "unknown name 'b'"},
      {"start: \"a\"\nstart: \"b\"", 2, 1, "duplicate rule or terminal 'start'"},
      {"%import common.INT\nINT: \"1\"\nstart: INT", 2, 1, "duplicate rule or terminal 'INT'"},
      {"start: A\nA: B\nB: \"x\" A", 3, 8, "circular reference in terminal"},
      {"start: A\nA: b\nb: \"x\"", 2, 4, "terminal 'A' cannot reference rule 'b'"},
      {"start: \"a\"\n%ignore b\nb: \" \"", 2, 9, "terminal '%ignore' cannot reference rule 'b'"},
      {"start: x\nx[lazy]: y\ny: \"a\"", 2, 10, "terminal cannot reference rule 'y'"},
      {"start: A\nA: %json true", 2, 4, "%json cannot stand in a terminal"},
      {"start: A\nA: @x", 2, 4, "a named grammar cannot stand in a terminal"},
      {"start: A\nA: <[1]>", 2, 4, "a special token cannot stand in a terminal"},
      {"start: A & A\nA: \"x\"", 1, 8, "'&' is only supported in terminals"},
      {"start: ~A\nA: \"x\"", 1, 8, "'~' is only supported in terminals"},
      {"start: x\nx[temperature=1]: y\ny: \"a\"", 2, 3, "temperature is only supported"},
  };
  for (const ErrorCase& expected : cases) ExpectLarkError(expected);
}

}  // namespace
}  // namespace xgrammar::lark
