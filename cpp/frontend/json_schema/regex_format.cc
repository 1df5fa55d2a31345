// The parts are regex_terms.cc and regex_groups.cc; here is what they make, and the verdict on
// values of the schema.
//
// Source: ECMA-262, Patterns (syntax and early errors). Left out: back-references by number, `\0`,
// escaped surrogates, `{n,m}` with m < n as far as it would need long numbers to be compared,
// class ranges between neighbouring characters above U+007F.
#include "frontend/json_schema/regex_format.h"

#include <string>
#include <string_view>

#include "frontend/json_schema/regex_class.h"
#include "frontend/json_schema/regex_groups.h"
#include "frontend/json_schema/regex_terms.h"
#include "frontend/json_schema/string_spelling.h"
#include "frontend/regex/parser.h"
#include "support/error.h"

namespace xgrammar::json_schema {

namespace {

// A letter after a backslash that means nothing. The parser of patterns is more tolerant than
// ECMA-262 there.
bool HasUnknownEscape(std::string_view text) {
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '\\') continue;
    const char escaped = text[++i];
    const bool is_letter = (escaped >= 'a' && escaped <= 'z') || (escaped >= 'A' && escaped <= 'Z');
    constexpr std::string_view kKnown = "dDsSwWbBtnvfrcxupPk";
    if (is_letter && kKnown.find(escaped) == std::string_view::npos) return true;
  }
  return false;
}

// A group of another dialect outside of classes: `(?P<n>`, `(?i)` and the like. ECMA-262 has flags
// only for a group of their own.
bool HasForeignGroup(std::string_view text) {
  bool in_class = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (in_class || text[i] == '[') {
      in_class = text[i] != ']';
    } else if (text.substr(i).starts_with("(?")) {
      const size_t kind = text.find_first_not_of("ims-", i + 2);
      if (kind == std::string_view::npos) return true;
      const bool has_flags = kind > i + 2;
      if (text[kind] != ':' &&
          (has_flags || std::string_view("=!<").find(text[kind]) == std::string_view::npos))
        return true;
    }
  }
  return false;
}

}  // namespace

CodePointDfa RegexFormatToDfa() { return NestRegexTerms(RegexTerms(true), false); }

CodePointDfa SpelledRegexFormatToDfa() {
  // Parentheses have no other spellings, so that the terms can be spelled before they are copied.
  return NestRegexTerms(SpellCanonically(RegexTerms(true)), true);
}

// Escapes and classes end; a quantifier stands behind something; the first parenthesis outside of
// classes opens, the last one closes.
CodePointDfa RegexFormatCover() {
  const std::string quantifier = "(?:[*+?][?+]?)?";
  const std::string atom = "(?:\\\\[\\s\\S]|\\[(?:[^\\]\\\\]|\\\\[\\s\\S])*\\]|[^\\\\\\[*+?()|])";
  const std::string other = "(?:\\||" + atom + quantifier + ")";
  const std::string open = "\\(\\??";
  const std::string close = "\\)" + quantifier;
  return RegexPart(other + "*(?:" + open + "(?:" + other + "|" + open + "|" + close + ")*" + close +
                   other + "*)?");
}

bool IsRegularExpression(std::string_view text) {
  if (HasUnknownEscape(text) || HasForeignGroup(text)) return false;
  try {
    RegexOptions with_u;
    with_u.repeats_lookahead = false;
    ParseRegex(text, with_u, Limits());
    return true;
  } catch (const Error& error) {
    // What this library cannot match (back-references) is a pattern all the same.
    return error.kind() != ErrorKind::kGrammarSyntax;
  }
}

}  // namespace xgrammar::json_schema
