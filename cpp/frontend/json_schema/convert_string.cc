// Strings and keys in JSON spelling.
#include <memory>

#include "frontend/json_schema/converter.h"
#include "frontend/json_schema/string_formats.h"
#include "frontend/json_schema/string_spelling.h"
#include "json/writer.h"

namespace xgrammar::json_schema {

ExprId JSONSchemaConverter::FreeString() {
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

ExprId JSONSchemaConverter::ConstrainedString(const CodePointDfaPtr& decoded) {
  if (decoded->IsEmpty()) return builder_.AddNothing();
  const ExprId quote = builder_.AddByteString("\"");
  CodePointDfaPtr spelled = SpelledFormat(decoded);
  if (!spelled) spelled = std::make_shared<const CodePointDfa>(SpellCanonically(*decoded));
  const ExprId body = builder_.AddAutomaton(spelled);
  return Lexeme("string", builder_.AddSequence({quote, body, quote}));
}

ExprId JSONSchemaConverter::BoundedString(const CodePointSet& characters,
                                          const CountRange& length) {
  const ExprId quote = builder_.AddByteString("\"");
  const ExprId body = builder_.AddRepeat(SpellCharacter(characters, &builder_), length.min,
                                         length.HasMax() ? length.max : kUnbounded);
  return Lexeme("string", builder_.AddSequence({quote, body, quote}));
}

// U+007F is written raw or, as some writers do, as an escape.
ExprId JSONSchemaConverter::StringLiteral(std::string_view text) {
  std::string spelled;
  AppendJsonString(text, &spelled);
  if (spelled.find('\x7f') == std::string::npos) return builder_.AddByteString(spelled);
  std::vector<ExprId> parts;
  size_t start = 0;
  while (true) {
    const size_t end = spelled.find('\x7f', start);
    parts.push_back(builder_.AddByteString(spelled.substr(start, end - start)));
    if (end == std::string::npos) return builder_.AddSequence(parts);
    parts.push_back(
        builder_.AddChoices({builder_.AddByteString("\x7f"), builder_.AddByteString("\\u007f")}));
    start = end + 1;
  }
}

ExprId JSONSchemaConverter::DeclaredKey(std::string_view name) { return StringLiteral(name); }

ExprId JSONSchemaConverter::AdditionalKey(const std::vector<std::string_view>& closed_names) {
  if (closed_names.empty()) return FreeString();
  std::string key;
  for (const std::string_view name : closed_names)
    key += std::to_string(name.size()) + ":" + std::string(name);
  CodePointDfaPtr& spellings = closed_[key];
  if (!spellings) spellings = std::make_shared<const CodePointDfa>(SpellingsExcept(closed_names));
  const ExprId quote = builder_.AddByteString("\"");
  return Lexeme("key", builder_.AddSequence({quote, builder_.AddAutomaton(spellings), quote}));
}

ExprId JSONSchemaConverter::ConstrainedKey(const CodePointDfaPtr& decoded) {
  return ConstrainedString(decoded);
}

ExprId JSONSchemaConverter::String(const StringConstraint& constraint, JsonId schema) {
  if (constraint.IsFree()) return FreeString();
  const std::string key = constraint.Key();
  const auto found = strings_.find(key);
  if (found != strings_.end()) return found->second;
  CodePointDfaPtr decoded = merger_.strings().WithoutLength(constraint, schema);
  ExprId result = kNoExpr;
  if (!decoded) {
    result = BoundedString(CodePointSet::All(), constraint.length);
  } else if (decoded->states().size() == 1 && decoded->states()[0].accept &&
             !constraint.length.IsTrivial()) {
    // One state: any number of characters of one set, so the length is a counted repetition.
    std::vector<CodePointRange> ranges;
    for (const auto& edge : decoded->states()[0].edges) ranges.push_back({edge.lo, edge.hi});
    result = BoundedString(CodePointSet(std::move(ranges)), constraint.length);
  } else {
    const int64_t longest = decoded->MaxLength();
    const bool min_holds = decoded->MinLength() >= constraint.length.min;
    const bool max_holds =
        !constraint.length.HasMax() || (longest >= 0 && longest <= constraint.length.max);
    if (!decoded->IsEmpty() && !(min_holds && max_holds))
      decoded = merger_.strings().Constraint(constraint, schema);
    result = ConstrainedString(decoded);
  }
  strings_.emplace(key, result);
  return result;
}

}  // namespace xgrammar::json_schema
