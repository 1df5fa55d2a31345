// Strings, patterns, and terminals that are combined as wholes (`&`, `~`, lazy, suffix, stop).
//
// By texts in and out of each language, and errors at the place within the pattern.
#include <gtest/gtest.h>

#include <vector>

#include "expectations.h"

namespace xgrammar::lark {
namespace {

TEST(LarkTerminal, StringsAndPatterns) {
  const std::vector<LanguageCase> cases = {
      {"start: \"yes\"i", {"yes", "YeS"}, {"no"}},
      {"start: \"a\"..\"c\" \"α\"..\"γ\"", {"bβ"}, {"dβ", "b"}},
      {"start: /a\\/b/ /x.y/ /p.q/s", {"a/bx-yp\nq"}, {"a/bx\nyp-q"}},
      {"start: /abc[x-z]/i", {"aBcY"}, {"abca"}},
      {"start: /(?i)k/ /é/usi", {"Ké"}, {"kx"}},
  };
  for (const LanguageCase& expected : cases) ExpectLanguage(expected);
}

TEST(LarkTerminal, Combined) {
  const std::vector<LanguageCase> cases = {
      {"start: A\nA: /[a-z]+/ & ~\"foo\"", {"fo", "fooo"}, {"foo", "", "1"}},
      {"start: A\nA: ~\"foo\" & /[a-z]+/ & /.{3}/ | \"Q\"", {"bar", "Q"}, {"foo", "ab"}},
      {"start: A\nA: ~(\"a\" | B)\nB: \"b\"", {"", "c", "ab"}, {"a", "b"}},
      {"start: A\nA: ~\"a\" & ~\"b\"", {"", "c"}, {"a", "b"}},
      {"start: A\nA: ~~\"a\"", {"a"}, {"", "b"}},
      {"start: A\nA: ~\"a\"*", {"b", "ab"}, {"", "aa"}},
  };
  for (const LanguageCase& expected : cases) ExpectLanguage(expected);
}

TEST(LarkTerminal, LazyEndsWhereItFirstCan) {
  const std::vector<LanguageCase> cases = {
      {"start: h \"?\"\nh[lazy]: /[a-z]*/ \"|\"", {"ab|?", "|?"}, {"a|b|?", "ab|"}},
      {"start: h \"?\"\nh[lazy]: /a*/", {"?"}, {"a?"}},
      {"start: x \".\"\nx[suffix=\"</a>\"]: /(.|\\n)*/", {"</a>.", "q</a>."}, {"q.", "</a></a>."}},
      {"start: x \".\"\nx[stop=E]: /[a-z]*/\nE: \";\" | \"-\"", {"a;.", "-."}, {"a-;."}},
  };
  for (const LanguageCase& expected : cases) ExpectLanguage(expected);
}

TEST(LarkTerminal, Errors) {
  const std::vector<ErrorCase> cases = {
      {"start: \"a\" /[b-a]/", 1, 14, "Regex parsing error at position 2"},
      {"start: \"é\" /é(a/", 1, 14, "Regex parsing error at position 2"},
      {"start: /a/m", 1, 8, "the regular-expression flag 'm'", ErrorKind::kUnsupported},
      {"start: \"é\"i", 1, 8, "the flag i on characters", ErrorKind::kUnsupported},
      {"start: A\nA: ~/(a|b)*a(a|b){30}/", 2, 4, "The limit max_dfa_states", ErrorKind::kLimit},
  };
  for (const ErrorCase& expected : cases) ExpectLarkError(expected);
}

}  // namespace
}  // namespace xgrammar::lark
