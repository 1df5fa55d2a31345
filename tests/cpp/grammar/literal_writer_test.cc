// LiteralWriter: escapes of literals and classes, chosen so that no hexadecimal digit follows a
// greedy escape and no rule name and no `::=` stands in a literal as a whole word.
//
// The second lets clients rename rules of a printed grammar by words. Reading escapes is
// tests/cpp/frontend/ebnf/escape_test.cc.
#include "grammar/literal_writer.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "grammar/builder.h"

namespace xgrammar {
namespace {

GrammarPtr WithRules(std::initializer_list<const char*> names) {
  GrammarBuilder builder;
  builder.SetBody(builder.AddRule("root"), builder.AddEmpty());
  for (const char* name : names) builder.SetBody(builder.AddRule(name), builder.AddEmpty());
  return builder.Build(0);
}

std::string Spell(std::string_view bytes, std::initializer_list<const char*> rules = {}) {
  GrammarPtr grammar = WithRules(rules);
  PrintedNames names(*grammar);
  std::string out;
  LiteralWriter(names, &out).AppendString(bytes);
  return out;
}

std::string SpellClass(std::vector<CodePointRange> ranges,
                       std::initializer_list<const char*> rules = {}) {
  GrammarPtr grammar = WithRules(rules);
  PrintedNames names(*grammar);
  std::string out;
  LiteralWriter(names, &out).AppendCharClass(CodePointSet(std::move(ranges)).ranges());
  return out;
}

TEST(LiteralWriter, LettersOfControls) {
  EXPECT_EQ(Spell(std::string("\0\a\b\t\n\v\f\r\x1B", 9)), R"("\0\a\b\t\n\v\f\r\e")");
  EXPECT_EQ(Spell("\"\\'?/"), R"("\"\\'?/")");
  EXPECT_EQ(Spell("\x7F\x01"), R"("\x7f\x01")");
}

TEST(LiteralWriter, AHexDigitNeverFollowsTheGreedyEscape) {
  EXPECT_EQ(Spell("\xC3\xA9"
                  "abc"),
            R"("\u00e9abc")");
  EXPECT_EQ(Spell("\xC3\xA9xyz"), R"("\xe9xyz")");
  EXPECT_EQ(Spell("\x01"
                  "7"),
            R"("\u00017")");
  EXPECT_EQ(Spell("\xE4\xB8\xAD"
                  "a\xF0\x9F\x98\x80"
                  "a"),
            R"("\u4e2da\U0001f600a")");
}

TEST(LiteralWriter, RuleNamesAreNoWords) {
  EXPECT_EQ(Spell("root"), R"("\x72oot")");
  EXPECT_EQ(Spell("the root, rooted"), R"("the \x72oot, rooted")");
  EXPECT_EQ(Spell("add", {"add"}), R"("\u0061dd")");
  EXPECT_EQ(Spell("root root"), R"("\x72oot \x72oot")");
  EXPECT_EQ(Spell("xroot root_ -root-"), R"("xroot root_ -\x72oot-")");
}

TEST(LiteralWriter, WordsThatBeginInAnEscape) {
  EXPECT_EQ(Spell("\name", {"name"}), R"("\u000aame")");
  EXPECT_EQ(Spell("\n", {"n"}), R"("\x0a")");
  EXPECT_EQ(Spell("\xC3\xA9root"), R"("\xe9root")");
  EXPECT_EQ(Spell("\"root\""), R"("\"\x72oot\"")");
}

TEST(LiteralWriter, AssignIsNotInClear) {
  EXPECT_EQ(Spell("a ::= b"), R"("a ::\x3d b")");
  EXPECT_EQ(Spell("::=b"), R"("::\u003db")");
  EXPECT_EQ(Spell(":::=::="), R"(":::\x3d::\x3d")");
  EXPECT_EQ(Spell(":= : :="), R"(":= : :=")");
}

TEST(LiteralWriter, Classes) {
  EXPECT_EQ(SpellClass({{'a', 'z'}, {'0', '9'}}), "[0-9a-z]");
  EXPECT_EQ(SpellClass({{'a', 'b'}}), "[ab]");
  EXPECT_EQ(SpellClass({}), "[]");
  EXPECT_EQ(SpellClass({{0, 0x10FFFF}}), "[^]");
  EXPECT_EQ(SpellClass({{'a', 'a'}}), "\"a\"");
  EXPECT_EQ(SpellClass({{'^', '^'}, {'a', 'a'}}), R"([\^a])");
  EXPECT_EQ(SpellClass({{'A', 'A'}, {'^', '^'}}), "[A^]");
  EXPECT_EQ(SpellClass({{0, '^' - 1}, {'^' + 1, 0x10FFFF}}), "[^^]");
  EXPECT_EQ(SpellClass({{'-', '-'}, {']', ']'}, {'\\', '\\'}}), R"([\-\\\]])");
  EXPECT_EQ(SpellClass({{0xE9, 0xE9}, {'a', 'a'}, {0xEA, 0xEA}}), R"([a\xe9\xea])");
  EXPECT_EQ(SpellClass({{0x01, 0x01}, {'0', '9'}}), R"([\u00010-9])");
  EXPECT_EQ(SpellClass({{'b', 'y'}}, {"b"}), R"([\x62-y])");
}

}  // namespace
}  // namespace xgrammar
