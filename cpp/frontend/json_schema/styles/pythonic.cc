// Keyword arguments and literals of Python (Python Language Reference 2.4, 2.5 and 6.3.4).
//
// A constrained string is the same language twice, once for each quote: the automaton of its text
// respelled with escapes (respell.h). Names of arguments are identifiers in ASCII that are no
// keywords; other declared names are refused. Prefixes, triple quotes and joined literals of Python
// are not written.
#include "frontend/json_schema/styles/pythonic.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "frontend/json_schema/styles/python_literals.h"

namespace xgrammar::json_schema {

namespace {

CodePointDfaPtr Share(CodePointDfa dfa) {
  return std::make_shared<const CodePointDfa>(std::move(dfa));
}

// Whether no character of an escape can be part of the text, nor any letter begin it.
bool CannotHoldEscapes(std::string_view text) {
  const char first = text[0];
  const bool is_letter = (first >= '0' && first <= '9') || (first >= 'A' && first <= 'Z') ||
                         (first >= 'a' && first <= 'z');
  return !is_letter && first != '\'' && first != '"' && text.find('\\') == text.npos;
}

const Spellings& SpellingsOf(size_t form) {
  static const std::array<Spellings, 2> spellings{PythonSpellings(kPythonQuotes[0]),
                                                  PythonSpellings(kPythonQuotes[1])};
  return spellings[form];
}

}  // namespace

PythonicStyle::PythonicStyle(Merger* merger, const JsonSchemaOptions& schema_options,
                             const Limits& schema_limits)
    : JSONSchemaConverter(merger, schema_options, schema_limits) {}

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
    return Share(WithoutExcluded(Respell(decoded, SpellingsOf(form))));
  };
  return Quoted({spell(0), spell(1)});
}

CodePointDfa PythonicStyle::MakeBody(AnyBody kind, size_t form, const CodePointDfaPtr& texts,
                                     const Limits& limits) {
  CodePointDfa body =
      kind == AnyBody::kEverySpelling
          ? AnyPythonBody(kPythonQuotes[form], limits)
          : Respell(LengthRange(0, kNoMaximum, limits.max_dfa_states), SpellingsOf(form));
  return texts ? Intersect(body, *texts, limits.max_dfa_states) : std::move(body);
}

std::string PythonicStyle::NameOf(AnyBody kind, size_t form) {
  const std::string_view name =
      kind == AnyBody::kEverySpelling ? "python text " : "python spelled ";
  return std::string(name).append(kPythonQuotes[form]);
}

CodePointDfaPtr PythonicStyle::Body(AnyBody kind, size_t form) {
  return Remembered(NameOf(kind, form),
                    [&] { return MakeBody(kind, form, unexcluded(), limits()); });
}

ExprId PythonicStyle::LateBody(AnyBody kind, size_t form) {
  // Of either kind, without raw characters; and of these in one state.
  constexpr int64_t kEscapeSize = 176;
  constexpr int64_t kRawSize = 9;
  constexpr int64_t kMaxLateSize = 4000;
  int64_t size = kEscapeSize + kRawSize;
  if (unexcluded()) {
    // An escape is never part of an excluded text, so that only raw characters make a product.
    size +=
        static_cast<int64_t>(unexcluded()->states().size()) * kRawSize + unexcluded()->num_edges();
  }
  if (size > std::min(kMaxLateSize, limits().max_dfa_states) ||
      !std::ranges::all_of(options().excludes, CannotHoldEscapes))
    return kNoExpr;
  const auto make = [kind, form, texts = unexcluded(), limits = limits()] {
    return MakeBody(kind, form, texts, limits);
  };
  return builder().AddLateAutomaton(RememberedLate(NameOf(kind, form), make, true, size));
}

ExprId PythonicStyle::FreeString(Depth) {
  if (free_string_ != kNoExpr) return free_string_;
  constexpr AnyBody kKind = AnyBody::kEverySpelling;
  const ExprId late = LateBody(kKind, 0);
  free_string_ =
      late == kNoExpr
          ? Quoted({Body(kKind, 0), Body(kKind, 1)})
          : Lexeme("string",
                   builder().AddChoices({InQuotes(0, late), InQuotes(1, LateBody(kKind, 1))}));
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
          builder().AddRepeat(SpellPythonCharacter(characters, SpellingsOf(i), &builder()),
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
    constexpr AnyBody kKind = AnyBody::kOneSpelling;
    const ExprId late = LateBody(kKind, 0);
    if (late == kNoExpr) return Counted({Body(kKind, 0), Body(kKind, 1)}, length);
    RuleOptions counted;
    counted.max_escaped_length = length.max;
    const auto in_quotes = [&](size_t form, ExprId body) {
      const RuleId rule = builder().AddRuleWithHint("text", body, RuleKind::kLexeme);
      builder().SetOptions(rule, counted);
      return InQuotes(form, builder().AddRuleRef(rule));
    };
    return builder().AddChoices({in_quotes(0, late), in_quotes(1, LateBody(kKind, 1))});
  }
  if (is_counted) return CountedString(Share(bounded(kNoMaximum)), {0, length.max}, true, depth);
  return Spelled(bounded(length.max));
}

ExprId PythonicStyle::CountedString(const CodePointDfaPtr& decoded, const CountRange& length, bool,
                                    Depth) {
  const auto spell = [&](size_t form) {
    return Share(WithoutExcluded(Respell(*decoded, SpellingsOf(form))));
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
    const std::string body = Respell(text, SpellingsOf(i));
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
  if (depth != kArguments) return Spelled(*KeysOf(cell));
  return Names(Intersect(*KeysOf(cell), *AnyName(), limits().max_dfa_states));
}

// ---- Values ----

ExprId PythonicStyle::FreeValue(Depth depth) {
  return depth == kArguments ? AnyObject(depth) : JSONSchemaConverter::FreeValue(depth);
}

ExprId PythonicStyle::FreeObject(const ObjectSpec& spec, Depth depth) {
  return depth == kArguments ? kNoExpr : JSONSchemaConverter::FreeObject(spec, depth);
}

}  // namespace xgrammar::json_schema
