// The macro `Regex(...)` of EBNF: its arguments, and the language of the pattern as an expression.
//
// With json_string=true every character of the match must be one that stands unescaped inside a
// JSON string (RFC 8259, section 7), so the automaton of the pattern is intersected with those
// characters.
#include "frontend/ebnf/regex_macro.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "automata/code_point_automaton.h"
#include "frontend/regex/regex.h"
#include "support/error.h"

namespace xgrammar::ebnf {

namespace {

struct RegexArguments {
  std::string pattern;
  RegexOptions options;
  bool json_string = false;
};

void ApplyFlags(const MacroCall& call, const Lexer& lexer, const std::string& flags,
                RegexOptions* options) {
  options->dot = RegexOptions::Dot::kNotNewline;
  for (char flag : flags) {
    if (flag == 'i') {
      options->ignore_case = true;
    } else if (flag == 's') {
      options->dot = RegexOptions::Dot::kAny;
    } else if (flag != 'u') {  // The dialect is always that of the `u` flag.
      lexer.Fail(call.arguments_offset, "regular-expression flag '" +
                                            QuoteForMessage(std::string_view(&flag, 1)) +
                                            "' is not supported; use i, s or u");
    }
  }
}

RegexArguments ReadArguments(const MacroCall& call, const Lexer& lexer) {
  size_t offset = call.arguments_offset;
  RegexArguments arguments;
  for (const auto& [name, value] : call.named) {
    if (name == "json_string") {
      if (value.kind != MacroArgument::Kind::kBoolean) {
        lexer.Fail(offset, "json_string must be a boolean");
      }
      arguments.json_string = value.integer != 0;
    } else if (name == "flags") {
      if (value.kind != MacroArgument::Kind::kString) {
        lexer.Fail(offset, "flags must be a string");
      }
      ApplyFlags(call, lexer, value.text, &arguments.options);
    } else {
      lexer.Fail(offset, "Regex does not support the named argument " + QuoteForMessage(name));
    }
  }
  if (call.positional.size() != 1) {
    lexer.Fail(offset, "Regex expects exactly one string argument");
  }
  if (call.positional[0].kind != MacroArgument::Kind::kString) {
    lexer.Fail(offset, "Regex pattern must be a string literal");
  }
  arguments.pattern = call.positional[0].text;
  return arguments;
}

// Strings of characters that JSON allows raw between quotes.
CodePointDfa JsonStringCharacters() {
  CodePointSet escaped({{0x00, 0x1F}, {'"', '"'}, {'\\', '\\'}});
  CodePointSet raw = escaped.Complement();
  std::vector<CodePointDfa::State> states(1);
  states[0].accept = true;
  for (const CodePointRange& range : raw.ranges()) {
    states[0].edges.push_back({range.lo, range.hi, 0});
  }
  return CodePointDfa(std::move(states));
}

ExprId BuildJsonString(const RegexArguments& arguments, GrammarBuilder* builder,
                       const Limits& limits) {
  CodePointDfa pattern = RegexToDfa(arguments.pattern, arguments.options, limits);
  CodePointDfa result = Intersect(pattern, JsonStringCharacters(), limits.max_dfa_states);
  if (result.IsEmpty()) {
    throw Error(ErrorKind::kUnsatisfiable,
                "No text matches the pattern without characters that JSON strings escape");
  }
  return builder->AddAutomaton(std::make_shared<CodePointDfa>(Minimize(result)));
}

// The same failure, told with the place of the macro.
Error WithPlace(const Error& error, const MacroCall& call, const Lexer& lexer,
                std::string_view rule_name, const std::string& pattern) {
  std::string message = "Failed to build the automaton for rule " + QuoteForMessage(rule_name, 60) +
                        " with regex " + QuoteForMessage(pattern) + ": " + error.message();
  Error placed = lexer.ErrorAt(error.kind(), call.arguments_offset, std::move(message));
  placed.AtPosition(error.position());
  if (!error.feature().empty()) placed.Feature(error.feature());
  if (!error.hint().empty()) placed.Hint(error.hint());
  if (!error.limit_name().empty()) {
    placed.Limit(error.limit_name(), error.limit_value(), error.limit_maximum());
  }
  return placed;
}

}  // namespace

ExprId BuildRegexMacro(const MacroCall& call, const Lexer& lexer, std::string_view rule_name,
                       GrammarBuilder* builder, const Limits& limits) {
  RegexArguments arguments = ReadArguments(call, lexer);
  try {
    if (arguments.json_string) return BuildJsonString(arguments, builder, limits);
    return RegexToExpr(arguments.pattern, arguments.options, builder, limits);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kBudget) throw;
    throw WithPlace(error, call, lexer, rule_name, arguments.pattern);
  }
}

}  // namespace xgrammar::ebnf
