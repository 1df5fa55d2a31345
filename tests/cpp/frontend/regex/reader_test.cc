// RegexReader: the cursor reads code points, and positions in messages count them from 1.
//
// The reader is the parser's only view of the text, so this is what every position in an error
// rests on. Which errors there are is parser_test.cc.
#include "frontend/regex/reader.h"

#include "expectations.h"

namespace xgrammar {
namespace {

TEST(RegexReaderTest, ReadsCodePoints) {
  RegexReader reader("é😀a");
  EXPECT_EQ(reader.Peek(), 0xE9u);
  EXPECT_EQ(reader.Peek(2), static_cast<uint32_t>('a'));
  EXPECT_EQ(reader.Peek(3), RegexReader::kEnd);
  EXPECT_FALSE(reader.Accept('a'));
  reader.Next();
  EXPECT_EQ(reader.Next(), 0x1F600u);
  EXPECT_EQ(reader.position(), 2u);
  EXPECT_FALSE(reader.Accept("ab"));
  EXPECT_TRUE(reader.Accept("a"));
  EXPECT_TRUE(reader.AtEnd());
}

TEST(RegexReaderTest, PositionsCountCodePointsFromOne) {
  const RegexReader reader("é😀a");
  try {
    reader.Fail(2, "wrong");
  } catch (const Error& error) {
    EXPECT_EQ(error.position(), 3);
    EXPECT_STREQ(error.what(), "Regex parsing error at position 3: wrong");
  }
}

}  // namespace
}  // namespace xgrammar
