// RegexAst: simplifications of the constructors, which join nested repetitions only where no length
// is lost and turn alternatives of single characters into a class, and the facts of the analysis.
//
// Facts saturate instead of overflowing, and the number of nodes is limited. That the language
// stays is checked where lengths have gaps.
#include "frontend/regex/ast.h"

#include "expectations.h"
#include "frontend/regex/parser.h"

namespace xgrammar {
namespace {

struct Parsed {
  explicit Parsed(std::string_view pattern)
      : ast(ParseRegex(pattern, {}, {})), facts(AnalyzeRegex(ast)) {}
  size_t root() const { return static_cast<size_t>(ast.root()); }

  RegexAst ast;
  RegexFacts facts;
};

void ExpectRepeat(std::string_view pattern, int64_t min, int64_t max) {
  const Parsed parsed(pattern);
  ASSERT_EQ(parsed.ast.kind(parsed.ast.root()), RegexNodeKind::kRepeat) << pattern;
  EXPECT_EQ(parsed.ast.kind(parsed.ast.child(parsed.ast.root())), RegexNodeKind::kChar) << pattern;
  EXPECT_EQ(parsed.ast.repeat_min(parsed.ast.root()), min) << pattern;
  EXPECT_EQ(parsed.ast.repeat_max(parsed.ast.root()), max) << pattern;
}

TEST(RegexAstTest, NestedRepetitionsJoinWhereNoLengthIsLost) {
  ExpectRepeat("((a{0,100}){0,100}){0,100}", 0, 1000000);
  ExpectRepeat("((((a*)*)*)*)*", 0, -1);
  ExpectRepeat("(a{1,1000}){1,1000}", 1, 1000000);
  ExpectRepeat("(a{2}){3}", 6, 6);
  ExpectRepeat("(a{2,3}){2,4}", 4, 12);
  ExpectRepeat("(a+)?", 0, -1);
  ExpectRepeat("(a?)+", 0, -1);
}

TEST(RegexAstTest, NestedRepetitionsStayWhereLengthsHaveGaps) {
  ExpectLanguage("(a{2}){1,2}", {"aa", "aaaa"}, {"", "a", "aaa"});
  ExpectLanguage("(a{3,4}){1,2}", {"aaa", "aaaa", "aaaaaa", "aaaaaaaa"}, {"aaaaa", "aa"});
  ExpectLanguage("(a{2,})?", {"", "aa", "aaa"}, {"a"});
  ExpectLanguage("(a{2})*", {"", "aa", "aaaa"}, {"a", "aaa"});
}

TEST(RegexAstTest, SingleCharacterAlternativesBecomeAClass) {
  const Parsed parsed("(a|[bc]|\\d)");
  EXPECT_EQ(parsed.ast.kind(parsed.ast.root()), RegexNodeKind::kClass);
  EXPECT_EQ(parsed.ast.set(parsed.ast.root()), CodePointSet({{'0', '9'}, {'a', 'c'}}));
}

TEST(RegexAstTest, Facts) {
  const Parsed parsed("^(ab|c){2,5}d?$");
  EXPECT_EQ(parsed.facts.min_length[parsed.root()], 2);
  EXPECT_EQ(parsed.facts.max_length[parsed.root()], 11);
  EXPECT_TRUE(parsed.facts.has_anchor);
  EXPECT_FALSE(parsed.facts.has_lookaround);
  EXPECT_EQ(Parsed("a*b").facts.max_length[Parsed("a*b").root()], RegexFacts::kHuge);
  EXPECT_TRUE(Parsed("\\bx").facts.has_lookaround);
  // Saturates instead of overflowing.
  const Parsed huge("(((ab){2000000000}c){2000000000}d){2000000000}");
  EXPECT_EQ(huge.facts.min_length[huge.root()], RegexFacts::kHuge);
}

TEST(RegexAstTest, NodeLimit) {
  Limits limits;
  limits.max_grammar_size = 5;
  EXPECT_THROW(ParseRegex("abcdef", {}, limits), Error);
}

}  // namespace
}  // namespace xgrammar
