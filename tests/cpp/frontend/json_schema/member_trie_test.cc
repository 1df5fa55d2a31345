// MemberTrie: versions of one growing set of members share what they have in common and still
// accept exactly their own members, by the reference recogniser.
//
// Labels end between characters, never within one; members without a literal key and the empty
// version are covered. When objects use it is convert_object.cc, tested by json_schema_test.cc and
// the data cases.
#include "frontend/json_schema/member_trie.h"

#include <gtest/gtest.h>

#include <string>

#include "grammar/reference_recognizer.h"

namespace xgrammar::json_schema {
namespace {

class Tries {
 public:
  Tries() : trie_(&builder_, RuleKind::kStructure) {}

  int32_t Add(int32_t version, std::string_view key) {
    const ExprId member =
        builder_.AddSequence({builder_.AddByteString(key), builder_.AddCharClass(digits_)});
    return trie_.Add(version, member, builder_.AddByteString("."));
  }
  int32_t AddOther(int32_t version) {
    return trie_.Add(version, builder_.AddCharClass(digits_), builder_.AddEmpty());
  }
  /// All versions as alternatives, told apart by their number.
  GrammarPtr Build(std::initializer_list<int32_t> versions) {
    std::vector<ExprId> alternatives;
    for (const int32_t version : versions) {
      alternatives.push_back(
          builder_.AddSequence({builder_.AddByteString(std::to_string(alternatives.size()) + ":"),
                                trie_.Reference(version)}));
    }
    const RuleId root = builder_.AddRule("root");
    builder_.SetBody(root, builder_.AddChoices(alternatives));
    return builder_.Build(root);
  }

 private:
  const CodePointSet digits_{{{'0', '9'}}};
  GrammarBuilder builder_;
  MemberTrie trie_;
};

TEST(MemberTrie, EachVersionKeepsItsMembers) {
  Tries tries;
  const int32_t one = tries.Add(MemberTrie::kEmpty, "abc");
  const int32_t two = tries.Add(one, "abd");
  const int32_t three = tries.Add(two, "ab");
  const int32_t four = tries.AddOther(tries.Add(three, "x"));
  const GrammarPtr grammar = tries.Build({one, two, three, four});
  for (const char* text : {"0:abc1.", "1:abc1.", "1:abd1.", "2:ab1.", "2:abd1.", "3:x1.", "3:7"})
    EXPECT_TRUE(Accepts(*grammar, text)) << text;
  for (const char* text : {"0:abd1.", "1:ab1.", "2:x1.", "2:7", "3:7.", "3:abx1.", "0:abc."})
    EXPECT_FALSE(Accepts(*grammar, text)) << text;
}

// U+00E9 and U+00EA begin with the same byte, which is no text.
TEST(MemberTrie, LabelsEndBetweenCharacters) {
  Tries tries;
  const int32_t both = tries.Add(tries.Add(MemberTrie::kEmpty, "x\xC3\xA9"), "x\xC3\xAA");
  const GrammarPtr grammar = tries.Build({both});
  EXPECT_TRUE(Accepts(*grammar,
                      "0:x\xC3\xA9"
                      "1."));
  EXPECT_TRUE(Accepts(*grammar,
                      "0:x\xC3\xAA"
                      "1."));
  EXPECT_FALSE(Accepts(*grammar,
                       "0:x\xC3\xAB"
                       "1."));
}

TEST(MemberTrie, NoMembersMatchNothing) {
  Tries tries;
  EXPECT_FALSE(Accepts(*tries.Build({MemberTrie::kEmpty}), "0:"));
}

}  // namespace
}  // namespace xgrammar::json_schema
