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
      spellings_{PythonSpellings(kPythonQuotes[0]), PythonSpellings(kPythonQuotes[1])} {}

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

ExprId PythonicStyle::Quoted(const std::array<CodePointDfaPtr, 2>& bodies) {
  std::vector<ExprId> forms;
  for (size_t i = 0; i < kPythonQuotes.size(); ++i) {
    if (bodies[i]->IsEmpty()) continue;
    forms.push_back(InQuotes(i, builder().AddAutomaton(bodies[i])));
  }
  return forms.empty() ? Excluded() : Lexeme("string", builder().AddChoices(forms));
}

CodePointDfa PythonicStyle::WithoutExcluded(CodePointDfa body) const {
  return unexcluded() ? Intersect(body, *unexcluded(), limits().max_dfa_states) : std::move(body);
}

ExprId PythonicStyle::Spelled(const CodePointDfa& decoded) {
  if (decoded.IsEmpty()) return builder().AddNothing();
  const auto spell = [&](size_t form) {
    return Share(WithoutExcluded(Respell(decoded, spellings_[form])));
  };
  return Quoted({spell(0), spell(1)});
}

ExprId PythonicStyle::FreeString(Depth) {
  const auto any_body = [&](size_t form) {
    return Remembered(std::string("python text ").append(kPythonQuotes[form]), [&] {
      return WithoutExcluded(AnyPythonBody(kPythonQuotes[form], limits()));
    });
  };
  if (free_string_ == kNoExpr) free_string_ = Quoted({any_body(0), any_body(1)});
  return free_string_;
}

ExprId PythonicStyle::ConstrainedString(const CodePointDfaPtr& decoded, bool, Depth) {
  return Spelled(*decoded);
}

ExprId PythonicStyle::BoundedString(const CodePointSet& characters, const CountRange& length, bool,
                                    Depth depth) {
  if (!unexcluded()) {
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
  const bool is_counted = length.HasMax() && IsCounted(length.max, *unexcluded());
  if (is_counted && length.min == 0 && characters == CodePointSet::All()) {
    const auto all_texts = [&](size_t form) {
      return Remembered(std::string("python spelled ").append(kPythonQuotes[form]), [&] {
        return WithoutExcluded(Respell(LengthRange(0, kNoMaximum, max_states), spellings_[form]));
      });
    };
    return Counted({all_texts(0), all_texts(1)}, length);
  }
  if (is_counted) return CountedString(Share(bounded(kNoMaximum)), {0, length.max}, true, depth);
  return Spelled(bounded(length.max));
}

ExprId PythonicStyle::CountedString(const CodePointDfaPtr& decoded, const CountRange& length, bool,
                                    Depth) {
  const auto spell = [&](size_t form) {
    return Share(WithoutExcluded(Respell(*decoded, spellings_[form])));
  };
  return Counted({spell(0), spell(1)}, length);
}

ExprId PythonicStyle::Counted(const std::array<CodePointDfaPtr, 2>& bodies,
                              const CountRange& length) {
  std::vector<ExprId> forms;
  for (size_t i = 0; i < kPythonQuotes.size(); ++i) {
    const ExprId body = CountedBody(bodies[i], length);
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
  CheckPythonName(name);
  return IsExcluded(name) ? Excluded() : builder().AddByteString(name);
}

CodePointDfaPtr PythonicStyle::AnyName() {
  return Remembered("python names", [&] { return PythonNames(limits()); });
}

ExprId PythonicStyle::Names(const CodePointDfa& names) {
  if (names.IsEmpty()) return builder().AddNothing();
  return TextLexeme("name", Minimize(WithoutExcluded(names)));
}

ExprId PythonicStyle::AdditionalKey(const std::vector<std::string_view>& closed_names,
                                    Depth depth) {
  if (closed_names.empty()) return depth == kArguments ? Names(*AnyName()) : FreeString(depth);
  const CodePointDfa any =
      depth == kArguments ? *AnyName() : LengthRange(0, kNoMaximum, limits().max_dfa_states);
  const CodePointDfa open = Subtract(any, FromStrings(closed_names), limits().max_dfa_states);
  return depth == kArguments ? Names(open) : Spelled(open);
}

ExprId PythonicStyle::ConstrainedKey(const FreeCell& cell, Depth depth) {
  if (depth != kArguments) return Spelled(*cell.keys);
  return Names(Intersect(*cell.keys, *AnyName(), limits().max_dfa_states));
}

// ---- Values ----

ExprId PythonicStyle::FreeValue(Depth depth) {
  return depth == kArguments ? AnyObject(depth) : JSONSchemaConverter::FreeValue(depth);
}

ExprId PythonicStyle::FreeObject(const ObjectSpec& spec, Depth depth) {
  return depth == kArguments ? kNoExpr : JSONSchemaConverter::FreeObject(spec, depth);
}

}  // namespace xgrammar::json_schema
