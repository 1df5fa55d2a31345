// PrintedNames: which rule names are kept, and what those become that EBNF cannot spell, that are
// reserved, that clash, or that read like the end of an escape; the start rule is always `root`.
//
// Only names: that references follow them is round_trip_test.cc of the EBNF front end.
#include "grammar/printed_names.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "grammar/builder.h"

namespace xgrammar {
namespace {

// The printed names of rules with the given names; the first is the start rule.
std::vector<std::string> Printed(std::initializer_list<const char*> names) {
  GrammarBuilder builder;
  for (const char* name : names) builder.SetBody(builder.AddRule(name), builder.AddEmpty());
  GrammarPtr grammar = builder.Build(0);
  PrintedNames printed(*grammar);
  std::vector<std::string> result;
  for (RuleId rule = 0; rule < grammar->num_rules(); ++rule) result.push_back(printed.of(rule));
  return result;
}

using Names = std::vector<std::string>;

TEST(PrintedNames, StartRuleIsRootAndAnotherRootMoves) {
  EXPECT_EQ(Printed({"main", "root"}), Names({"root", "root_0"}));
  EXPECT_EQ(Printed({"main", "root", "root_0"}), Names({"root", "root_0_1", "root_0"}));
}

TEST(PrintedNames, OtherCharactersBecomeUnderscores) {
  EXPECT_EQ(Printed({"root", "a-b.c", "a_b_c", "a.b-c"}),
            Names({"root", "a_b_c_1", "a_b_c", "a_b_c_2"}));
  EXPECT_EQ(Printed({"root", ".", "1st", "\xC3\xA9"}), Names({"root", "_", "_1st", "__"}));
}

TEST(PrintedNames, ReservedWordsAndEscapeLikeNamesMove) {
  EXPECT_EQ(Printed({"root", "true", "Regex", "Tokens"}),
            Names({"root", "_true", "_Regex", "Tokens"}));
  EXPECT_EQ(Printed({"root", "x72oot", "u0072", "U00000072a", "x7", "xyz"}),
            Names({"root", "_x72oot", "_u0072", "_U00000072a", "x7", "xyz"}));
}

}  // namespace
}  // namespace xgrammar
