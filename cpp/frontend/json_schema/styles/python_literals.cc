// Strings and names of Python as automata and spellings (Python Language Reference 2.3 and 2.4),
// for the style pythonic, which puts them together.
//
// Spellings differ by the quote, since a string may hold the other one bare. Literals other than
// strings are pythonic.cc.
#include "frontend/json_schema/styles/python_literals.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "frontend/regex/regex.h"
#include "support/error.h"

namespace xgrammar::json_schema {

namespace {

// Names that Python reserves (Language Reference 2.3.1): none can be the name of an argument.
constexpr std::string_view kKeywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

bool IsLetter(char c) { return (c >= 'A' && c <= 'Z') || c == '_' || (c >= 'a' && c <= 'z'); }

bool IsPythonName(std::string_view name) {
  if (name.empty() || !IsLetter(name[0])) return false;
  const bool is_identifier =
      std::ranges::all_of(name, [](char c) { return IsLetter(c) || (c >= '0' && c <= '9'); });
  return is_identifier && std::ranges::find(kKeywords, name) == std::end(kKeywords);
}

}  // namespace

// One spelling per character, as `repr` has it. Some parsers split calls at line ends of any kind
// (U+0085, U+2028, U+2029, too), so these are escaped.
Spellings PythonSpellings(std::string_view quote) {
  constexpr std::string_view kHex = "0123456789abcdef";
  Spellings spellings;
  for (uint32_t control = 0; control < 0x20; ++control) {
    spellings[control] = std::string("\\x") + kHex[control >> 4] + kHex[control & 15];
  }
  spellings['\t'] = "\\t";
  spellings['\n'] = "\\n";
  spellings['\r'] = "\\r";
  spellings['\\'] = "\\\\";
  spellings[static_cast<uint32_t>(quote[0])] = "\\" + std::string(quote);
  spellings[0x85] = "\\x85";
  spellings[0x2028] = "\\u2028";
  spellings[0x2029] = "\\u2029";
  return spellings;
}

// What may stand between two quotes: every spelling of every text. Surrogates are no characters.
CodePointDfa AnyPythonBody(std::string_view quote, const Limits& limits) {
  const std::string hex = "[0-9a-fA-F]";
  const std::string unit =
      "(?:[0-9a-cefA-CEF]" + hex + "{3}|[dD][0-7]" + hex + "{2})";  // Not D800 to DFFF.
  const std::string escape = "\\\\(?:[\\\\'\"abfnrtv]|x" + hex + "{2}|u" + unit + "|U(?:0000" +
                             unit + "|000[1-9a-fA-F]" + hex + "{4}|0010" + hex + "{4}))";
  const std::string raw = "[^\\u0000-\\u001f\\\\\\u0085\\u2028\\u2029" + std::string(quote) + "]";
  return RegexToDfa("(?:" + raw + "|" + escape + ")*", {}, limits);
}

ExprId SpellPythonCharacter(const CodePointSet& characters, const Spellings& spellings,
                            GrammarBuilder* builder) {
  std::vector<CodePointRange> spelled;
  std::vector<ExprId> alternatives;
  for (const auto& [code_point, spelling] : spellings) {
    spelled.push_back({code_point, code_point});
    if (characters.Contains(code_point)) alternatives.push_back(builder->AddByteString(spelling));
  }
  const CodePointSet raw = characters.Minus(CodePointSet(std::move(spelled)));
  if (!raw.empty()) alternatives.push_back(builder->AddCharClass(raw));
  return builder->AddChoices(alternatives);
}

CodePointDfa PythonNames(const Limits& limits) {
  std::vector<CodePointDfa::State> states(2);
  states[0].edges = {{'A', 'Z', 1}, {'_', '_', 1}, {'a', 'z', 1}};
  states[1].edges = {{'0', '9', 1}, {'A', 'Z', 1}, {'_', '_', 1}, {'a', 'z', 1}};
  states[1].accept = true;
  const std::vector<std::string_view> keywords(std::begin(kKeywords), std::end(kKeywords));
  return Subtract(CodePointDfa(std::move(states)), FromStrings(keywords), limits.max_dfa_states);
}

void CheckPythonName(std::string_view name) {
  if (IsPythonName(name)) return;
  Error error(ErrorKind::kUnsupported,
              "style pythonic cannot write the argument '" + QuoteForMessage(name) + "'");
  error.Feature("pythonic");
  error.Hint("name it by ASCII letters, digits and '_', not beginning with a digit and no keyword");
  throw error;
}

}  // namespace xgrammar::json_schema
