// Strings and keys in JSON spelling.
//
// Part of JSONSchemaConverter; styles override these functions. A constraint is an automaton over
// decoded text (string_language.h), spelled at the end (string_spelling.h). Lengths stay in the
// automaton while the product is small; any others are bounds of the rule that the parser counts.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "automata/byte_dfa.h"
#include "automata/text_lengths.h"
#include "frontend/json_schema/converter.h"
#include "frontend/json_schema/regex_rules.h"
#include "frontend/json_schema/string_formats.h"
#include "frontend/json_schema/string_spelling.h"
#include "frontend/regex/regex.h"
#include "json/writer.h"
#include "support/error.h"

namespace xgrammar::json_schema {

namespace {

CodePointDfaPtr Share(CodePointDfa dfa) {
  return std::make_shared<const CodePointDfa>(std::move(dfa));
}

/// For a text that is at least so many characters of one set, as [a-z]+ is: the number; -1 for any
/// other text.
int64_t LeastOfOneSet(const CodePointDfa& text) {
  const auto& states = text.states();
  const auto last = static_cast<int32_t>(states.size()) - 1;
  const auto& set = states[0].edges;
  for (int32_t i = 0; i <= last; ++i) {
    const CodePointDfa::StateView& state = states[static_cast<size_t>(i)];
    const auto goes_on = [next = std::min(i + 1, last)](const CodePointEdge& a,
                                                        const CodePointEdge& b) {
      return a.lo == b.lo && a.hi == b.hi && a.target == next;
    };
    if (set.empty() || state.accept != (i == last) ||
        !std::ranges::equal(state.edges, set, goes_on))
      return -1;
  }
  return last;
}

// Of texts that may end anywhere, so that counting them costs little.
constexpr int64_t kMaxWrittenStatesIfCheap = 64;

bool EndsAnywhere(const CodePointDfa& text) {
  return std::ranges::all_of(text.states(), [](const auto& state) { return state.accept; });
}

/// Whether a text can end within a few characters wherever it is.
bool EndsSoon(const CodePointDfa& text) {
  constexpr uint32_t kMaxNeeded = 8;
  return std::ranges::all_of(LengthsOf(text).LeastLengths(), [](uint32_t least) {
    return least <= kMaxNeeded || least == LengthGraph::kNever;
  });
}

/// Whether some text has so many characters.
bool HasLength(const LengthGraph& texts, const CountRange& length) {
  constexpr int64_t kMaxTableBits = int64_t{1} << 30;
  if (length.IsEmpty()) return false;
  if (length.min == 0) {
    const uint32_t least = texts.LeastLengths()[0];
    return least != LengthGraph::kNever && (!length.HasMax() || least <= length.max);
  }
  const int64_t width = length.HasMax() ? length.max - length.min : LengthWindows::kAnyWidth;
  const auto windows = LengthWindows::Make(texts, length.min, width, kMaxTableBits);
  if (!windows) {
    ThrowFixedLimitError("the table of a least length beside other conditions (bits)",
                         kMaxTableBits + 1, kMaxTableBits);
  }
  return windows->Fits(0, static_cast<uint64_t>(length.min));
}

// Raises kLimit for a text that lowering could not fold into one automaton of bytes, beside which
// to count (lowering/unit_table.h), so that it is known when the schema is compiled.
void CheckFolds(const CodePointDfaPtr& text) {
  constexpr int64_t kMaxSize = int64_t{1} << 20;
  constexpr int64_t kMaxByteStates = int64_t{1} << 17;
  constexpr int64_t kMostStatesOfRange = 8;
  const auto num_states = static_cast<int64_t>(text->states().size());
  const int64_t size = num_states + text->num_edges();
  if (num_states + kMostStatesOfRange * text->num_edges() <= kMaxByteStates) return;
  if (size <= kMaxSize && SpellInBytes("", text, "", static_cast<uint32_t>(kMaxByteStates))) return;
  ThrowFixedLimitError("the states over bytes beside which characters are counted",
                       kMaxByteStates + 1, kMaxByteStates);
}

/// States and edges of the spellings of a text, or somewhat more, and an estimate of the states
/// that reading them by bytes takes.
struct SpelledSize {
  int64_t total = 0;
  int64_t byte_states = 0;
};

SpelledSize SizeOfSpelling(const CodePointDfa& text) {
  constexpr int64_t kEscapeSize = 55;
  constexpr int64_t kEscapeStates = 6;
  constexpr int64_t kWideEdgesOfState = 4;  // Letters of all scripts share most of their bytes.
  constexpr uint32_t kMaxAscii = 0x7F;
  int64_t num_wide = 0;
  for (const CodePointDfa::StateView& state : text.states()) {
    num_wide += std::count_if(state.edges.begin(), state.edges.end(),
                              [](const CodePointDfa::Edge& edge) { return edge.hi > kMaxAscii; });
  }
  const auto num_states = static_cast<int64_t>(text.states().size());
  return {num_states * kEscapeSize + text.num_edges(),
          num_states * (1 + kEscapeStates) + num_wide / kWideEdgesOfState};
}

/// Raises kLimit for a text that would take a second and a hundred megabytes, if the limit is the
/// default, when a parse comes to it.
void CheckSize(const CodePointDfa& text, int64_t max_states) {
  constexpr int64_t kSizeOfState = 11;
  constexpr int64_t kStatesOfEscapes = 6;
  const int64_t size =
      static_cast<int64_t>(text.states().size()) * (1 + kStatesOfEscapes) + text.num_edges();
  if (size / kSizeOfState > max_states) {
    ThrowLimitError("max_dfa_states", size / kSizeOfState, max_states,
                    "a string with its escapes (eleven edges count as a state)");
  }
}

}  // namespace

bool JSONSchemaConverter::IsCounted(int64_t max_length, const CodePointDfa& text) {
  constexpr int64_t kMaxWrittenStates = 4096;
  constexpr int64_t kFarLength = 192;
  constexpr int64_t kMaxWrittenStatesIfFar = 512;
  // Each state written would have a local mask of its own, which no two patterns share.
  constexpr int64_t kMaxWrittenStatesIfSoon = 16;
  const auto num_states = static_cast<int64_t>(text.states().size());
  int64_t written = max_length >= kFarLength ? kMaxWrittenStatesIfFar : kMaxWrittenStates;
  if (EndsAnywhere(text)) {
    written = kMaxWrittenStatesIfCheap;
  } else if (EndsSoon(text)) {
    written = kMaxWrittenStatesIfSoon;
  }
  return max_length >= written / num_states;
}

bool JSONSchemaConverter::IsLeastCounted(const CountRange& length, const CodePointDfa& text) {
  constexpr int64_t kMaxWrittenEdges = int64_t{1} << 16;
  constexpr int64_t kMaxCounted = int64_t{1} << 28;
  constexpr int64_t kMaxTableBits = int64_t{1} << 18;
  if (length.min > kMaxCounted || length.IsEmpty()) return false;
  const auto num_states = static_cast<int64_t>(text.states().size());
  const bool is_small =
      EndsAnywhere(text) ? length.min * num_states <= kMaxWrittenStatesIfCheap
                         : length.min * std::max<int64_t>(text.num_edges(), 1) <= kMaxWrittenEdges;
  if (is_small) return false;
  const int64_t width = length.HasMax() ? length.max - length.min : LengthWindows::kAnyWidth;
  return LengthWindows::Make(LengthsOf(text), length.min, width, kMaxTableBits).has_value();
}

ExprId JSONSchemaConverter::FreeString(Depth) {
  if (unexcluded_ && free_string_ == kNoExpr) {
    CodePointDfaPtr body = Remembered("json strings", [&] {
      return Intersect(SpellingsExcept({}), *unexcluded_, limits_.max_dfa_states);
    });
    free_string_ = body->IsEmpty() ? Excluded() : JsonText("string", std::move(body), false);
  }
  if (unexcluded_) return free_string_;
  const ExprId hex = builder_.AddCharClass(CodePointSet({{'0', '9'}, {'A', 'F'}, {'a', 'f'}}));
  const ExprId escape = builder_.AddChoices(
      {builder_.AddCharClass(CodePointSet({{'"', '"'},
                                           {'/', '/'},
                                           {'\\', '\\'},
                                           {'b', 'b'},
                                           {'f', 'f'},
                                           {'n', 'n'},
                                           {'r', 'r'},
                                           {'t', 't'}})),
       builder_.AddSequence({builder_.AddByteString("u"), builder_.AddRepeat(hex, 4, 4)})});
  const ExprId character =
      builder_.AddChoices({builder_.AddCharClass(RawStringCharacters()),
                           builder_.AddSequence({builder_.AddByteString("\\"), escape})});
  const ExprId quote = builder_.AddByteString("\"");
  return Lexeme("string", builder_.AddSequence({quote, builder_.AddStar(character), quote}));
}

// A string with its quotes, from the spellings of its body.
ExprId JSONSchemaConverter::JsonText(std::string_view hint, CodePointDfaPtr spelled,
                                     bool is_filtered) {
  if (spelled->IsEmpty()) return builder_.AddNothing();
  if (is_filtered && unexcluded_) {
    spelled = Share(Intersect(*spelled, *unexcluded_, limits_.max_dfa_states));
    if (spelled->IsEmpty()) return Excluded();
  }
  return Quoted(hint, builder_.AddAutomaton(std::move(spelled)));
}

ExprId JSONSchemaConverter::Quoted(std::string_view hint, ExprId body) {
  const ExprId quote = builder_.AddByteString("\"");
  return Lexeme(hint, builder_.AddSequence({quote, body, quote}));
}

ExprId JSONSchemaConverter::ConstrainedString(const CodePointDfaPtr& decoded, bool is_filtered,
                                              Depth) {
  CheckSize(*decoded, limits_.max_dfa_states);
  CodePointDfaPtr spelled = decoded->IsEmpty() ? decoded : SpelledFormat(decoded);
  if (!spelled && !(is_filtered && unexcluded_)) {
    LateAutomatonPtr& later = spelled_[decoded.get()];
    if (!later) later = SpellCanonicallyLater(decoded);
    if (later) return Quoted("string", builder_.AddLateAutomaton(later));
  }
  if (!spelled) spelled = SpellCanonically(decoded);
  return JsonText("string", std::move(spelled), is_filtered);
}

ExprId JSONSchemaConverter::PatternString(std::string_view pattern, Depth) {
  const CharacterSpeller spell = [this](const CodePointSet& characters) {
    return SpellCharacter(characters, &builder_);
  };
  const ExprId body = RegexToSpelledExpr(pattern, PatternOptions(), spell, &builder_, limits_);
  return body == kNoExpr ? kNoExpr : Quoted("string", body);
}

ExprId JSONSchemaConverter::LargePattern(const StringConstraint& constraint,
                                         const CodePointDfa& decoded, Depth depth) {
  if (!constraint.IsOnePattern()) return kNoExpr;
  constexpr int64_t kMaxFoldedSize = int64_t{1} << 20;  // As in lowering/unit_table.cc.
  constexpr int64_t kMaxByteStates = int64_t{1} << 17;
  if (static_cast<int64_t>(decoded.states().size()) + decoded.num_edges() < kMaxByteStates / 8)
    return kNoExpr;
  const SpelledSize size = SizeOfSpelling(decoded);
  if (size.total <= kMaxFoldedSize && size.byte_states <= kMaxByteStates) return kNoExpr;
  return PatternString(document().text(constraint.atoms[0].text), depth);
}

ExprId JSONSchemaConverter::FormatString(std::string_view name, bool may_be_empty, Depth) {
  if (name == "regex") {
    ExprId& format = regex_formats_[may_be_empty ? 1 : 0];
    if (format == kNoExpr) format = Quoted("string", AddRegexFormat(&builder_, may_be_empty));
    return format;
  }
  if (!may_be_empty && AutomataOfFormat(name).decoded->Accepts("")) return kNoExpr;
  return JsonText("string", AutomataOfFormat(name).spelled, false);
}

ExprId JSONSchemaConverter::BoundedString(const CodePointSet& characters, const CountRange& length,
                                          bool is_filtered, Depth depth) {
  if (!is_filtered || !unexcluded_) {
    const ExprId quote = builder_.AddByteString("\"");
    const ExprId body = builder_.AddRepeat(SpellCharacter(characters, &builder_), length.min,
                                           length.HasMax() ? length.max : kUnbounded);
    return Lexeme("string", builder_.AddSequence({quote, body, quote}));
  }
  const LengthParts parts = SplitLength(length, *unexcluded_);
  CodePointDfaPtr decoded =
      Share(LengthRange(parts.written.min, parts.written.max, limits_.max_dfa_states));
  if (!parts.counted.IsTrivial())
    return JSONSchemaConverter::CountedString(decoded, parts.counted, is_filtered, depth);
  return JsonText("string", SpellCanonically(decoded), true);
}

ExprId JSONSchemaConverter::CountedString(const CodePointDfaPtr& decoded, const CountRange& length,
                                          bool is_filtered, Depth) {
  CodePointDfaPtr spelled = SpelledFormat(decoded);
  if (!spelled) spelled = SpellCanonically(decoded);
  const bool is_excluding = is_filtered && unexcluded_;
  if (is_excluding) spelled = Share(Intersect(*spelled, *unexcluded_, limits_.max_dfa_states));
  const ExprId quote = builder_.AddByteString("\"");
  const ExprId body = CountedBody(std::move(spelled), length);
  if (body == kNoExpr) return is_excluding ? Excluded() : builder_.AddNothing();
  return builder_.AddSequence({quote, body, quote});
}

ExprId JSONSchemaConverter::CountedBody(CodePointDfaPtr spelled, const CountRange& length) {
  if (!HasLength(EscapedLengthsOf(*spelled), length)) return kNoExpr;
  RuleOptions counted;
  counted.min_escaped_length = length.min;
  if (length.HasMax()) counted.max_escaped_length = length.max;
  return CountedRule(std::move(spelled), counted);
}

ExprId JSONSchemaConverter::TextLexeme(std::string_view hint, CodePointDfa text) {
  if (text.IsEmpty()) return Excluded();
  CheckSize(text, limits_.max_dfa_states);
  return Lexeme(hint, builder_.AddAutomaton(Share(std::move(text))));
}

JSONSchemaConverter::LengthParts JSONSchemaConverter::SplitLength(const CountRange& length,
                                                                  const CodePointDfa& text) {
  const bool counts_min = IsLeastCounted(length, text);
  const bool counts_max = length.HasMax() && (counts_min || IsCounted(length.max, text));
  return {{counts_min ? 0 : length.min, counts_max ? kNoMaximum : length.max},
          {counts_min ? length.min : 0, counts_max ? length.max : kNoMaximum}};
}

ExprId JSONSchemaConverter::CountedText(const CodePointDfa& text, const CountRange& length) {
  const int64_t max_states = limits_.max_dfa_states;
  const auto [written, rest] = SplitLength(length, text);
  CodePointDfa body =
      written.IsTrivial()
          ? text
          : Intersect(text, LengthRange(written.min, written.max, max_states), max_states);
  if (rest.IsTrivial() || body.IsEmpty()) return TextLexeme("text", std::move(body));
  if (!HasLength(LengthsOf(body), rest)) return Excluded();
  RuleOptions counted;
  counted.min_length = rest.min;
  if (rest.HasMax()) counted.max_length = rest.max;
  return CountedRule(Share(std::move(body)), counted);
}

ExprId JSONSchemaConverter::CountedRule(CodePointDfaPtr body, const RuleOptions& bound) {
  CheckFolds(body);
  const ExprId automaton = builder_.AddAutomaton(std::move(body));
  const RuleId rule = builder_.AddRuleWithHint("text", automaton, RuleKind::kLexeme);
  builder_.SetOptions(rule, bound);
  return builder_.AddRuleRef(rule);
}

ExprId JSONSchemaConverter::Excluded() {
  has_excluded_ = true;
  return builder_.AddNothing();
}

bool JSONSchemaConverter::IsExcluded(std::string_view spelled) const {
  return unexcluded_ && !unexcluded_->Accepts(spelled);
}

// A long text is cut into rules, so that each piece is made ready when a parse comes to it.
ExprId JSONSchemaConverter::TextInPieces(std::string_view text) {
  constexpr size_t kPiece = 4096;
  constexpr size_t kLongText = 4 * kPiece;
  if (text.size() <= kLongText) return builder_.AddByteString(text);
  std::vector<ExprId> pieces;
  while (!text.empty()) {
    size_t size = std::min(kPiece, text.size());
    // Between characters, so that each piece can be printed.
    while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
    const ExprId piece = builder_.AddByteString(text.substr(0, size));
    pieces.push_back(
        builder_.AddRuleRef(builder_.AddRuleWithHint("text", piece, RuleKind::kStructure)));
    text.remove_prefix(size);
  }
  return builder_.AddSequence(pieces);
}

// U+007F is written raw or, as some writers do, as an escape.
ExprId JSONSchemaConverter::StringLiteral(std::string_view text, Depth) {
  std::string spelled;
  AppendJsonString(text, &spelled);
  if (IsExcluded(std::string_view(spelled).substr(1, spelled.size() - 2))) return Excluded();
  if (unexcluded_ || spelled.find('\x7f') == std::string::npos) return TextInPieces(spelled);
  std::vector<ExprId> parts;
  size_t start = 0;
  while (true) {
    const size_t end = spelled.find('\x7f', start);
    parts.push_back(TextInPieces(std::string_view(spelled).substr(start, end - start)));
    if (end == std::string::npos) return builder_.AddSequence(parts);
    parts.push_back(
        builder_.AddChoices({builder_.AddByteString("\x7f"), builder_.AddByteString("\\u007f")}));
    start = end + 1;
  }
}

// Keys are JSON strings even where a style writes the string values of the same place otherwise.
ExprId JSONSchemaConverter::DeclaredKey(std::string_view name, Depth depth) {
  return JSONSchemaConverter::StringLiteral(name, depth);
}

ExprId JSONSchemaConverter::AdditionalKey(const std::vector<std::string_view>& closed_names,
                                          Depth depth) {
  if (closed_names.empty()) return JSONSchemaConverter::FreeString(depth);
  std::string names;
  for (const std::string_view name : closed_names)
    names += std::to_string(name.size()) + ":" + std::string(name);
  const auto [place, is_new] = closed_.try_emplace(std::move(names), kNoExpr);
  if (is_new) place->second = KeyExcept(closed_names);
  return place->second;
}

// Few objects of a schema are met in a text, so most of these automata are never made.
ExprId JSONSchemaConverter::KeyExcept(std::vector<std::string_view> names) {
  std::sort(names.begin(), names.end());
  // Characters of names that may take as much memory, hundreds of megabytes, as the largest
  // automaton of a pattern.
  constexpr int64_t kBeginningsOfState = 5;
  if (const int64_t size = NumBeginnings(names) / kBeginningsOfState; size > limits_.max_dfa_states)
    ThrowLimitError("max_dfa_states", size, limits_.max_dfa_states,
                    "keys that are no name of an object");
  if (unexcluded_) return JsonText("key", Share(SpellingsExcept(names)), true);
  std::string key = "keys";
  for (const std::string_view name : names)
    key.append(" ").append(std::to_string(name.size())).append(":").append(name);
  const LateAutomatonPtr later = memo_->GetLate(key, [&] { return SpellingsExceptLater(names); });
  if (later) return Quoted("key", builder_.AddLateAutomaton(later));
  return JsonText("key", Share(SpellingsExcept(names)), true);
}

CodePointDfaPtr JSONSchemaConverter::KeysOf(const FreeCell& cell) {
  return cell.format.empty() ? cell.keys : merger_.strings().Format(cell.format, kNoJson);
}

ExprId JSONSchemaConverter::ConstrainedKey(const FreeCell& cell, Depth depth) {
  if (!cell.format.empty() && !unexcluded_)
    return JSONSchemaConverter::FormatString(cell.format, true, depth);
  // The branches of a location have cells in common.
  const CodePointDfaPtr keys = KeysOf(cell);
  const auto [place, is_new] = cell_keys_.try_emplace(keys.get(), kNoExpr);
  if (is_new) place->second = JSONSchemaConverter::ConstrainedString(keys, true, depth);
  return place->second;
}

// What asks for states, for a message: "pattern and length".
static std::string PartsOf(const StringConstraint& constraint, bool has_excludes) {
  std::string parts;
  const auto add = [&parts](bool is_there, const char* name) {
    if (is_there) parts += (parts.empty() ? "" : " and ") + std::string(name);
  };
  const auto is_format = [](const StringAtom& atom) { return atom.is_format; };
  add(!std::ranges::all_of(constraint.atoms, is_format), "pattern");
  add(std::ranges::any_of(constraint.atoms, is_format), "format");
  add(!constraint.length.IsTrivial(), "length");
  add(!constraint.excluded.empty() || has_excludes, "excluded texts");
  return parts;
}

ExprId JSONSchemaConverter::String(const StringConstraint& constraint, JsonId schema, Depth depth) {
  const std::string key = constraint.Key() + "@" + std::to_string(depth);
  const auto found = strings_.find(key);
  if (found != strings_.end()) return found->second;
  ExprId result = kNoExpr;
  try {
    result = MakeString(constraint, schema, depth);
  } catch (const Error& cause) {
    if (cause.kind() != ErrorKind::kLimit || cause.has_pointer()) throw;
    Error error = merger_.reader().MakeError(ErrorKind::kLimit, schema, "",
                                             "A string that combines " +
                                                 PartsOf(constraint, unexcluded_ != nullptr) +
                                                 " needs too many states");
    error.Limit(cause.limit_name(), cause.limit_value(), cause.limit_maximum());
    error.Hint(cause.hint());
    throw error;
  }
  strings_.emplace(key, result);
  return result;
}

ExprId JSONSchemaConverter::MakeString(const StringConstraint& constraint, JsonId schema,
                                       Depth depth) {
  if (constraint.IsFree()) return FreeString(depth);
  if (constraint.IsOneFormat(1)) {
    const bool may_be_empty = constraint.length.min == 0;
    const ExprId format =
        FormatString(document().text(constraint.atoms[0].text), may_be_empty, depth);
    if (format != kNoExpr) return format;
  }
  const bool is_filtered = constraint.atoms.empty();
  CodePointDfaPtr decoded = merger_.strings().WithoutLength(constraint, schema);
  if (!decoded) return BoundedString(CodePointSet::All(), constraint.length, is_filtered, depth);
  const CountRange& length = constraint.length;
  if (length.IsTrivial()) {
    const ExprId large = LargePattern(constraint, *decoded, depth);
    return large != kNoExpr ? large : ConstrainedString(decoded, is_filtered, depth);
  }
  const int64_t least = LeastOfOneSet(*decoded);
  if (least == 0 || (least > 0 && length.min > least && IsCounted(length.min, *decoded))) {
    // Characters of one set, so the length is a counted repetition; one state for each of them
    // would be large where the set is.
    std::vector<CodePointRange> ranges;
    for (const auto& edge : decoded->states()[0].edges) ranges.push_back({edge.lo, edge.hi});
    return BoundedString(CodePointSet(std::move(ranges)), length, is_filtered, depth);
  }
  const int64_t longest = decoded->MaxLength();
  const bool min_holds = decoded->MinLength() >= length.min;
  const bool max_holds = !length.HasMax() || (longest >= 0 && longest <= length.max);
  if (decoded->IsEmpty() || (min_holds && max_holds))
    return ConstrainedString(decoded, is_filtered, depth);
  const LengthParts parts =
      SplitLength({min_holds ? 0 : length.min, max_holds ? kNoMaximum : length.max}, *decoded);
  if (!parts.written.IsTrivial()) {
    StringConstraint written = constraint;
    written.length = parts.written;
    decoded = merger_.strings().Constraint(written, schema);
  }
  if (parts.counted.IsTrivial()) return ConstrainedString(decoded, is_filtered, depth);
  if (!HasLength(LengthsOf(*decoded), parts.counted)) return builder_.AddNothing();
  return CountedString(decoded, parts.counted, is_filtered, depth);
}

}  // namespace xgrammar::json_schema
