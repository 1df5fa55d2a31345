// Following: which items after an automaton are covered by it, and which must not be.
//
// Masks of grammars with white space twice in a row are compared with a textbook recogniser in
// random_masks_test.cc.
#include "mask/following.h"

#include <gtest/gtest.h>

#include <string>

#include "mask/mask_fixtures.h"

namespace xgrammar {
namespace {

struct Found {
  bool has_white_space = false;  ///< Some item reads a space.
  bool covers = false;
  bool begins_with_space = false;  ///< What follows the white space, covered items left out.
};

Found After(const std::string& ebnf, const std::string& text) {
  Parser parser(ParseEbnf(ebnf), std::make_shared<DfaCache>(), nullptr, 8, Limits{});
  SetId set = parser.start();
  for (char c : text) set = parser.Next(set, static_cast<uint8_t>(c));
  EXPECT_NE(set, kDeadSet) << ebnf;
  FollowingSets sets;
  Found found;
  for (const DfaItem& item : parser.set(set).dfa_items) {
    if (!item.unit->dfa->first_bytes(item.state).Contains(' ')) continue;
    found.has_white_space = true;
    const Following after = sets.After(&parser, item);
    const Following again = sets.After(&parser, item);
    EXPECT_EQ(after.covered, again.covered);
    EXPECT_EQ(after.first.words, again.first.words);
    // The outermost white space: the one that begins it.
    found.covers = found.covers || after.covered != 0;
    found.begins_with_space = found.begins_with_space || after.first.Contains(' ');
    EXPECT_TRUE(after.covered != 0 || after.first.words == parser.set(after.set).first.words);
  }
  return found;
}

TEST(Following, WhiteSpaceCoversWhiteSpace) {
  const std::string rules = "x ::= \"(\" x \")\" | \"a\"\nws ::= [ \\n]*\nsp ::= [ \\n]+\n";
  for (const char* root : {"root ::= \"[\" ws x? ws \"]\"", "root ::= \"[\" sp (x ws)? ws \"]\"",
                           "root ::= \"[\" ws ws ws x"}) {
    const Found found = After(rules + root, "[");
    EXPECT_TRUE(found.has_white_space) << root;
    EXPECT_TRUE(found.covers) << root;
    EXPECT_FALSE(found.begins_with_space) << root;
  }
}

TEST(Following, OtherItemsAreNotCovered) {
  const std::string rules =
      "x ::= \"(\" x \")\" | \"a\"\nws ::= [ \\n]*\nwide ::= [ \\n\\t]*\nsp ::= [ ]+\n";
  for (const char* root : {
           "root ::= \"[\" sp ws x",                  // A line feed.
           "root ::= \"[\" ws (wide x)? \"]\"",       // A tab.
           "root ::= \"[\" ws (sp x | x x) \"]\"",    // What follows the space does not follow.
           "root ::= \"[\" ws (ws x \"!\" | \"]\")",  // With the end it does.
       }) {
    const Found found = After(rules + root, "[");
    EXPECT_TRUE(found.has_white_space) << root;
    const bool is_last = std::string(root).find("!") != std::string::npos;
    EXPECT_EQ(found.covers, is_last) << root;
    EXPECT_EQ(found.begins_with_space, !is_last) << root;
  }
}

TEST(Following, NothingFollowsTheRoot) {
  const Found found = After("root ::= \"[\" [ \\n]*", "[");
  EXPECT_FALSE(found.covers);
  EXPECT_FALSE(found.begins_with_space);
}

}  // namespace
}  // namespace xgrammar
