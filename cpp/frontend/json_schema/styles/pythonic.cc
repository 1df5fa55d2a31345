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
#include "frontend/json_schema/styles/python_literals.h"

namespace xgrammar::json_schema {

namespace {

CodePointDfaPtr Share(CodePointDfa dfa) {
  return std::make_shared<const CodePointDfa>(std::move(dfa));
}

}  // namespace

PythonicStyle::PythonicStyle(Merger* merger, const JsonSchemaOptions& schema_options,
                             const Limits& schema_limits)
    : JSONSchemaConverter(merger, schema_options, schema_limits),
      spellings_{PythonSpellings(kPythonQuotes[0]), PythonSpellings(kPythonQuotes[1])} {
  if (!schema_options.excludes.empty())
    unexcluded_ = Share(ExcludingText(schema_options.excludes, schema_limits.max_dfa_states));
  names_ = Share(PythonNames(schema_limits));
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

ExprId PythonicStyle::InQuotes(size_t form, ExprId body) {
  const ExprId quote = builder().AddByteString(kPythonQuotes[form]);
  return builder().AddSequence({quote, body, quote});
}

ExprId PythonicStyle::Quoted(const std::array<CodePointDfa, 2>& bodies) {
  std::vector<ExprId> forms;
  for (size_t i = 0; i < kPythonQuotes.size(); ++i) {
    CodePointDfa body = bodies[i];
    if (unexcluded_) body = Minimize(Intersect(body, *unexcluded_, limits().max_dfa_states));
    if (body.IsEmpty()) continue;
    forms.push_back(InQuotes(i, builder().AddAutomaton(Share(std::move(body)))));
  }
  return forms.empty() ? Excluded() : Lexeme("string", builder().AddChoices(forms));
}

ExprId PythonicStyle::Spelled(const CodePointDfa& decoded) {
  if (decoded.IsEmpty()) return builder().AddNothing();
  return Quoted({Respell(decoded, spellings_[0]), Respell(decoded, spellings_[1])});
}

ExprId PythonicStyle::FreeString(Depth) {
  if (free_string_ == kNoExpr)
    free_string_ = Quoted(
        {AnyPythonBody(kPythonQuotes[0], limits()), AnyPythonBody(kPythonQuotes[1], limits())});
  return free_string_;
}

ExprId PythonicStyle::ConstrainedString(const CodePointDfaPtr& decoded, bool, Depth) {
  return Spelled(*decoded);
}

ExprId PythonicStyle::BoundedString(const CodePointSet& characters, const CountRange& length, bool,
                                    Depth depth) {
  if (!unexcluded_) {
    std::vector<ExprId> forms;
    for (size_t i = 0; i < kPythonQuotes.size(); ++i) {
      const ExprId body =
          builder().AddRepeat(SpellPythonCharacter(characters, spellings_[i], &builder()),
                              length.min, length.HasMax() ? length.max : kUnbounded);
      forms.push_back(InQuotes(i, body));
    }
    return Lexeme("string", builder().AddChoices(forms));
  }
  const int64_t max_states = limits().max_dfa_states;
  std::vector<CodePointDfa::State> any(1);
  any[0].accept = true;
  for (const CodePointRange& range : characters.ranges())
    any[0].edges.push_back({range.lo, range.hi, 0});
  const auto bounded = [&](int64_t max) {
    return Intersect(CodePointDfa(any), LengthRange(length.min, max, max_states), max_states);
  };
  if (length.HasMax() && IsCounted(length.max, *unexcluded_))
    return CountedString(Share(bounded(kNoMaximum)), length.max, true, depth);
  return Spelled(bounded(length.max));
}

ExprId PythonicStyle::CountedString(const CodePointDfaPtr& decoded, int64_t max_length, bool,
                                    Depth) {
  std::vector<ExprId> forms;
  for (size_t i = 0; i < kPythonQuotes.size(); ++i) {
    CodePointDfa spelled = Respell(*decoded, spellings_[i]);
    if (unexcluded_) spelled = Minimize(Intersect(spelled, *unexcluded_, limits().max_dfa_states));
    const ExprId body = CountedBody(Share(std::move(spelled)), max_length);
    if (body != kNoExpr) forms.push_back(InQuotes(i, body));
  }
  return forms.empty() ? Excluded() : builder().AddChoices(forms);
}

ExprId PythonicStyle::StringLiteral(std::string_view text, Depth) {
  std::vector<ExprId> forms;
  for (size_t i = 0; i < kPythonQuotes.size(); ++i) {
    const std::string body = Respell(text, spellings_[i]);
    if (!IsExcluded(body)) forms.push_back(InQuotes(i, builder().AddByteString(body)));
  }
  return forms.empty() ? Excluded() : builder().AddChoices(forms);
}

ExprId PythonicStyle::WordLiteral(std::string_view word) {
  return builder().AddByteString(word == "null" ? "None" : word == "true" ? "True" : "False");
}

// ---- Keys ----

ExprId PythonicStyle::DeclaredKey(std::string_view name, Depth depth) {
  if (depth != kArguments) return StringLiteral(name, depth);
  CheckPythonName(name, *names_);
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
