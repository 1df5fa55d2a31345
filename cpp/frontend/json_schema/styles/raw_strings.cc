// Raw strings and keys: products of what the schema asks for with texts that lack the markers.
//
// The texts without a marker are the automaton of Aho and Corasick (1975) with the matching states
// taken out (ExcludingText); products are bounded by Limits::max_dfa_states. Lengths that would
// make a product large are counted beside it.
#include "frontend/json_schema/styles/raw_strings.h"

#include <memory>
#include <utility>

#include "automata/free_run.h"

namespace xgrammar::json_schema {

namespace {

CodePointDfaPtr Share(CodePointDfa dfa) {
  return std::make_shared<const CodePointDfa>(std::move(dfa));
}

// Texts without the marker and, if asked for, without the excluded ones.
CodePointDfa TextsWithout(std::string_view marker, const std::vector<std::string>& excludes,
                          const Limits& limits) {
  std::vector<std::string> texts = excludes;
  texts.emplace_back(marker);
  return ExcludingText(texts, limits.max_dfa_states);
}

std::string NamedBy(std::string_view what, std::string_view marker) {
  return std::string(what).append(" ").append(marker);
}

CodePointDfa Identifiers() {
  std::vector<CodePointDfa::State> states(2);
  states[0].edges = {{'A', 'Z', 1}, {'_', '_', 1}, {'a', 'z', 1}};
  states[1].edges = {{'0', '9', 1}, {'A', 'Z', 1}, {'_', '_', 1}, {'a', 'z', 1}};
  states[1].accept = true;
  return CodePointDfa(std::move(states));
}

CodePointDfa Repeated(const CodePointSet& characters) {
  std::vector<CodePointDfa::State> states(1);
  states[0].accept = true;
  for (const CodePointRange& range : characters.ranges())
    states[0].edges.push_back({range.lo, range.hi, 0});
  return CodePointDfa(std::move(states));
}

}  // namespace

RawStringStyle::RawStringStyle(Merger* merger, const JsonSchemaOptions& schema_options,
                               const Limits& schema_limits, const RawStringFormat& format)
    : JSONSchemaConverter(merger, schema_options, schema_limits),
      format_(format),
      unmarked_(Remembered(NamedBy("unmarked", format.value_end),
                           [&] { return TextsWithout(format.value_end, {}, schema_limits); })),
      texts_(Remembered(
          NamedBy("raw texts", format.value_end),
          [&] { return TextsWithout(format.value_end, schema_options.excludes, schema_limits); })),
      key_texts_(Remembered(
          NamedBy("raw texts", format.key_end),
          [&] { return TextsWithout(format.key_end, schema_options.excludes, schema_limits); })),
      new_names_(Remembered(format.has_identifier_keys ? "identifiers" : "any names", [&] {
        return format.has_identifier_keys ? Identifiers() : Repeated(CodePointSet::All());
      })) {}

const CodePointDfa& RawStringStyle::Texts(bool is_filtered) const {
  return is_filtered || format_.filters_patterns ? *texts_ : *unmarked_;
}

ExprId RawStringStyle::FreeString(Depth depth) {
  return HasRawString(depth) ? TextLexeme("text", *texts_) : JSONSchemaConverter::FreeString(depth);
}

ExprId RawStringStyle::ConstrainedString(const CodePointDfaPtr& decoded, bool is_filtered,
                                         Depth depth) {
  if (!HasRawString(depth) || decoded->IsEmpty())
    return JSONSchemaConverter::ConstrainedString(decoded, is_filtered, depth);
  return TextLexeme("text", Intersect(*decoded, Texts(is_filtered), limits().max_dfa_states));
}

ExprId RawStringStyle::BoundedString(const CodePointSet& characters, const CountRange& length,
                                     bool is_filtered, Depth depth) {
  if (!HasRawString(depth))
    return JSONSchemaConverter::BoundedString(characters, length, is_filtered, depth);
  const CodePointDfa& texts = Texts(is_filtered);
  if (characters == CodePointSet::All() && texts.states().size() > 1)
    return CountedText(texts, length);
  const CodePointDfa text = Intersect(Repeated(characters), texts, limits().max_dfa_states);
  if (text.states().size() > 1) return CountedText(text, length);
  // The characters cannot spell a marker.
  return Lexeme("text", builder().AddRepeat(builder().AddCharClass(characters), length.min,
                                            length.HasMax() ? length.max : kUnbounded));
}

ExprId RawStringStyle::CountedString(const CodePointDfaPtr& decoded, const CountRange& length,
                                     bool is_filtered, Depth depth) {
  if (!HasRawString(depth))
    return JSONSchemaConverter::CountedString(decoded, length, is_filtered, depth);
  return CountedText(Intersect(*decoded, Texts(is_filtered), limits().max_dfa_states), length);
}

ExprId RawStringStyle::StringLiteral(std::string_view text, Depth depth) {
  if (!HasRawString(depth)) return JSONSchemaConverter::StringLiteral(text, depth);
  return texts_->Accepts(text) ? builder().AddByteString(text) : Excluded();
}

ExprId RawStringStyle::ClosedString(ExprId text, bool is_padded, std::string_view marker) {
  const auto [place, is_new] = closed_strings_.try_emplace({text, is_padded}, kNoExpr);
  if (!is_new) return place->second;
  const Grammar& built = builder().view();
  // The body of a lexeme in place of a reference to it; what is counted stays a rule.
  const auto body_of = [&](ExprId part) {
    if (built.kind(part) != ExprKind::kRuleRef) return part;
    const Rule& rule = built.rule(built.rule_ref(part));
    return rule.kind == RuleKind::kLexeme && rule.options.empty() ? rule.body : part;
  };
  const ExprId space = is_padded ? body_of(layout().Space()) : builder().AddEmpty();
  const ExprId closed =
      builder().AddSequence({space, body_of(text), space, builder().AddByteString(marker)});
  place->second = builder().AddRuleRef(builder().AddRuleWithHint("closed_text", closed));
  return place->second;
}

ExprId RawStringStyle::DeclaredKey(std::string_view name, Depth depth) {
  if (!HasRawKeys(depth)) return JSONSchemaConverter::DeclaredKey(name, depth);
  const std::string spelled = SpellKey(name);
  return IsExcluded(spelled) ? Excluded() : EnclosedKey(builder().AddByteString(spelled));
}

ExprId RawStringStyle::AdditionalKey(const std::vector<std::string_view>& closed_names,
                                     Depth depth) {
  if (!HasRawKeys(depth)) return JSONSchemaConverter::AdditionalKey(closed_names, depth);
  if (closed_names.empty()) return KeysOf(new_names_);
  return KeysOf(Share(Subtract(*new_names_, FromStrings(closed_names), limits().max_dfa_states)));
}

ExprId RawStringStyle::ConstrainedKey(const FreeCell& cell, Depth depth) {
  if (!HasRawKeys(depth)) return JSONSchemaConverter::ConstrainedKey(cell, depth);
  if (cell.origin == FreeCell::Origin::kNamed) return KeysOf(JSONSchemaConverter::KeysOf(cell));
  return KeysOf(
      Share(Intersect(*JSONSchemaConverter::KeysOf(cell), *new_names_, limits().max_dfa_states)));
}

ExprId RawStringStyle::KeysOf(const CodePointDfaPtr& names) {
  if (names->IsEmpty()) return builder().AddNothing();
  const CodePointDfa spelled = Intersect(*SpellKeys(names), *key_texts_, limits().max_dfa_states);
  return EnclosedKey(TextLexeme("key", Minimize(spelled)));
}

}  // namespace xgrammar::json_schema
