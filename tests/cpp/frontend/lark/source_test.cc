// Places and the excerpt of an error in Lark text: the line with a mark below, columns in code
// points, long lines cut around the mark, and the name of the grammar within grammars.
//
// Also what is no text at all (NUL, broken UTF-8). Which faults are found where is the matter of
// the other files of this folder.
#include "frontend/lark/source.h"

#include <gtest/gtest.h>

#include <string>

namespace xgrammar::lark {
namespace {

std::string TextAt(std::string_view text, size_t offset) {
  return Source(text, "", Limits()).ErrorAt(ErrorKind::kGrammarSyntax, offset, "wrong").what();
}

TEST(LarkSource, ErrorsShowTheLineAndAMark) {
  EXPECT_EQ(TextAt("x\nab\n", 3), "Lark error at line 2, column 2: wrong\nab\n ^");
  EXPECT_EQ(TextAt("", 0), "Lark error at line 1, column 1: wrong\n\n^");
}

TEST(LarkSource, ColumnsAreCodePointsAndTabsTakeOne) {
  EXPECT_EQ(TextAt("\té@\r\n", 3), "Lark error at line 1, column 3: wrong\n é@\n  ^");
}

TEST(LarkSource, LongLinesAreCutAroundTheMark) {
  const std::string text = TextAt(std::string(10000, 'x'), 5000);
  EXPECT_EQ(text.substr(text.find('\n')),
            "\n" + std::string(100, 'x') + "\n" + std::string(60, ' ') + "^");
}

TEST(LarkSource, NamesTheGrammarItIsIn) {
  const Source source("x", "part", Limits());
  EXPECT_STREQ(source.ErrorAt(ErrorKind::kGrammarSyntax, 0, "wrong").what(),
               "Lark error at line 1, column 1: in grammar @part: wrong\nx\n^");
}

TEST(LarkSource, RefusesWhatIsNoText) {
  EXPECT_THROW(Source(std::string_view("a\0b", 3), "", Limits()), Error);
  EXPECT_THROW(Source("a\xFF", "", Limits()), Error);
  Limits limits;
  limits.max_source_bytes = 3;
  EXPECT_THROW(Source("abcd", "", limits), Error);
}

}  // namespace
}  // namespace xgrammar::lark
