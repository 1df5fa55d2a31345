// Keyword arguments and literals of Python (Python Language Reference 2.4, 2.5 and 6.3.4).
//
// A constrained string is the same language twice, once for each quote: the automaton of its text
// respelled with escapes (respell.h). Names of arguments are identifiers in ASCII that are no
// keywords; other declared names are refused. Prefixes, triple quotes and joined literals of Python
// are not written.
#include "frontend/json_schema/styles/pythonic.h"

#include <memory>
#include <string>
#include <utility>

#include "automata/free_run.h"
#include "frontend/regex/regex.h"
#include "support/error.h"

namespace xgrammar::json_schema {

namespace {

constexpr std::array<std::string_view, 2> kQuotes = {"'", "\""};

// Names that Python reserves (Language Reference 2.3.1): none can be the name of an argument.
constexpr std::string_view kKeywords =
    "False|None|True|and|as|assert|async|await|break|class|continue|def|del|elif|else|except|"
    "finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|"
    "with|yield";

// States of the product of lengths and excluded texts that are written out; larger ones are
// counted.
constexpr int64_t kMaxExactStates = 4096;

CodePointDfaPtr Share(CodePointDfa dfa) {
  return std::make_shared<const CodePointDfa>(std::move(dfa));
}

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
CodePointDfa AnyBody(std::string_view quote, const Limits& limits) {
  const std::string hex = "[0-9a-fA-F]";
  const std::string unit =
      "(?:[0-9a-cefA-CEF]" + hex + "{3}|[dD][0-7]" + hex + "{2})";  // Not D800 to DFFF.
  const std::string escape = "\\\\(?:[\\\\'\"abfnrtv]|x" + hex + "{2}|u" + unit + "|U(?:0000" +
                             unit + "|000[1-9a-fA-F]" + hex + "{4}|0010" + hex + "{4}))";
  const std::string raw = "[^\\u0000-\\u001f\\\\\\u0085\\u2028\\u2029" + std::string(quote) + "]";
  return RegexToDfa("(?:" + raw + "|" + escape + ")*", {}, limits);
}

[[noreturn]] void RefuseName(std::string_view name) {
  Error error(ErrorKind::kUnsupported,
              "style pythonic cannot write the argument '" + QuoteForMessage(name) + "'");
  error.Feature("pythonic");
  error.Hint("name it by ASCII letters, digits and '_', not beginning with a digit and no keyword");
  throw error;
}

}  // namespace

PythonicStyle::PythonicStyle(Merger* merger, const JsonSchemaOptions& schema_options,
                             const Limits& schema_limits)
    : JSONSchemaConverter(merger, schema_options, schema_limits),
      spellings_{PythonSpellings(kQuotes[0]), PythonSpellings(kQuotes[1])} {
  const int64_t max_states = schema_limits.max_dfa_states;
  if (!schema_options.excludes.empty())
    unexcluded_ = Share(ExcludingText(schema_options.excludes, max_states));
  names_ = Share(Subtract(RegexToDfa("[A-Za-z_][A-Za-z0-9_]*", {}, schema_limits),
                          RegexToDfa(kKeywords, {}, schema_limits), max_states));
}

// ---- Layout ----

ExprId PythonicStyle::Space() {
  const ExprId blank = builder().AddCharClass(CodePointSet({{' ', ' '}}));
  return Lexeme("blanks",
                builder().AddRepeat(blank, 0, options().max_whitespace_cnt.value_or(kUnbounded)));
}

ExprId PythonicStyle::Open(std::string_view bracket) {
  return builder().AddSequence({builder().AddByteString(bracket), Space()});
}

ExprId PythonicStyle::Close(std::string_view bracket) {
  return builder().AddSequence({Space(), builder().AddByteString(bracket)});
}

ExprId PythonicStyle::Empty(std::string_view open, std::string_view close) {
  return builder().AddSequence({Open(open), builder().AddByteString(close)});
}

ExprId PythonicStyle::Separator(std::string_view text) {
  return builder().AddSequence({Space(), builder().AddByteString(text), Space()});
}

ExprId PythonicStyle::OpenObject(Depth depth) {
  return depth == kArguments ? builder().AddEmpty() : Open("{");
}

ExprId PythonicStyle::CloseObject(Depth depth) {
  return depth == kArguments ? builder().AddEmpty() : Close("}");
}

ExprId PythonicStyle::EmptyObject(Depth depth) {
  return depth == kArguments ? builder().AddEmpty() : Empty("{", "}");
}

// Parsers look for the name and the `=` next to each other.
ExprId PythonicStyle::KeySeparator(Depth depth) {
  return depth == kArguments ? builder().AddByteString("=") : Separator(":");
}

// ---- Strings ----

ExprId PythonicStyle::Quoted(const std::array<CodePointDfa, 2>& bodies) {
  std::vector<ExprId> forms;
  for (size_t i = 0; i < kQuotes.size(); ++i) {
    CodePointDfa body = bodies[i];
    if (unexcluded_) body = Minimize(Intersect(body, *unexcluded_, limits().max_dfa_states));
    if (body.IsEmpty()) continue;
    const ExprId quote = builder().AddByteString(kQuotes[i]);
    forms.push_back(
        builder().AddSequence({quote, builder().AddAutomaton(Share(std::move(body))), quote}));
  }
  return forms.empty() ? Excluded() : Lexeme("string", builder().AddChoices(forms));
}

ExprId PythonicStyle::Spelled(const CodePointDfa& decoded) {
  if (decoded.IsEmpty()) return builder().AddNothing();
  return Quoted({Respell(decoded, spellings_[0]), Respell(decoded, spellings_[1])});
}

ExprId PythonicStyle::SpelledCharacter(const CodePointSet& characters, size_t quote) {
  std::vector<CodePointRange> spelled;
  std::vector<ExprId> alternatives;
  for (const auto& [code_point, spelling] : spellings_[quote]) {
    spelled.push_back({code_point, code_point});
    if (characters.Contains(code_point)) alternatives.push_back(builder().AddByteString(spelling));
  }
  const CodePointSet raw = characters.Minus(CodePointSet(std::move(spelled)));
  if (!raw.empty()) alternatives.push_back(builder().AddCharClass(raw));
  return builder().AddChoices(alternatives);
}

ExprId PythonicStyle::FreeString(Depth) {
  if (free_string_ == kNoExpr)
    free_string_ = Quoted({AnyBody(kQuotes[0], limits()), AnyBody(kQuotes[1], limits())});
  return free_string_;
}

ExprId PythonicStyle::ConstrainedString(const CodePointDfaPtr& decoded, bool, Depth) {
  return Spelled(*decoded);
}

ExprId PythonicStyle::BoundedString(const CodePointSet& characters, const CountRange& length, bool,
                                    Depth depth) {
  const int64_t max_states = limits().max_dfa_states;
  if (!unexcluded_) {
    std::vector<ExprId> forms;
    for (size_t i = 0; i < kQuotes.size(); ++i) {
      const ExprId body = builder().AddRepeat(SpelledCharacter(characters, i), length.min,
                                              length.HasMax() ? length.max : kUnbounded);
      const ExprId quote = builder().AddByteString(kQuotes[i]);
      forms.push_back(builder().AddSequence({quote, body, quote}));
    }
    return Lexeme("string", builder().AddChoices(forms));
  }
  std::vector<CodePointDfa::State> any(1);
  any[0].accept = true;
  for (const CodePointRange& range : characters.ranges())
    any[0].edges.push_back({range.lo, range.hi, 0});
  const auto bounded = [&](int64_t max) {
    return Intersect(CodePointDfa(any), LengthRange(length.min, max, max_states), max_states);
  };
  const bool is_counted =
      length.HasMax() &&
      length.max >= kMaxExactStates / static_cast<int64_t>(unexcluded_->states().size());
  if (is_counted) return CountedString(Share(bounded(kNoMaximum)), length.max, true, depth);
  return Spelled(bounded(length.max));
}

ExprId PythonicStyle::CountedString(const CodePointDfaPtr& decoded, int64_t max_length, bool,
                                    Depth) {
  std::vector<ExprId> forms;
  for (size_t i = 0; i < kQuotes.size(); ++i) {
    CodePointDfa spelled = Respell(*decoded, spellings_[i]);
    if (unexcluded_) spelled = Minimize(Intersect(spelled, *unexcluded_, limits().max_dfa_states));
    const ExprId body = CountedBody(Share(std::move(spelled)), max_length);
    const ExprId quote = builder().AddByteString(kQuotes[i]);
    if (body != kNoExpr) forms.push_back(builder().AddSequence({quote, body, quote}));
  }
  return forms.empty() ? Excluded() : builder().AddChoices(forms);
}

ExprId PythonicStyle::StringLiteral(std::string_view text, Depth) {
  std::vector<ExprId> forms;
  for (size_t i = 0; i < kQuotes.size(); ++i) {
    const std::string body = Respell(text, spellings_[i]);
    if (IsExcluded(body)) continue;
    forms.push_back(
        builder().AddByteString(std::string(kQuotes[i]).append(body) + std::string(kQuotes[i])));
  }
  return forms.empty() ? Excluded() : builder().AddChoices(forms);
}

ExprId PythonicStyle::WordLiteral(std::string_view word) {
  return builder().AddByteString(word == "null" ? "None" : word == "true" ? "True" : "False");
}

// ---- Keys ----

ExprId PythonicStyle::DeclaredKey(std::string_view name, Depth depth) {
  if (depth != kArguments) return StringLiteral(name, depth);
  if (!names_->Accepts(name)) RefuseName(name);
  return IsExcluded(name) ? Excluded() : builder().AddByteString(name);
}

ExprId PythonicStyle::Names(const CodePointDfa& names) {
  if (names.IsEmpty()) return builder().AddNothing();
  const CodePointDfa written =
      unexcluded_ ? Intersect(names, *unexcluded_, limits().max_dfa_states) : names;
  return TextLexeme("name", Minimize(written));
}

ExprId PythonicStyle::AdditionalKey(const std::vector<std::string_view>& closed_names,
                                    Depth depth) {
  if (closed_names.empty()) return depth == kArguments ? Names(*names_) : FreeString(depth);
  const CodePointDfa any =
      depth == kArguments ? *names_ : LengthRange(0, kNoMaximum, limits().max_dfa_states);
  const CodePointDfa open = Subtract(any, FromStrings(closed_names), limits().max_dfa_states);
  return depth == kArguments ? Names(open) : Spelled(open);
}

ExprId PythonicStyle::ConstrainedKey(const FreeCell& cell, Depth depth) {
  if (depth != kArguments) return Spelled(*cell.keys);
  return Names(Intersect(*cell.keys, *names_, limits().max_dfa_states));
}

// ---- Values ----

ExprId PythonicStyle::FreeValue(Depth depth) {
  return depth == kArguments ? AnyObject(depth) : JSONSchemaConverter::FreeValue(depth);
}

ExprId PythonicStyle::FreeObject(const ObjectSpec& spec, Depth depth) {
  return depth == kArguments ? kNoExpr : JSONSchemaConverter::FreeObject(spec, depth);
}

}  // namespace xgrammar::json_schema
