// Character classes: members, shorthands, dashes at all places, negation, the empty and the full
// class, and what is refused, with its position.
//
// Languages only; escapes within classes and ASCII case folding are escape_test.cc. Sets as such
// are tests/cpp/automata/code_point_set_test.cc.
#include "expectations.h"

namespace xgrammar {
namespace {

constexpr ErrorKind kSyntax = ErrorKind::kGrammarSyntax;

TEST(RegexClassTest, Members) {
  ExpectLanguage("[a-cx]", {"a", "b", "x"}, {"d", "-", ""});
  ExpectLanguage("[.$*(|^{]", {".", "^", "|", "{"}, {"a"});
  ExpectLanguage("[a&&b]", {"a", "&", "b"}, {"c"});
  ExpectLanguage("[[a]", {"[", "a"}, {"]"});
  ExpectLanguage("[\n]x", {"\nx"}, {"x"});
  ExpectLanguage("[\\]\\\\]", {"]", "\\"}, {"["});
  ExpectLanguage("[^\\d\\s]+", {"ab-"}, {"a1", "a b"});
  ExpectLanguage("[\\s\\S]", {"\n", "\u00E9"}, {"", "ab"});
}

TEST(RegexClassTest, EmptyAndFull) {
  ExpectLanguage("[^]", {"a", "\n", "\U0001F600"}, {""});
  ExpectLanguage("a|[]", {"a"}, {""});
  ExpectError("[]", ErrorKind::kUnsatisfiable);
  ExpectError("[]a]", ErrorKind::kUnsatisfiable);
}

TEST(RegexClassTest, Dashes) {
  ExpectLanguage("[-a]", {"-", "a"}, {"b"});
  ExpectLanguage("[a-]", {"-", "a"}, {"b"});
  ExpectLanguage("[a-c-e]", {"a", "b", "-", "e"}, {"d"});
  ExpectLanguage("[a\\-c]", {"a", "-", "c"}, {"b"});
  ExpectLanguage("[\\w-]", {"-", "a"}, {"."});
  ExpectLanguage("[\\d-x]", {"5", "-", "x"}, {"a"});
  ExpectLanguage("[\\w-a]", {"_", "-", "a"}, {"`"});
  ExpectLanguage("[+--]", {"+", ",", "-"}, {"."});
  ExpectError("[a-\\d]", kSyntax, 4);
  ExpectError("x[z-a]", kSyntax, 3);
  ExpectError("[b-\\x61]", kSyntax, 2);
}

TEST(RegexClassTest, Errors) {
  ExpectError("é[abc", kSyntax, 2);
  ExpectError("[a-", kSyntax, 1);
  ExpectError("[[:alpha:]]", ErrorKind::kUnsupported, 2);
  ExpectError("[x[:^digit:]]", ErrorKind::kUnsupported, 3);
  ExpectLanguage("[[:a]", {"[", ":", "a"}, {"]"});
}

}  // namespace
}  // namespace xgrammar
